/**
 * Deleting a decision leaves a tombstone: a value under `['tombstone', ...key]` with the time of the removal. It
 * revokes every value of that key that was decided until then. Tombstones are ordinary values: compaction, exports and
 * imports preserve them. Above a limit the oldest are deleted; the audit still has those removals.
 *
 * Decisions are ordered by time. A decision is never earlier than the one that it changes (`decisionTime`), so setting
 * back the clock of this machine does not change the order. Between machines, the later clock wins.
 *
 * `['decided']` has the time of the newest decision in this state. If the audit has a later one, the state is an old
 * copy.
 */
import { limits } from '../limits.ts';
import type { JsonValue } from '../skill/entry.ts';
import { decidedAt, decidedRow, fieldOf, readTime, type StateKey } from './state-kinds.ts';
import type { AnyKey, KeyValueStore, StateView, StateWrite } from './store.ts';

const never = Number.NEGATIVE_INFINITY;
/** The latest possible date. */
const endOfTime = 8.64e15;

export const newestDecision = ['decided'] as const satisfies StateKey;
export const tombstoneKey = (key: AnyKey): StateKey => ['tombstone', ...key];

/** The time in the value of a tombstone or of the newest decision. An unreadable one fails closed: it counts as the latest. */
export function timeIn(value: JsonValue | undefined): number {
  return value === undefined ? never : readTime(fieldOf(value, 'at'), endOfTime);
}

export function timeValue(at: number): JsonValue {
  return { version: 1, at: timeText(at) };
}

export function timeText(at: number): string {
  return new Date(Math.min(at, endOfTime)).toISOString();
}

/** Whether a removal at one time revokes a value of the key that was decided at another. */
export function revokes(key: AnyKey, removed: number, decided: number): boolean {
  return removed > never && (decidedRow(key)?.once === true || decided <= removed);
}

/** The time of a new decision about a key: now, but later than every stored decision about the key. */
export async function decisionTime(
  state: Pick<KeyValueStore, 'get'>,
  key: StateKey,
  now: number = Date.now(),
): Promise<string> {
  return timeText(laterThan(now, decidedAt(key, await state.get(key)), timeIn(await state.get(tombstoneKey(key)))));
}

function laterThan(now: number, ...known: readonly number[]): number {
  return Math.max(now, ...known.map((at) => at + 1));
}

/** A state in which no decision can be deleted without a tombstone. */
export function withTombstones(state: KeyValueStore<AnyKey>, now: () => number = Date.now): KeyValueStore {
  const decided = state as KeyValueStore;
  const transact: KeyValueStore['transact'] = (change) =>
    decided.transact((view) => {
      const { writes, ...rest } = change(view);
      return { writes: completed(view, writes, now()), ...rest };
    });
  return {
    get: decided.get,
    entries: decided.entries,
    revision: decided.revision,
    transact,
    set: (key, value) =>
      decidedRow(key) === undefined
        ? decided.set(key, value)
        : transact(() => ({ writes: [{ key, value }], result: undefined })),
    delete: (key) =>
      decidedRow(key) === undefined
        ? decided.delete(key)
        : transact((view) => ({ writes: [{ key, value: undefined }], result: view.get(key) !== undefined })),
  };
}

/** Adds the tombstones that the writes leave or lift, and the time of the newest decision. */
function completed(view: StateView, writes: readonly StateWrite[], now: number): readonly StateWrite[] {
  const decisions = writes.filter(({ key }) => decidedRow(key) !== undefined);
  const imported = writes.filter(({ key }) => key[0] === 'tombstone');
  if (decisions.length === 0 && imported.length === 0) return writes;
  const written = new Set(writes.map(({ key }) => nameOf(key)));
  const stones = new Map<string, StateWrite>();
  const values = new Map<string, JsonValue | undefined>();
  const before = timeIn(view.get(newestDecision));
  let newest = before;
  for (const { key, value } of decisions) {
    const name = nameOf(key);
    const stone = tombstoneKey(key);
    const removed = timeIn(stones.has(name) ? stones.get(name)?.value : view.get(stone));
    const known = values.has(name) ? values.get(name) : view.get(key);
    values.set(name, value);
    const at = value === undefined ? laterThan(now, decidedAt(key, known), removed) : decidedAt(key, value);
    newest = Math.max(newest, at);
    // An import also writes the tombstone of the other state.
    if (written.has(nameOf(stone))) continue;
    if (value !== undefined) {
      // A value that is written now was decided after its removal.
      if (revokes(key, removed, decidedAt(key, value))) stones.set(name, { key: stone, value: undefined });
    } else if (known !== undefined) stones.set(name, { key: stone, value: timeValue(at) });
  }
  const stamped = newest > before && !written.has(nameOf(newestDecision));
  return [
    ...writes,
    ...stones.values(),
    ...removedTombstones(view, [...imported, ...stones.values()]),
    ...(stamped ? [{ key: newestDecision, value: timeValue(newest) }] : []),
  ];
}

/** Removes the oldest tombstones above the limit. */
function removedTombstones(view: StateView, stones: readonly StateWrite[]): readonly StateWrite[] {
  if (!stones.some(({ value }) => value !== undefined)) return [];
  const all = new Map<string, StateWrite>(view.entries(['tombstone']).map((entry) => [nameOf(entry.key), entry]));
  for (const stone of stones) {
    if (stone.value === undefined) all.delete(nameOf(stone.key));
    else all.set(nameOf(stone.key), stone);
  }
  const many = all.size - limits.store.tombstones;
  if (many <= 0) return [];
  const oldest = [...all.values()].sort((a, b) => timeIn(a.value) - timeIn(b.value)).slice(0, many);
  return oldest.map(({ key }) => ({ key, value: undefined }));
}

function nameOf(key: AnyKey): string {
  return JSON.stringify(key);
}
