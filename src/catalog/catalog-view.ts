/**
 * A catalog as one reader may see it: a catalog of its own, so every surface shows it as it shows any other. What is not allowed
 * does not exist in it: not in listings, not by URI, not as a directory, not in a change, not in a finding.
 *
 * Whether something is allowed is decided by its path before the catalog behind is asked. So the answer about a skill that the
 * reader may not see is the same, and takes the same work, as about one that does not exist. A skill is all of its files: one that
 * carries the files of a hidden skill is hidden too.
 */
import { andThen, type MaybePromise } from '../async/maybe-promise.ts';
import { SkillwireError } from '../errors.ts';
import { skillFileName } from '../skill/entry.ts';
import { folderPath, nestedOf } from '../skill/nested-skills.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillTemplate, SourceContext } from '../sources/skill-source.ts';
import type { Catalog, CatalogChange, FileContent, ReadContext, Waiting } from './catalog.ts';
import { deriveCatalog } from './derive-catalog.ts';
import { fileNotFound, unstable } from './file-not-found.ts';
import { changeWithin, visibleRecords } from './nested-records.ts';
import { indexSkills, recordAt } from './skill-index.ts';
import type { FileRecord, SkillRecord, Snapshot } from './snapshot.ts';
import { snapshotOf } from './snapshot.ts';

export interface CatalogViewOptions {
  /** Of the decoded path of a skill, without its `SKILL.md`; also asked about paths at which there is nothing. */
  allows(path: string): boolean;
  /** Whether a skill that has such a path beside its own, as an alias, is hidden for it. Default: none is. */
  excludes?(path: string): boolean;
  /** Told once of each skill that is hidden for one inside it, by their paths. */
  onCarried?(outer: string, inner: string): void;
  /** Which of the listed skills stay in the listing; the others are served to those who know their URI. */
  listing?(listed: readonly SkillRecord[]): readonly SkillRecord[];
}

/** A file may be replaced while it is read; more often than this is reported. */
const readAttempts = 4;

/** The view does not own the catalog: closing it leaves the catalog open. */
export function catalogView(catalog: Catalog, options: CatalogViewOptions): Catalog {
  const { allows, listing } = options;
  const allowed = new WeakMap<SkillRecord, boolean>();
  const views = new WeakMap<Snapshot, Snapshot>();
  const samples = new WeakMap<Snapshot, readonly string[]>();
  const stops = new Set<() => void>();
  let latest: Snapshot | undefined;
  let closed = false;

  function isVisible(record: SkillRecord): boolean {
    let known = allowed.get(record);
    if (known === undefined) {
      known = allows(record.path) && !isExcludedElsewhere(record);
      allowed.set(record, known);
    }
    return known;
  }

  /** By another path under which it is read, or by that of a skill inside it. */
  function isExcludedElsewhere({ path, entry, source }: SkillRecord): boolean {
    if (source.aliases?.some((alias) => options.excludes?.(alias)) === true) return true;
    const inner = nestedOf(entry)
      .map(folderPath)
      .find((one) => !allows(one));
    if (inner !== undefined) options.onCarried?.(path, inner);
    return inner !== undefined;
  }

  function viewOf(snapshot: Snapshot): Snapshot {
    let view = views.get(snapshot);
    if (view === undefined) {
      const index = indexSkills(visibleRecords(snapshot.skills, isVisible));
      const listed = listing === undefined ? index.listed : listing(index.listed);
      const shown = (uri: string): boolean => snapshot.skill(uri) === undefined || recordAt(index, uri) !== undefined;
      const findings = snapshot.findings.filter(({ skill }) => skill !== undefined && allowsUri(skill) && shown(skill));
      view = snapshotOf(snapshot.generation, { ...index, listed }, findings, snapshot.listing);
      views.set(snapshot, view);
    }
    return view;
  }

  /** Whether the `SKILL.md` with this URI could be one that the reader sees. */
  function allowsUri(uri: string): boolean {
    const parsed = tryParseSkillUri(uri);
    if (parsed === undefined || parsed.segments.at(-1) !== skillFileName) return false;
    return allows(parsed.segments.slice(0, -1).join('/'));
  }

  function assertOpen(): void {
    if (closed) throw new SkillwireError('CLOSED', 'cannot use the view of a catalog: it was closed');
  }

  function snapshot(waiting?: Waiting): MaybePromise<Snapshot> {
    assertOpen();
    return andThen(catalog.snapshot(waiting), (whole) => {
      latest = viewOf(whole);
      return latest;
    });
  }

  /** A skill of each origin that the reader sees, so that nothing can be told about the others. */
  function samplesOf(view: Snapshot): readonly string[] {
    let known = samples.get(view);
    if (known === undefined) {
      const first = new Map<string, string>();
      for (const { path, entry } of view.skills) {
        const [label = ''] = path.split('/', 1);
        if (!first.has(label)) first.set(label, entry.uri);
      }
      known = [...first.values()];
      samples.set(view, known);
    }
    return known;
  }

  function freshUntil(uri?: string): number | undefined {
    if (uri !== undefined) return allowsUri(uri) ? catalog.freshUntil?.(uri) : undefined;
    let least: number | undefined;
    for (const sample of latest === undefined ? [] : samplesOf(latest)) {
      const until = catalog.freshUntil?.(sample);
      if (until !== undefined && (least === undefined || until < least)) least = until;
    }
    return least;
  }

  async function find(uri: string, context: SourceContext): Promise<SkillRecord | undefined> {
    assertOpen();
    const found = allowsUri(uri) ? await catalog.find(uri, context) : undefined;
    return found === undefined ? undefined : (await snapshot(context)).skill(found.entry.uri);
  }

  function fileAt(uri: string, context: ReadContext): MaybePromise<FileRecord | undefined> {
    return andThen(snapshot(context), (view) => {
      const known = view.file(uri);
      if (known !== undefined || context.atHand === true || !allowsUri(uri)) return known;
      return andThen(find(uri, context), (skill) => skill?.files.get(skillFileName));
    });
  }

  function read(uri: string, context: ReadContext, attempt = 1): MaybePromise<FileContent> {
    if (attempt > readAttempts) throw unstable(uri);
    return andThen(fileAt(uri, context), (file) => {
      if (file === undefined) throw fileNotFound(uri);
      return andThen(catalog.snapshot(context), (whole) => {
        const owner = whole.file(file.uri)?.skill;
        // Below a dynamic skill anything may be; what is known to be of a skill that is not seen is not asked for.
        if (file.resource === undefined && owner !== undefined && !isVisible(owner)) throw fileNotFound(uri);
        return andThen(catalog.read(file.uri, context), (content) =>
          isVisible(content.file.skill) ? content : read(uri, context, attempt + 1),
        );
      });
    });
  }

  function changeOf(change: CatalogChange): CatalogChange | undefined {
    return changeWithin(change, viewOf(change.snapshot), viewOf(change.previous));
  }

  function stoppable(stop: () => void): () => void {
    stops.add(stop);
    return () => {
      stops.delete(stop);
      stop();
    };
  }

  async function close(): Promise<void> {
    closed = true;
    for (const stop of stops) stop();
    stops.clear();
  }

  return deriveCatalog(catalog, {
    watched: 'pass',
    snapshot,
    async refresh(waiting) {
      assertOpen();
      return viewOf(await catalog.refresh(waiting));
    },
    find,
    async templates(context) {
      const all = await catalog.templates(context);
      return all?.filter(({ uriTemplate }: SkillTemplate) => allowsTemplate(uriTemplate, allows));
    },
    read,
    freshUntil: { map: () => freshUntil },
    subscribeReads: (listener) =>
      stoppable(
        catalog.subscribeReads((content) => {
          if (isVisible(content.file.skill)) listener(content);
        }),
      ),
    subscribe: (listener) =>
      stoppable(
        catalog.subscribe((change) => {
          const seen = changeOf(change);
          if (seen !== undefined) listener(seen);
        }),
      ),
    close,
  });
}

/** By the path that stands in it, variables taken as text; what it expands to is asked about again when it is read. */
function allowsTemplate(uriTemplate: string, allows: (path: string) => boolean): boolean {
  const suffix = `/${skillFileName}`;
  const path = uriTemplate.replace(/^skill:\/\//, '');
  return path.endsWith(suffix) && allows(path.slice(0, -suffix.length));
}
