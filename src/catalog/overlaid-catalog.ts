/**
 * Two catalogs as one: a skill that both have comes from the upper one, with all its files. It shows waiting skills
 * beside served ones, and adds skills to a shared catalog. Templates come from the lower one. Neither catalog is owned.
 */
import type { MaybePromise } from '../async/maybe-promise.ts';
import type { Finding } from '../skill/finding.ts';
import { type Catalog, type CatalogChange, deriveCatalog, type Waiting } from './catalog.ts';
import { defaultListing } from './offered-skills.ts';
import { changedIndex, indexSkills } from './skill-index.ts';
import { indexOf, type Snapshot, snapshotOf } from './snapshot.ts';

const nothing: Snapshot = snapshotOf(0, indexSkills([]), [], defaultListing);

/** @param reportHidden creates the finding for a skill that both have; default: none */
export function overlaidCatalog(lower: Catalog, upper: Catalog, reportHidden?: (uri: string) => Finding): Catalog {
  const merged = new WeakMap<Snapshot, WeakMap<Snapshot, Snapshot>>();
  const stops = new Set<() => void>();
  let below = nothing;
  let above = nothing;

  /** Both numbers only grow, so their sum distinguishes a pair from every later one. */
  function mergeOf(low: Snapshot, high: Snapshot): Snapshot {
    const known = merged.get(low) ?? new WeakMap<Snapshot, Snapshot>();
    merged.set(low, known);
    let both = known.get(high);
    if (both === undefined) {
      const generation = low.generation + high.generation;
      const records = new Map(high.skills.map((skill) => [skill.entry.uri, skill]));
      const hidden =
        reportHidden === undefined ? [] : [...records.keys()].filter((uri) => low.skill(uri) !== undefined);
      const findings = [...low.findings, ...hidden.flatMap((uri) => reportHidden?.(uri) ?? [])];
      both =
        high.skills.length === 0
          ? generation === low.generation
            ? low
            : { ...low, generation }
          : snapshotOf(generation, changedIndex(indexOf(low), records), findings, low.listing);
      known.set(high, both);
    }
    return both;
  }

  async function both(ask: (catalog: Catalog) => MaybePromise<Snapshot>): Promise<Snapshot> {
    // The lower one first: its result decides what the upper one has.
    below = await ask(lower);
    above = await ask(upper);
    return mergeOf(below, above);
  }

  /** The catalog that has the file. */
  async function holder(uri: string, waiting: Waiting): Promise<Catalog> {
    await lower.snapshot(waiting);
    return (await upper.snapshot(waiting)).file(uri) === undefined ? lower : upper;
  }

  function notify(listener: (change: CatalogChange) => void, previous: Snapshot, change: CatalogChange): void {
    const snapshot = mergeOf(below, above);
    const uris = [...new Set([...change.added, ...change.removed, ...change.changed])];
    const was = (uri: string): boolean => previous.skill(uri) !== undefined;
    const is = (uri: string): boolean => snapshot.skill(uri) !== undefined;
    listener({
      snapshot,
      previous,
      added: uris.filter((uri) => !was(uri) && is(uri)),
      removed: uris.filter((uri) => was(uri) && !is(uri)),
      changed: uris.filter((uri) => was(uri) && is(uri) && previous.skill(uri) !== snapshot.skill(uri)),
      files: change.files,
    });
  }

  async function close(): Promise<void> {
    for (const stop of stops) stop();
    stops.clear();
  }

  return deriveCatalog(lower, {
    watched: 'pass',
    freshUntil: 'pass',
    snapshot: (waiting) => both((catalog) => catalog.snapshot(waiting)),
    refresh: (waiting) => both((catalog) => catalog.refresh(waiting)),
    async find(uri, context) {
      const found = (await both((catalog) => catalog.snapshot(context))).skill(uri);
      return found ?? lower.find(uri, context);
    },
    templates: 'pass',
    read: async (uri, context) => (await holder(uri, context)).read(uri, context),
    subscribeReads(listener) {
      const unsubscribes = [lower.subscribeReads(listener), upper.subscribeReads(listener)];
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
    },
    subscribe(listener) {
      const unsubscribes = [
        lower.subscribe((change) => {
          const previous = mergeOf(change.previous, above);
          below = change.snapshot;
          notify(listener, previous, change);
        }),
        upper.subscribe((change) => {
          const previous = mergeOf(below, change.previous);
          above = change.snapshot;
          notify(listener, previous, change);
        }),
      ];
      const stop = (): void => {
        stops.delete(stop);
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
      stops.add(stop);
      return stop;
    },
    close,
  });
}
