/**
 * The two index documents of a snapshot, built on first use. After a change only the lines and archives of changed skills are rebuilt. The
 * same skills give the same bytes on every machine, and those of a static site except for `files`.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { nextTurn, visitInSlices } from '../../async/slices.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import {
  encodeEntryV01,
  encodeEntryV02,
  joinIndexV01,
  joinIndexV02,
  skillMdFirst,
} from '../../dialects/well-known/encode-index.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { decodeProvenance, originMetaKey } from '../../skill/provenance.ts';
import type { ArchiveFacts, Artifacts } from './artifacts.ts';
import { planSite, type SitePlan, type SiteSkill } from './site-plan.ts';

export interface SiteDocument {
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** True if some content is not for everybody. */
  readonly private: boolean;
}

export interface SiteArtifact {
  readonly published: SiteSkill;
  readonly digest: string;
  readonly size: number;
}

export interface IndexV02 extends SiteDocument {
  readonly snapshot: Snapshot;
  readonly plan: SitePlan;
  /** In the order of the index. */
  readonly artifacts: readonly SiteArtifact[];
  readonly byDigest: ReadonlyMap<string, SiteArtifact>;
  /** Findings of the plan, and about skills that are omitted because they cannot be read or packed. */
  readonly findings: readonly Finding[];
  /** True if a skill is omitted because it changed since the snapshot. */
  readonly changed: boolean;
  /** When to retry unreadable skills, by `performance.now()`; absent if there are none. */
  readonly retryAt?: number;
}

export interface DocumentOptions {
  readonly format: ArchiveFormat;
  readonly digest: (bytes: Uint8Array) => string | Promise<string>;
  /** Base URL of artifacts, with a final slash. Default: relative to the index. */
  readonly artifactBase?: string;
  /** Also name the files of each skill in the v0.2.0 index, for readers without archive support. The files must be next to it. Default false. */
  readonly files?: boolean;
  /** Name the gateways that a skill came through, for other gateways. Default false, because gateway ids change at each start. */
  readonly via?: boolean;
}

export const digestFolder = 'by-digest';

/** The file name of an artifact, which never changes its bytes. */
export function digestName(digest: string, type: SiteSkill['type'], format: ArchiveFormat): string {
  return `${digest.replace(':', '-')}.${type === 'skill-md' ? 'md' : format}`;
}

/** How often an index is rebuilt if the catalog changes meanwhile. */
const attempts = 5;

/** Documents of a snapshot, by default the current one. Cached documents are returned synchronously. */
export function createSiteDocuments(catalog: Catalog, artifacts: Artifacts, options: DocumentOptions) {
  const lines = new WeakMap<SkillRecord, { readonly name: string; readonly line: string }>();
  const linesV01 = new WeakMap<SkillRecord, { readonly name: string; readonly line: string }>();
  const planned = perSnapshot((snapshot) => planSite(snapshot));
  const listedV01 = perSnapshot(makeV01);
  const listedV02 = perSnapshot(makeV02, ({ retryAt }) => retryAt !== undefined && performance.now() >= retryAt);

  async function makeV01(snapshot: Snapshot): Promise<SiteDocument> {
    const { skills } = await planned(snapshot);
    const rows: string[] = [];
    let privateIndex = false;
    await visitInSlices(skills, (published) => {
      if (!published.inV01) return;
      rows.push(lineV01(published));
      privateIndex ||= isPrivate(published);
    });
    const bytes = joinIndexV01(rows);
    await nextTurn();
    return { bytes, digest: await options.digest(bytes), private: privateIndex };
  }

  function lineV01({ skill, name }: SiteSkill): string {
    const known = linesV01.get(skill);
    if (known?.name === name) return known.line;
    const { description } = skill.entry.frontmatter;
    const line = encodeEntryV01({ name, description, files: [...skill.files.keys()] });
    linesV01.set(skill, { name, line });
    return line;
  }

  /** A skill that cannot be read or packed is omitted and reported, without effect on the others. */
  async function makeV02(snapshot: Snapshot): Promise<IndexV02> {
    const plan = await planned(snapshot);
    const findings = [...plan.findings];
    const found: SiteArtifact[] = [];
    const rows: string[] = [];
    let changed = false;
    let unread = false;
    let turnEnds = performance.now() + limits.scan.sliceMs;
    for (const published of plan.skills) {
      if (performance.now() >= turnEnds) {
        await nextTurn();
        turnEnds = performance.now() + limits.scan.sliceMs;
      }
      const made = await madeOf(published);
      if ('digest' in made) {
        found.push({ published, ...made });
        rows.push(lineV02(published, made));
        continue;
      }
      findings.push(leftOut(published, made));
      changed ||= made.fault === 'changed';
      unread ||= made.fault !== 'unpackable';
    }
    const bytes = joinIndexV02(rows);
    await nextTurn();
    return {
      bytes,
      digest: await options.digest(bytes),
      private: found.some(({ published }) => isPrivate(published)),
      snapshot,
      plan,
      artifacts: found,
      byDigest: new Map(found.map((artifact) => [artifact.digest, artifact])),
      findings,
      changed,
      ...(unread ? { retryAt: performance.now() + limits.wellKnown.retryMs } : {}),
    };
  }

  /** Digest and size for the index, or why the skill is omitted. */
  async function madeOf({ skill, type }: SiteSkill): Promise<ArchiveFacts | Fault> {
    if (type === 'skill-md') {
      const resource = skill.files.get(skillFileName)?.resource;
      if (resource === undefined) throw new TypeError(`${skill.entry.uri} lists no ${skillFileName}`);
      return { digest: resource.digest, size: resource.size };
    }
    try {
      return (await artifacts.facts(skill)) ?? { fault: 'changed' };
    } catch (error) {
      const code = error instanceof SkillwireError ? error.code : undefined;
      if (code === 'CLOSED') throw error;
      if (code === 'FILE_NOT_FOUND' || code === 'UNSTABLE') return { fault: 'changed' };
      const { message } = error as Error;
      return { fault: code?.startsWith('ARCHIVE_') === true ? 'unpackable' : 'unreadable', message };
    }
  }

  function lineV02({ skill, name, type }: SiteSkill, { digest }: ArchiveFacts): string {
    const known = lines.get(skill);
    if (known?.name === name) return known.line;
    const url = `${options.artifactBase ?? ''}${digestFolder}/${digestName(digest, type, options.format)}`;
    const { description } = skill.entry.frontmatter;
    const files = options.files === true ? skillMdFirst([...skill.files.keys()]) : undefined;
    const via = options.via === true ? decodeProvenance(skill.entry._meta?.[originMetaKey])?.via : undefined;
    const line = encodeEntryV02({ name, type, description, url, digest, files, via });
    lines.set(skill, { name, line });
    return line;
  }

  /** Retries with the current snapshot if a skill changed meanwhile. */
  function indexV02(snapshot: Snapshot, attempt = 1): MaybePromise<IndexV02> {
    return andThen(listedV02(snapshot), (index) => {
      if (!index.changed || attempt >= attempts) return index;
      return andThen(catalog.snapshot(), (now) => (now === snapshot ? index : indexV02(now, attempt + 1)));
    });
  }

  const current = <T>(make: (snapshot: Snapshot) => MaybePromise<T>) => {
    return (snapshot?: Snapshot) => andThen(snapshot ?? catalog.snapshot(), make);
  };
  return { plan: current(planned), v01: current(listedV01), v02: current(indexV02) };
}

/** Why a skill is not in the index. */
type Fault = { readonly fault: 'changed' } | { readonly fault: 'unpackable' | 'unreadable'; readonly message: string };

function leftOut({ skill }: SiteSkill, made: Fault): Finding {
  const place = { skill: skill.entry.uri };
  const what = 'the skill is not in the v0.2.0 index';
  if (made.fault === 'unpackable') return finding('publish-archive', `${what}: ${made.message}`, place);
  const why = made.fault === 'changed' ? 'its files do not match its entry' : made.message;
  return finding('publish-unreadable', `${what}: ${why}`, place);
}

function isPrivate({ skill }: SiteSkill): boolean {
  return skill.source.cacheScope === 'private';
}

/** Runs work once per snapshot; concurrent callers share it. A failure is retried, and so is a value that `isOver`. */
function perSnapshot<T>(
  work: (snapshot: Snapshot) => MaybePromise<T>,
  isOver: (value: T) => boolean = () => false,
): (snapshot: Snapshot) => MaybePromise<T> {
  let last: { readonly snapshot: Snapshot; made: MaybePromise<T> } | undefined;
  return (snapshot) => {
    if (last?.snapshot === snapshot && (last.made instanceof Promise || !isOver(last.made))) return last.made;
    const made = work(snapshot);
    const current = { snapshot, made };
    last = current;
    if (made instanceof Promise)
      made.then(
        (value) => {
          // Later callers get the value synchronously.
          current.made = value;
        },
        () => {
          if (last === current) last = undefined;
        },
      );
    return made;
  };
}
