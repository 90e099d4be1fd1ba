/**
 * Writes to the log of an engine, one transaction at a time. A write whose answer is lost is looked up by its id before it is tried again,
 * so it takes effect at most once.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { digestsIn } from '../collect-garbage.ts';
import type { AnyKey, AuditRecord, KeyValueStore, StateWrite, Transaction } from '../store.ts';
import { checkedRecord } from '../store-checks.ts';
import { checkedWrite } from '../value-map.ts';
import type { CachedBlobs } from './cached-blobs.ts';
import type { Contact } from './contact.ts';
import type { LogEngine, LogPosition } from './log-engine.ts';
import { type createProjection, encodeWrites, entryVersion } from './projection.ts';

export interface WriterOptions {
  readonly engine: Pick<LogEngine, 'append' | 'find' | 'appendAudit'>;
  readonly projection: Pick<ReturnType<typeof createProjection>, 'map' | 'position'>;
  readonly contact: Pick<Contact, 'during'>;
  /** Applies everything that the log has. */
  readonly barrier: () => Promise<void>;
  readonly blobs: Pick<CachedBlobs, 'claim'>;
}

/** A transaction that was computed from the state at a position. */
interface Attempt extends Transaction<unknown, AnyKey> {
  readonly last: LogPosition;
}

export function createWriter({ engine, projection, contact, barrier, blobs }: WriterOptions) {
  const { map } = projection;
  let written = 0;

  /** Tries again while the engine is away, for a moment: a broken connection is replaced at once. */
  async function persistently<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
    const end = performance.now() + limits.store.retryMs;
    for (let turn = 0; ; turn += 1) {
      try {
        return await attempt(turn > 0);
      } catch (error) {
        const isAway = error instanceof SkillwireError && error.code === 'STORE_AWAY';
        if (!isAway || performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, limits.store.retryPauseMs));
      }
    }
  }

  async function write<T>(change: Parameters<KeyValueStore<AnyKey>['transact']>[0]): Promise<T> {
    const id = crypto.randomUUID();
    /** Results by the sequence number that their entry would have. */
    const results = new Map<number, unknown>();
    const acknowledge = (sequence: number): T => {
      written = Math.max(written, sequence);
      return results.get(sequence) as T;
    };
    const claimed = new Set<string>();
    const run = async (): Promise<Attempt> => {
      const seen = map.revision();
      const attempt = (): Attempt => {
        const made = change({ get: map.get, entries: map.entries });
        const audit = made.audit?.map(checkedRecord) ?? [];
        return { ...made, writes: made.writes.map(checkedWrite), audit, last: projection.position() };
      };
      let made: Attempt | undefined;
      let failure: unknown;
      try {
        made = attempt();
      } catch (error) {
        failure = error;
      }
      // Entries of others are noticed when the entry is appended. Without one, they must be asked for.
      if (made !== undefined && made.writes.length > 0) return made;
      await barrier();
      if (map.revision() !== seen) return attempt();
      if (made === undefined) throw failure;
      return made;
    };
    /** Blobs that the values name are stored and spared before somebody can read the values. */
    const claim = async (writes: readonly StateWrite<AnyKey>[]): Promise<void> => {
      const named = digestsIn(writes.flatMap(({ key, value }) => (value === undefined ? [] : [[...key], value])));
      const others = [...named].filter((digest) => !claimed.has(digest));
      for (const digest of others) claimed.add(digest);
      await blobs.claim(others);
    };
    return persistently(async (isRetry) => {
      for (let conflicts = 0; conflicts < limits.store.conflicts; conflicts += 1) {
        if (isRetry || conflicts > 0) {
          await barrier();
          const found = results.size > 0 ? await contact.during(() => engine.find(id)) : undefined;
          if (found !== undefined) {
            await barrier();
            return acknowledge(found);
          }
        }
        const { last, writes, audit = [], result } = await run();
        if (writes.length === 0) {
          for (const [index, record] of audit.entries()) await appendRecord(auditId(id, index), record);
          return result as T;
        }
        await claim(writes);
        results.set(last.sequence + 1, result);
        const entry = {
          id,
          version: entryVersion,
          payload: encodeWrites(writes),
          audit: audit.map((one) => JSON.stringify(one)),
        };
        const sequence = await contact.during(() => engine.append(last, entry));
        if (sequence === undefined) continue;
        // Others may have written since; the projection applies everything in order.
        await barrier();
        return acknowledge(sequence);
      }
      throw new SkillwireError(
        'STATE_LOCKED',
        `Cannot write to the shared store: other servers were faster ${limits.store.conflicts} times. Try again.`,
      );
    });
  }

  let turn: Promise<unknown> = Promise.resolve();
  const transact: KeyValueStore<AnyKey>['transact'] = (change) => {
    const result = turn.then(() => write(change));
    turn = result.catch(() => undefined);
    return result as never;
  };

  async function appendRecord(id: string, record: AuditRecord): Promise<void> {
    const text = JSON.stringify(checkedRecord(record));
    await persistently(() => contact.during(() => engine.appendAudit(id, text)));
  }

  return {
    transact,
    /** One record that belongs to no write. */
    appendAudit: (record: AuditRecord): Promise<void> => appendRecord(auditId(crypto.randomUUID(), 0), record),
    /** The sequence number of the last entry of this process. */
    written: (): number => written,
  };
}

const auditId = (id: string, index: number): string => `${id}/${index}`;
