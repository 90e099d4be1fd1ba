/**
 * A store on a remote engine. Requests read the projection of this process; the engine is not on their path. Writes and barrier reads ask
 * the engine. If it is away, they fail with STORE_AWAY, and the projection serves on for a bounded time.
 */
import { coalesced } from '../../async/shared-work.ts';
import { reasonOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { assembleStore, type StateParts } from '../assemble-store.ts';
import { digestsIn, pinnedDigests } from '../collect-garbage.ts';
import type { AuditRecord, Confirmation, Member, ReadKind, Store, StoreHealth } from '../store.ts';
import { isAuditRecord } from '../store-checks.ts';
import { cachedBlobs } from './cached-blobs.ts';
import { createContact } from './contact.ts';
import type { LogEngine } from './log-engine.ts';
import { createProjection } from './projection.ts';
import { createWriter } from './shared-writer.ts';
import { createUpkeep } from './upkeep.ts';

/** The engine is away: `serve` continues for a while, `strict` refuses as soon as the lease has run out. */
export type WhenAway = 'serve' | 'strict';

/** The cache of this machine. */
export interface LocalCache extends Pick<Store, 'index' | 'blobs' | 'close'> {
  /** Called once. The returned blobs are never evicted. */
  readonly spare?: (pinned: () => Promise<ReadonlySet<string>>) => void;
}

export interface SharedStoreOptions {
  readonly kind: StoreHealth['kind'];
  /** For people. */
  readonly place: string;
  readonly engine: LogEngine;
  /** The store of this machine: the index of the cache, and blobs that were read before. */
  readonly local: LocalCache;
  readonly whenAway: WhenAway;
  /** How long a server serves without the engine, after its lease. */
  readonly awayMs: number;
  /** Gets lines for the operator. */
  readonly warn: (message: string) => void;
}

/** Catches up before it returns, so nobody reads an old state. */
export async function sharedStore(options: SharedStoreOptions): Promise<Store> {
  const { kind, place, engine, local, whenAway, awayMs, warn } = options;
  const projection = createProjection(engine, {
    onReset: () =>
      warn('The database is not the one that this process knew: it was restored or replaced. The state is read again.'),
    onWrites(writes) {
      if (member !== undefined) copyBlobs(digestsIn(writes.map(({ value = null }) => value)));
    },
  });
  const servesMs = limits.store.leaseMs + (whenAway === 'strict' ? 0 : awayMs);
  const contact = createContact({ servesMs, report: warn });
  const blobs = cachedBlobs(engine.blobs, local.blobs, contact, warn);
  const pinned = async (): Promise<ReadonlySet<string>> =>
    pinnedDigests({ entries: async (prefix) => map.entries(prefix) });
  local.spare?.(pinned);
  const watchers = new Set<() => void>();
  const { map } = projection;
  let member: { readonly id: string; readonly version: string } | undefined;
  let renewed = -1;

  const barrier = coalesced(async (): Promise<void> => {
    const before = map.revision();
    await contact.during(() => projection.catchUp());
    if (map.revision() !== before) for (const watcher of [...watchers]) watcher();
  });

  /** Announces what this member has applied. */
  const renew = coalesced(async (): Promise<void> => {
    if (member === undefined) return;
    const applied = projection.position().sequence;
    const { id, version } = member;
    await contact.renewal(() => engine.renew({ instance, id, version, applied, servesMs }), barrier);
    renewed = applied;
  });

  const instance = crypto.randomUUID();
  /** The tasks that this process does, and when each lease was last renewed. */
  const led = new Map<string, number>();

  async function leads(task: string): Promise<boolean> {
    const begun = performance.now();
    const renewedAt = led.get(task);
    if (renewedAt !== undefined && begun - renewedAt < limits.store.taskMs / 3) return true;
    led.delete(task);
    const isLeading = await contact.during(() => engine.lease(`task ${task}`, instance, limits.store.taskMs));
    if (isLeading) led.set(task, begun);
    return isLeading;
  }

  let isClosed = false;
  /** Work that the next beat tries again. `health()`, the log and every write report its failures. */
  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!(error instanceof SkillwireError)) warn(reasonOf(error));
    });
  }
  function copyBlobs(digests: ReadonlySet<string>): void {
    inBackground(blobs.copy(digests));
  }
  async function beat(): Promise<void> {
    await barrier();
    await renew();
    if (member === undefined || isClosed) return;
    for (const task of led.keys()) inBackground(leads(task).then(() => undefined));
    inBackground(blobs.upkeep(false));
    inBackground(upkeep.run());
  }
  const upkeep = createUpkeep({ engine, projection, barrier, pinned, isOver: () => isClosed, warn });
  function onWake(): void {
    if (!isClosed) inBackground(beat());
  }
  await barrier();
  const timer = setInterval(onWake, limits.store.renewMs);
  (timer as { unref?: () => void }).unref?.();
  const unlisten = engine.listen(onWake);
  watchers.add(() => {
    if (member !== undefined && projection.position().sequence !== renewed) onWake();
  });

  async function fresh(read: ReadKind = 'barrier'): Promise<void> {
    if (read === 'barrier') await barrier();
    else {
      contact.requireServing();
      if (!projection.isWhole()) await barrier();
    }
  }

  const { transact, appendAudit, written } = createWriter({ engine, projection, contact, barrier, blobs });

  const state: StateParts = {
    async get(key, read) {
      await fresh(read);
      return map.get(key);
    },
    async entries(prefix, read) {
      await fresh(read);
      return map.entries(prefix);
    },
    async revision(read) {
      await fresh(read);
      return map.revision();
    },
    set: (key, value) => transact(() => ({ writes: [{ key, value }], result: undefined })),
    delete: (key) =>
      transact((view) => {
        const known = view.get(key) !== undefined;
        return { writes: known ? [{ key, value: undefined }] : [], result: known };
      }),
    transact,
    applied: () => projection.position().sequence,
    current: () => (contact.health().serves && projection.isWhole() ? map.revision() : undefined),
    written,
  };

  async function confirm(sequence: number, deadlineMs: number): Promise<Confirmation> {
    const end = performance.now() + deadlineMs;
    for (;;) {
      const members = await contact.during(() => engine.members());
      const missing = members.filter(({ applied }) => applied < sequence);
      const confirmed = members.filter(({ applied }) => applied >= sequence);
      if (missing.length === 0 || performance.now() >= end) return { confirmed, missing };
      await new Promise((resolve) => setTimeout(resolve, limits.store.confirmPollMs));
    }
  }

  const store = assembleStore(
    {
      kind,
      place,
      blobs,
      state,
      index: local.index,
      audit: {
        append: (record) => appendAudit(record),
        async *read() {
          for (let after = 0; ; ) {
            const page = await contact.during(() => engine.readAudit(after));
            if (page.length === 0) return;
            for (const { position, record } of page) {
              after = position;
              const value: unknown = JSON.parse(record);
              if (isAuditRecord(value as never)) yield value as AuditRecord;
            }
          }
        },
      },
      watch(onEvent) {
        watchers.add(onEvent);
        return () => watchers.delete(onEvent);
      },
      shared: {
        members: {
          async join({ id, version }) {
            // This machine gets the bytes of every approval before it counts as ready, also of those that are read while it joins.
            await barrier();
            await blobs.copy(await pinned());
            member = { id, version };
            await renew();
            await blobs.copy([]);
          },
          leads,
          list: (): Promise<readonly Member[]> => contact.during(() => engine.members()),
        },
        temporary: {
          set: (key, value, ms) => contact.during(() => engine.temporary.set(key, value, ms)),
          get: (key) => contact.during(() => engine.temporary.get(key)),
          delete: (key) => contact.during(() => engine.temporary.delete(key)),
        },
        confirm,
        health: () => ({ kind, lag: projection.lag(), ...contact.health() }),
      },
    },
    async () => {
      isClosed = true;
      clearInterval(timer);
      unlisten();
      await barrier()
        .then(() => blobs.upkeep(true))
        .catch(() => undefined);
      contact.leave();
      // A member that cannot say goodbye expires, and its leases too.
      const mustLeave = member !== undefined || led.size > 0;
      member = undefined;
      // A renewal that runs would announce it again.
      await renew().catch(() => undefined);
      if (mustLeave) await engine.leave(instance).catch(() => undefined);
      await engine.close();
      await local.close();
    },
  );
  return { ...store, place };
}
