/**
 * Work that one member does for all, whichever gets the lease first: snapshots of the state, and the removal of entries and unused blobs.
 * Two members that do it at once do no harm, because each statement checks what it removes.
 */
import { coalesced } from '../../async/shared-work.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { collectGarbage } from '../collect-garbage.ts';
import type { LogEngine } from './log-engine.ts';
import { type createProjection, encodeSnapshot, entryVersion } from './projection.ts';

export interface UpkeepOptions {
  readonly engine: Pick<LogEngine, 'blobs' | 'lease' | 'now' | 'trim' | 'writeSnapshot'>;
  readonly projection: Pick<ReturnType<typeof createProjection>, 'map' | 'position' | 'snapshotAt'>;
  /** Applies everything that the log has. */
  readonly barrier: () => Promise<void>;
  /** Blobs that stay. */
  readonly pinned: () => Promise<ReadonlySet<string>>;
  /** Whether the store was closed. */
  readonly isOver: () => boolean;
  readonly warn: (message: string) => void;
}

export function createUpkeep({ engine, projection, barrier, pinned, isOver, warn }: UpkeepOptions) {
  let offeredAt = performance.now();
  let triedAt = Number.NEGATIVE_INFINITY;
  let warned = '';

  /** For one run: nobody renews it, so the others wait until it expires. */
  const lease = (name: string, ms: number): Promise<boolean> => engine.lease(name, crypto.randomUUID(), ms);

  async function snapshot(): Promise<void> {
    const { sequence, id: entry } = projection.position();
    // The entries are of this moment, and are encoded while the parts before are written.
    const parts = encodeSnapshot(projection.map.entries([]));
    await engine.writeSnapshot({ id: crypto.randomUUID(), sequence, entry, version: entryVersion }, parts);
  }

  async function collect(): Promise<void> {
    while (!isOver() && (await engine.trim(limits.store.logTailMs)) > 0);
    await barrier();
    const now = await engine.now();
    const { cacheBytes: budgetBytes, blobGraceMs: graceMs } = limits.store;
    await collectGarbage(engine.blobs, { budgetBytes, pinned: await pinned(), graceMs, now });
  }

  async function work(): Promise<void> {
    const now = performance.now();
    const since = projection.position().sequence - projection.snapshotAt();
    if (since >= limits.store.snapshotEntries && now - triedAt >= limits.store.snapshotMs) {
      triedAt = now;
      if (await lease('snapshot', limits.store.snapshotMs)) await snapshot();
    }
    if (now - offeredAt < limits.store.upkeepMs) return;
    offeredAt = now;
    if (await lease('collect', limits.store.collectMs)) await collect();
  }

  return {
    /** Does what is due. A failure is reported, and the next run tries again. */
    run: coalesced(async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        // The store itself reports that its engine is away.
        if (isOver() || error.code === 'STORE_AWAY' || warned === error.message) return;
        warned = error.message;
        warn(`Cannot tidy up the shared store: ${error.message}`);
      }
    }),
    snapshot,
    collect,
  };
}
