/**
 * Two catalogs as one: a skill that both have is that of the upper one, with all of its files. For whoever looks at what others do not
 * get yet, beside what they get, and for skills that are added to a catalog that others use too. Templates are those of the lower one.
 * Neither catalog is owned.
 */
import type { MaybePromise } from '../async/maybe-promise.ts';
import type { Finding } from '../skill/finding.ts';
import type { Catalog, CatalogChange, Waiting } from './catalog.ts';
import { deriveCatalog } from './derive-catalog.ts';
import { defaultListing } from './offered-skills.ts';
import { changedIndex, indexSkills } from './skill-index.ts';
import { indexOf, type Snapshot, snapshotOf } from './snapshot.ts';

const nothing: Snapshot = snapshotOf(0, indexSkills([]), [], defaultListing);

/** @param reportHidden makes the finding for a skill of the lower one that the upper one has too; default: none is made */
export function overlaidCatalog(lower: Catalog, upper: Catalog, reportHidden?: (uri: string) => Finding): Catalog {
  const merged = new WeakMap<Snapshot, WeakMap<Snapshot, Snapshot>>();
  const stops = new Set<() => void>();
  let below = nothing;
  let above = nothing;

  /** Both numbers only grow, so their sum tells one pair from every later one. */
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
    // The lower one first: what it finds out decides what there is in the upper one.
    below = await ask(lower);
    above = await ask(upper);
    return mergeOf(below, above);
  }

  /** Which of the two has the file. */
  async function holder(uri: string, waiting: Waiting): Promise<Catalog> {
    await lower.snapshot(waiting);
    return (await upper.snapshot(waiting)).file(uri) === undefined ? lower : upper;
  }

  function told(listener: (change: CatalogChange) => void, previous: Snapshot, change: CatalogChange): void {
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
      const ends = [lower.subscribeReads(listener), upper.subscribeReads(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    subscribe(listener) {
      const ends = [
        lower.subscribe((change) => {
          const previous = mergeOf(change.previous, above);
          below = change.snapshot;
          told(listener, previous, change);
        }),
        upper.subscribe((change) => {
          const previous = mergeOf(below, change.previous);
          above = change.snapshot;
          told(listener, previous, change);
        }),
      ];
      const stop = (): void => {
        stops.delete(stop);
        for (const end of ends) end();
      };
      stops.add(stop);
      return stop;
    },
    close,
  });
}
