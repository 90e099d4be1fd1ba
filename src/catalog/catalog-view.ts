/**
 * A catalog as one reader may see it. It is a catalog itself, so every surface can show it. Skills that are not allowed
 * do not exist in it: not in listings, by URI, as a directory, in a change or in a finding.
 *
 * The path decides before the catalog behind is queried, so a hidden skill and a missing one get the same answer with
 * the same work. A skill consists of all its files: one that contains files of a hidden skill is hidden too.
 */
import { andThen, type MaybePromise } from '../async/maybe-promise.ts';
import { SkillwireError } from '../errors.ts';
import { skillFileName } from '../skill/entry.ts';
import { folderPath, nestedOf } from '../skill/nested-skills.ts';
import { tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SkillTemplate, SourceContext } from '../sources/skill-source.ts';
import {
  type Catalog,
  type CatalogChange,
  deriveCatalog,
  type FileContent,
  fileNotFound,
  type ReadContext,
  unstable,
  type Waiting,
} from './catalog.ts';
import { changeWithin, visibleRecords } from './nested-records.ts';
import { indexSkills, recordAt } from './skill-index.ts';
import { type FileRecord, type SkillRecord, type Snapshot, snapshotOf } from './snapshot.ts';

export interface CatalogViewOptions {
  /** Decides by the decoded path of a skill, without its `SKILL.md`; also called for paths without a skill. */
  allows(path: string): boolean;
  /** True if a skill with this path as an alias is hidden too. Default: none is. */
  excludes?(path: string): boolean;
  /** Called once for each skill that is hidden because of one inside it, with their paths. */
  onCarried?(outer: string, inner: string): void;
  /** Which listed skills stay in the listing; the others are served by URI. */
  listing?(listed: readonly SkillRecord[]): readonly SkillRecord[];
}

/** A file may be replaced while it is read; after this many attempts the read fails. */
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

  /** By another path of the skill, or by that of a skill inside it. */
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

  /** True if a reader could see the `SKILL.md` with this URI. */
  function allowsUri(uri: string): boolean {
    const parsed = tryParseSkillUri(uri);
    if (parsed === undefined || parsed.segments.at(-1) !== skillFileName) return false;
    return allows(parsed.segments.slice(0, -1).join('/'));
  }

  function assertOpen(): void {
    if (closed) throw new SkillwireError('CLOSED', 'Cannot use the view of a catalog: it is closed. Create a new one.');
  }

  function snapshot(waiting?: Waiting): MaybePromise<Snapshot> {
    assertOpen();
    return andThen(catalog.snapshot(waiting), (whole) => {
      latest = viewOf(whole);
      return latest;
    });
  }

  /** One visible skill of each origin, so that nothing is revealed about the others. */
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
      if (known !== undefined || context.localOnly === true || !allowsUri(uri)) return known;
      return andThen(find(uri, context), (skill) => skill?.files.get(skillFileName));
    });
  }

  function read(uri: string, context: ReadContext, attempt = 1): MaybePromise<FileContent> {
    if (attempt > readAttempts) throw unstable(uri);
    return andThen(fileAt(uri, context), (file) => {
      if (file === undefined) throw fileNotFound(uri);
      return andThen(catalog.snapshot(context), (whole) => {
        const owner = whole.file(file.uri)?.skill;
        // A dynamic skill may have any file below it; files of a hidden skill are not requested.
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

/** Decides by the path in the template, with variables as text; the expanded URI is checked again when it is read. */
function allowsTemplate(uriTemplate: string, allows: (path: string) => boolean): boolean {
  const suffix = `/${skillFileName}`;
  const path = uriTemplate.replace(/^skill:\/\//, '');
  return path.endsWith(suffix) && allows(path.slice(0, -suffix.length));
}
