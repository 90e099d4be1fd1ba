/**
 * Values by key in a journal. Each transaction is one line, so its writes appear together or not at all. Every read
 * first checks whether another process wrote.
 *
 * Damage fails closed. A line that fails verification does not count, and neither does any value that it may have
 * changed. Those are the values of the keys that it names. If no key is readable, they are all values before it,
 * because the line may have been a revocation. The damaged file is copied before it is repaired. Only a process that
 * has the lock and has read the whole file again declares it damaged.
 */
import { codeOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { StateParts } from '../assemble-store.ts';
import { isKey } from '../state-kinds.ts';
import type { AnyKey, AuditRecord, StateEntry, StateView, StateWrite, Transaction } from '../store.ts';
import { checkedWrite, createValueMap } from '../value-map.ts';
import type { FolderLock } from './folder-lock.ts';
import { journalFile } from './journal-file.ts';
import type { JournalLineFault } from './journal-lines.ts';
import type { LockGuard } from './lock-file.ts';
import { copyDamaged } from './replace-file.ts';
import { type CorruptionListener, named } from './store-failure.ts';
import type { JournalOptions } from './write-journal.ts';

export interface ValueJournalOptions extends JournalOptions {
  readonly lock: FolderLock;
  readonly onCorrupt: CorruptionListener;
  /** The name of the journal in messages. */
  readonly title: string;
  /** Whether a damaged file is copied and its valid lines are preserved. Otherwise it is replaced by an empty one. */
  readonly precious: boolean;
  /** Writes the audit of a transaction, before its values. */
  readonly appendAudit?: (records: readonly AuditRecord[], guard: LockGuard) => Promise<void>;
}

/** A write on disk: `[key, value]`, or `[key]`, which deletes. */
function encodeWrite({ key, value }: StateWrite<AnyKey>): JsonValue {
  return value === undefined ? [key] : [key, value];
}

/** `undefined` if the payload is not a list of writes. */
function decodeWrites(payload: JsonValue | undefined): readonly StateWrite<AnyKey>[] | undefined {
  if (!Array.isArray(payload)) return undefined;
  const writes: StateWrite<AnyKey>[] = [];
  for (const item of payload as readonly JsonValue[]) {
    const [key, value, ...more] = Array.isArray(item) ? (item as readonly JsonValue[]) : [];
    if (!isKey(key) || more.length > 0) return undefined;
    writes.push({ key: Object.freeze(key), value: deepFreeze(value) });
  }
  return writes;
}

export function valueJournal(options: ValueJournalOptions): StateParts {
  const { files, lock, onCorrupt, title, precious, appendAudit } = options;
  const map = createValueMap();
  let written = 0;
  /** Faults of the followed file that are not repaired yet. */
  let faults: JournalLineFault[] = [];
  /** The faults that were last reported of a file that could not be repaired. */
  let reportedFaults = '';

  const addFault = (fault: JournalLineFault): void => {
    faults.push(fault);
    const doubtful = decodeWrites(fault.payload);
    if (doubtful === undefined || doubtful.length === 0) map.clear();
    else map.apply(doubtful.map(({ key }) => ({ key, value: undefined })));
  };

  const journal = journalFile(options, {
    reset() {
      map.clear();
      faults = [];
    },
    line(payload, line) {
      const writes = decodeWrites(payload);
      if (writes === undefined) addFault({ line, reason: 'the line has no values; ignored', payload });
      else map.apply(writes);
    },
    fault: addFault,
  });

  const reportFaults = (copy: string | undefined): void => {
    const copyField = copy === undefined ? {} : { copy };
    for (const { line, reason } of faults.slice(0, limits.store.faultsReported)) {
      onCorrupt({ file: journal.path, line, reason, ...copyField });
    }
    const more = faults.length - limits.store.faultsReported;
    if (more > 0) onCorrupt({ file: journal.path, reason: `${more} more lines ignored`, ...copyField });
  };

  const payloads = (): readonly JsonValue[] => [...map.values()].map((entry) => [encodeWrite(entry)]);

  /** Requires the lock. */
  const repair = async (guard: LockGuard): Promise<void> => {
    journal.forget();
    const good = await journal.follow(() => (faults.length === 0 ? undefined : payloads()));
    if (good === undefined) return;
    const copy = precious ? await copyDamaged(files, journal.path) : undefined;
    await journal.rewrite(precious ? good : [], guard);
    reportFaults(copy);
  };

  /** Reads continue with the valid values even if the damage cannot be repaired. */
  const repairToRead = async (): Promise<void> => {
    try {
      await lock.run(repair);
    } catch (error) {
      if (!(error instanceof SkillwireError) && codeOf(error) === undefined) throw error;
      await journal.follow(() => {
        const summary = JSON.stringify(faults.map(({ line, reason }) => [line, reason]));
        if (reportedFaults !== summary) reportFaults(undefined);
        reportedFaults = summary;
      });
    }
  };

  const liveBytes = (): number => {
    let bytes = 0;
    for (const { key, value } of map.values()) bytes += JSON.stringify([key, value]).length;
    return bytes;
  };

  /** Compaction gains nothing below this size. The first check adjusts it to the live values. */
  let compactAt: number = limits.store.compactBytes;

  const compactIfWorth = async (guard: LockGuard): Promise<void> => {
    if (journal.size() <= compactAt) return;
    const worth = await journal.follow(() => {
      const size = journal.size();
      compactAt = Math.max(limits.store.compactBytes, liveBytes() * limits.store.compactFactor);
      return size <= compactAt ? undefined : payloads();
    });
    if (worth === undefined) return;
    try {
      await journal.rewrite(worth, guard);
    } catch (error) {
      // The write of the caller is on disk. The file stays long until there is space to rewrite it.
      if (!(error instanceof SkillwireError) && codeOf(error) === undefined) throw error;
      compactAt = journal.size() * limits.store.compactFactor;
    }
  };

  const transact = <T>(change: (state: StateView<AnyKey>) => Transaction<T, AnyKey>): Promise<T> =>
    named(`write ${title}`, () =>
      lock.run(async (guard) => {
        const changed = () => change({ get: map.get, entries: map.entries });
        let outcome = await journal.follow(() => (faults.length > 0 ? undefined : changed()));
        if (outcome === undefined) {
          await repair(guard);
          outcome = await journal.follow(changed);
        }
        const { writes, audit = [], result } = outcome;
        const checked = writes.map(checkedWrite);
        if (audit.length > 0) await appendAudit?.(audit, guard);
        if (checked.length > 0) {
          await journal.append(checked.map(encodeWrite), guard);
          written = map.revision();
          await compactIfWorth(guard);
        }
        return result;
      }),
    );

  const reading = <T>(read: () => T): Promise<T> =>
    named(`read ${title}`, async () => {
      const found = await journal.follow(() => (faults.length > 0 ? undefined : { value: read() }));
      if (found !== undefined) return found.value;
      await repairToRead();
      return journal.follow(read);
    });

  return {
    get: (key) => reading(() => map.get(key)),
    entries: (prefix) => reading((): readonly StateEntry<AnyKey>[] => map.entries(prefix)),
    revision: () => reading(() => map.revision()),
    set: (key, value) => transact(() => ({ writes: [{ key, value }], result: undefined })),
    delete: (key) =>
      transact((state) => {
        const known = state.get(key) !== undefined;
        return { writes: known ? [{ key, value: undefined }] : [], result: known };
      }),
    transact,
    applied: () => map.revision(),
    current: () => (faults.length === 0 && journal.isCurrent() ? map.revision() : undefined),
    written: () => written,
  };
}
