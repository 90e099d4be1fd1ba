/**
 * A catalog as agents get it, without denied or disabled skills. These disappear from listings, entries and files, and
 * return unchanged. A skill that contains files of an unserved one is not served either. Every snapshot is judged
 * before any of it is returned, so a new version of a denied skill is never served by mistake. Without restrictions,
 * the catalog's own values are returned.
 */
import { createListeners } from '../async/listeners.ts';
import { andThen, type MaybePromise, orElse } from '../async/maybe-promise.ts';
import { SkillwireError } from '../errors.ts';
import {
  type Catalog,
  type CatalogChange,
  deriveCatalog,
  type FileContent,
  type ReadContext,
  type Waiting,
} from './catalog.ts';
import { changeWithin, visibleRecords } from './nested-records.ts';
import { indexSkills } from './skill-index.ts';
import { type SkillRecord, type Snapshot, snapshotOf } from './snapshot.ts';

/** Decides which skills are served; `serving/` is the authority. */
export interface ServedFilter {
  /** Loads the decisions. Awaited before the first answer. */
  fresh(): Promise<void>;
  /** A different number after every change of the answers below. */
  stamp(): number;
  /** True if any skill may be unserved. */
  restricts(): boolean;
  isServed(skill: SkillRecord): boolean;
  /** Calls back after the answers changed, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** @param onerror receives a failed listing while a change was applied */
export function onlyServed(catalog: Catalog, filter: ServedFilter, onerror: (error: Error) => void): Catalog {
  const listeners = createListeners<CatalogChange>();
  let views = new WeakMap<Snapshot, Snapshot>();
  let judgedAt = 0;
  /** Counts changes of decisions, so that every view has its own generation. */
  let changes = 0;
  let first: Promise<void> | undefined;
  let isReady = false;
  /** The view that listeners know. */
  let shown: Snapshot | undefined;
  let unsubscribe: (() => void) | undefined;
  const unfollow = filter.subscribe(() => {
    if (listeners.size > 0) report().catch((error: unknown) => onerror(error as Error));
  });

  function viewOf(snapshot: Snapshot): Snapshot {
    if (judgedAt !== filter.stamp()) {
      judgedAt = filter.stamp();
      views = new WeakMap();
      if (filter.restricts() || changes > 0) changes++;
    }
    if (changes === 0) return snapshot;
    const known = views.get(snapshot);
    if (known !== undefined) return known;
    const generation = snapshot.generation + changes;
    const visible = filter.restricts() ? visibleRecords(snapshot.skills, filter.isServed) : snapshot.skills;
    const same = visible.length === snapshot.skills.length;
    const view = same
      ? { ...snapshot, generation }
      : snapshotOf(generation, indexSkills(visible), snapshot.findings, snapshot.listing);
    views.set(snapshot, view);
    return view;
  }

  function ready(): Promise<void> {
    first ??= filter.fresh().then(
      () => {
        isReady = true;
      },
      (error: unknown) => {
        first = undefined;
        throw error;
      },
    );
    return first;
  }

  /** Reports the effect of a decision. */
  async function report(): Promise<void> {
    showing(viewOf(await catalog.snapshot()));
  }

  /** Reports how this view differs from the one that listeners know. */
  function showing(snapshot: Snapshot): void {
    const previous = shown;
    shown = snapshot;
    if (previous === undefined || previous === snapshot) return;
    const missingIn = (other: Snapshot, { skills }: Snapshot): readonly string[] =>
      skills.map(({ entry }) => entry.uri).filter((uri) => other.skill(uri) === undefined);
    const removed = missingIn(snapshot, previous);
    const added = missingIn(previous, snapshot);
    if (removed.length + added.length === 0) return;
    const files = [...removed.map((uri) => previous.skill(uri)), ...added.map((uri) => snapshot.skill(uri))].flatMap(
      (skill) => [...(skill?.files.values() ?? [])].map(({ uri }) => uri),
    );
    listeners.call({ snapshot, previous, added, removed, changed: [], files: files.sort() });
  }

  function pass(change: CatalogChange): void {
    const [previous, snapshot] = [viewOf(change.previous), viewOf(change.snapshot)];
    // A decision that was not reported yet is a separate change.
    if (shown !== undefined) showing(previous);
    shown = snapshot;
    const nothing = { snapshot, previous, added: [], removed: [], changed: [], files: [] };
    const seen = filter.restricts() ? changeWithin(change, snapshot, previous) : { ...change, snapshot, previous };
    listeners.call(seen ?? nothing);
  }

  function isShown(skill: SkillRecord, snapshot: Snapshot): boolean {
    const { uri } = skill.entry;
    return snapshot.skill(uri) === undefined ? filter.isServed(skill) : viewOf(snapshot).skill(uri) !== undefined;
  }

  function notServed(uri: string): SkillwireError {
    return new SkillwireError(
      'FILE_NOT_FOUND',
      `Cannot read "${uri}": the skill is not served. List the skills to see which are.`,
      { data: { uri } },
    );
  }

  function read(uri: string, context: ReadContext): MaybePromise<FileContent> {
    if (!isReady) return andThen(ready(), () => read(uri, context));
    return filter.restricts() ? readShown(uri, context) : catalog.read(uri, context);
  }

  async function readShown(uri: string, context: ReadContext): Promise<FileContent> {
    const snapshot = await catalog.snapshot(context);
    const owner = snapshot.skill(uri) ?? snapshot.file(uri)?.skill;
    if (owner !== undefined && !isShown(owner, snapshot)) throw notServed(uri);
    const content = await catalog.read(uri, context);
    // The skill may be unlisted, or changed while it was read.
    if (!isShown(content.file.skill, await catalog.snapshot(context))) throw notServed(uri);
    return content;
  }

  function current(waiting?: Waiting): MaybePromise<Snapshot> {
    return isReady ? andThen(catalog.snapshot(waiting), viewOf) : andThen(ready(), () => current(waiting));
  }

  return deriveCatalog(catalog, {
    watched: 'pass',
    snapshot: current,
    async refresh(waiting) {
      await ready();
      return viewOf(await catalog.refresh(waiting));
    },
    async find(uri, context) {
      await ready();
      const found = await catalog.find(uri, context);
      if (found === undefined || !filter.restricts()) return found;
      return isShown(found, await catalog.snapshot(context)) ? found : undefined;
    },
    async templates(context) {
      await ready();
      return catalog.templates(context);
    },
    read,
    subscribeReads: (listener) =>
      catalog.subscribeReads((content) => {
        if (!filter.restricts() || filter.isServed(content.file.skill)) listener(content);
      }),
    freshUntil: 'pass',
    subscribe(listener) {
      if (unsubscribe === undefined) {
        unsubscribe = catalog.subscribe(pass);
        shown = undefined;
        // Callers that wait for the first snapshot get the error.
        void orElse(
          () =>
            andThen(current(), (view) => {
              shown ??= view;
            }),
          () => undefined,
        );
      }
      return listeners.add(listener, () => {
        unsubscribe?.();
        unsubscribe = undefined;
      });
    },
    close() {
      unfollow();
      return catalog.close();
    },
  });
}
