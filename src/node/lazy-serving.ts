/**
 * The authority on what is served, for a server without a policy. It is loaded when a state exists or somebody opens the page. Until then
 * everything is served, the disk is not touched and start-up costs nothing; a timer checks whether somebody disabled or denied a skill.
 */
import { loadOnce } from '../async/load-once.ts';
import type { ServedFilter } from '../catalog/only-served.ts';
import type { SkillRecord } from '../catalog/snapshot.ts';
import { limits } from '../limits.ts';
import type { Serving } from '../serving/serving.ts';
import type { AddressOf, OriginNames } from '../serving/skill-address.ts';
import type { Store } from '../store/store.ts';

/** A state that may not exist yet. */
export interface DecisionStore {
  /** True if something was stored, or the store is open. */
  exists(): boolean;
  /** The same store for every caller; its owner closes it. */
  open(): Promise<Store>;
  /** The store, if somebody has opened it. */
  opened(): Promise<Store> | undefined;
}

interface Loaded {
  readonly serving: Serving;
  readonly addressOf: AddressOf<SkillRecord>;
}

export function lazyServing(
  store: DecisionStore,
  origins: () => OriginNames<SkillRecord>,
  onerror: (error: Error) => void,
) {
  let loaded: Loaded | undefined;
  /** By record: unchanged records are the same objects in every snapshot. */
  let judged = new WeakMap<SkillRecord, boolean>();
  let judgedAt = 0;

  async function make(): Promise<Loaded> {
    const [{ createServing }, { decisionFeed }, { addresses }, { nodeDigest }] = await Promise.all([
      import('../serving/serving.ts'),
      import('../serving/decision-feed.ts'),
      import('../serving/skill-address.ts'),
      import('../store/embedded/node-digest.ts'),
    ]);
    const open = (): Promise<Store> => store.open();
    const serving = createServing({ feed: decisionFeed(open, onerror), store: open, digest: nodeDigest, onerror });
    loaded = { serving, addressOf: addresses(origins()) };
    return loaded;
  }

  const { get: load } = loadOnce(make);

  return {
    load: async (): Promise<Serving> => (await load()).serving,
    filter: {
      async fresh() {
        if (loaded === undefined && !store.exists()) return;
        await (await load()).serving.fresh();
      },
      stamp: () => loaded?.serving.stamp() ?? 0,
      restricts: () => loaded?.serving.restricts() ?? false,
      isServed(skill) {
        if (loaded === undefined) return true;
        const { serving, addressOf } = loaded;
        if (judgedAt !== serving.stamp()) {
          judgedAt = serving.stamp();
          judged = new WeakMap();
        }
        const known = judged.get(skill) ?? serving.standing(addressOf(skill), skill.source).state === 'served';
        judged.set(skill, known);
        return known;
      },
      subscribe(listener) {
        let stop: (() => void) | undefined;
        let isEnded = false;
        const begin = (): void => {
          load()
            .then(({ serving }) => {
              if (!isEnded) stop = serving.subscribe(listener);
            })
            .catch((error: unknown) => onerror(error instanceof Error ? error : new Error(String(error))));
        };
        const timer = setInterval(() => {
          if (loaded === undefined && !store.exists()) return;
          clearInterval(timer);
          begin();
        }, limits.store.followMs);
        timer.unref();
        if (store.exists()) {
          clearInterval(timer);
          begin();
        }
        return () => {
          isEnded = true;
          clearInterval(timer);
          stop?.();
        };
      },
    } satisfies ServedFilter,
  };
}

export type LazyServing = ReturnType<typeof lazyServing>;
