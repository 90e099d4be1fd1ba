/**
 * The state of a shared log in this process. It applies entries in order and never skips one. It starts with the newest snapshot, and
 * takes a snapshot again if the entries that it needs next were removed. If the log is not the one that it knows (the engine was restored
 * or replaced), it starts again from the beginning. An entry of a newer version stops it: serving a state that it cannot understand would
 * be unsafe.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { isKey } from '../state-kinds.ts';
import type { AnyKey, StateEntry, StateWrite } from '../store.ts';
import { partsOf } from '../transaction-bytes.ts';
import { createValueMap } from '../value-map.ts';
import type { LogEngine, LogPage, LogPosition, LogSnapshot } from './log-engine.ts';

export const entryVersion = 1;

export function encodeWrites(writes: readonly StateWrite<AnyKey>[]): string {
  return JSON.stringify(writes.map(({ key, value }) => (value === undefined ? [key] : [key, value])));
}

/** The whole state as the parts of a snapshot, encoded one by one. */
export function* encodeSnapshot(entries: readonly StateEntry<AnyKey>[]): Generator<string> {
  for (const part of partsOf(entries, limits.store.snapshotPartBytes)) yield encodeWrites(part);
}

function decodeWrites(payload: string): readonly StateWrite<AnyKey>[] {
  const items: unknown = JSON.parse(payload);
  if (!Array.isArray(items)) throw new SyntaxError('not a list of writes');
  return items.map((item: unknown) => {
    const [key, value] = Array.isArray(item) ? (item as readonly JsonValue[]) : [];
    if (!isKey(key)) throw new SyntaxError('not a key');
    return { key: Object.freeze(key), value: deepFreeze(value) };
  });
}

export interface ProjectionListener {
  /** The log is another one; it is read from its beginning. */
  onReset(): void;
  /** Entries were applied. */
  onWrites(writes: readonly StateWrite<AnyKey>[]): void;
}

export function createProjection(
  engine: Pick<LogEngine, 'read' | 'readSnapshot'>,
  { onReset, onWrites }: ProjectionListener,
) {
  const map = createValueMap();
  let at: LogPosition = { epoch: '', sequence: 0, id: '' };
  let last = 0;
  let isWhole = false;
  let snapshotAt = 0;

  /** The entry that it knows was removed from the log, so that the next ones may be missing. */
  const isBehind = ({ epoch, first }: LogPage): boolean => epoch === at.epoch && first > Math.max(at.sequence, 1);

  function isContinued({ epoch, entries: [first] }: LogPage): boolean {
    if (at.epoch === '') return true;
    return epoch === at.epoch && (at.sequence === 0 || (first?.sequence === at.sequence && first.id === at.id));
  }

  function apply({ epoch, entries }: LogPage): void {
    at = { ...at, epoch };
    for (const { sequence, id, version, payload } of entries) {
      if (sequence <= at.sequence) continue;
      if (sequence !== at.sequence + 1) throw unusable(`entry ${at.sequence + 1} is missing. Restore the database.`);
      requireKnown(version, `entry ${sequence}`);
      const writes = writesOf(payload, `entry ${sequence}`);
      map.apply(writes);
      at = { epoch, sequence, id };
      onWrites(writes);
    }
  }

  /** Replaces the state with that of a snapshot. `false` if the snapshot was removed meanwhile. */
  async function load(epoch: string, { id, sequence, entry, version, parts }: LogSnapshot): Promise<boolean> {
    requireKnown(version, `the snapshot of entry ${sequence}`);
    const writes: StateWrite<AnyKey>[] = [];
    for (let part = 0; part < parts; ) {
      const payloads = await engine.readSnapshot(id, part);
      if (payloads.length === 0) return false;
      for (const payload of payloads)
        for (const write of writesOf(payload, `the snapshot of entry ${sequence}`)) writes.push(write);
      part += payloads.length;
    }
    map.clear();
    map.apply(writes);
    at = { epoch, sequence, id: entry };
    onWrites(writes);
    return true;
  }

  return {
    map,
    position: (): LogPosition => at,
    /** `false` while another log is read from its beginning: denials may be missing. */
    isWhole: (): boolean => isWhole,
    /** The number of the entry that the newest snapshot contains; 0 if there is none. */
    snapshotAt: (): number => snapshotAt,
    /** Entries that the engine has and this process has not. */
    lag: (): number => Math.max(0, last - at.sequence),
    /** Applies everything that the log has now. */
    async catchUp(): Promise<void> {
      let removed = 0;
      for (;;) {
        const page = await engine.read(at.sequence);
        if (!isBehind(page) && !isContinued(page)) {
          isWhole = false;
          map.clear();
          at = { epoch: '', sequence: 0, id: '' };
          onReset();
          continue;
        }
        last = page.last;
        const { snapshot } = page;
        snapshotAt = snapshot?.sequence ?? 0;
        if (snapshot !== undefined && snapshotAt > at.sequence && (at.sequence === 0 || isBehind(page))) {
          if (!(await load(page.epoch, snapshot)) && ++removed === limits.store.snapshotAttempts)
            throw unusable(`parts of the snapshot of entry ${snapshotAt} are missing. Restore the database.`);
          continue;
        }
        apply(page);
        if (at.sequence >= last) {
          isWhole = true;
          return;
        }
        if (page.entries.length === 0) throw unusable(`entry ${at.sequence + 1} is missing. Restore the database.`);
      }
    },
  };
}

/** @param what for people */
function requireKnown(version: number, what: string): void {
  if (version > entryVersion) throw unusable(`${what} was written by a newer Skillwire. Upgrade this server.`);
}

function writesOf(payload: string, what: string): readonly StateWrite<AnyKey>[] {
  try {
    return decodeWrites(payload);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unusable(`${what} cannot be read. Restore the database.`);
  }
}

function unusable(what: string): SkillwireError {
  return new SkillwireError('STATE_UNUSABLE', `The log of the shared store cannot be followed: ${what}`);
}
