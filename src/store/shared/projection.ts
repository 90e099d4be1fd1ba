/**
 * The state of a shared log in this process. It applies entries in order and never skips one. If the log is not the one that it knows (the
 * engine was restored or replaced), it starts again from the beginning. An entry of a newer version stops it: serving a state that it
 * cannot understand would be unsafe.
 */
import { SkillwireError } from '../../errors.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { isKey } from '../state-kinds.ts';
import type { AnyKey, StateWrite } from '../store.ts';
import { createValueMap } from '../value-map.ts';
import type { LogEngine, LogPage, LogPosition } from './log-engine.ts';

export const entryVersion = 1;

export function encodeWrites(writes: readonly StateWrite<AnyKey>[]): string {
  return JSON.stringify(writes.map(({ key, value }) => (value === undefined ? [key] : [key, value])));
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

export function createProjection(engine: Pick<LogEngine, 'read'>, { onReset, onWrites }: ProjectionListener) {
  const map = createValueMap();
  let at: LogPosition = { epoch: '', sequence: 0, id: '' };
  let last = 0;
  let isWhole = false;

  function isContinued({ epoch, entries: [first] }: LogPage): boolean {
    if (at.epoch === '') return true;
    return epoch === at.epoch && (at.sequence === 0 || (first?.sequence === at.sequence && first.id === at.id));
  }

  function apply({ epoch, entries }: LogPage): void {
    at = { ...at, epoch };
    for (const { sequence, id, version, payload } of entries) {
      if (sequence <= at.sequence) continue;
      if (sequence !== at.sequence + 1) throw unusable(`entry ${at.sequence + 1} is missing. Restore the database.`);
      if (version > entryVersion)
        throw unusable(`entry ${sequence} was written by a newer Skillwire. Upgrade this server.`);
      const writes = writesOf(sequence, payload);
      map.apply(writes);
      at = { epoch, sequence, id };
      onWrites(writes);
    }
  }

  return {
    map,
    position: (): LogPosition => at,
    /** `false` while another log is read from its beginning: denials may be missing. */
    isWhole: (): boolean => isWhole,
    /** Entries that the engine has and this process has not. */
    lag: (): number => Math.max(0, last - at.sequence),
    /** Applies everything that the log has now. */
    async catchUp(): Promise<void> {
      for (;;) {
        const page = await engine.read(at.sequence);
        if (!isContinued(page)) {
          isWhole = false;
          map.clear();
          at = { epoch: '', sequence: 0, id: '' };
          onReset();
          continue;
        }
        last = page.last;
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

function writesOf(sequence: number, payload: string): readonly StateWrite<AnyKey>[] {
  try {
    return decodeWrites(payload);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unusable(`entry ${sequence} cannot be read. Restore the database.`);
  }
}

function unusable(what: string): SkillwireError {
  return new SkillwireError('STATE_UNUSABLE', `The log of the shared store cannot be followed: ${what}`);
}
