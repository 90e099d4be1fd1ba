/** The guarantees of `state` and `index` of a store; part of `testStore()`. */
import assert from 'node:assert/strict';
import { SkillwireError } from '../errors.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { AnyKey, KeyValueStore, StateView, Store } from '../store/store.ts';
import { decisionTime, newestDecision, timeIn, timeText, tombstoneKey } from '../store/tombstones.ts';

const values: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -1.5e-9,
  '',
  'line\nbreak \u2028 \u0000 \ud83d\ude00 "quoted"',
  [],
  {},
  [1, ['two', { three: null }]],
  JSON.parse('{"__proto__":{"a":1},"constructor":"c","":""}') as JsonValue,
];

const keys: readonly (readonly string[])[] = [
  ['a'],
  ['a', ''],
  ['a', 'b'],
  ['a', 'b', 'c'],
  ['a,b'],
  ['a/b'],
  ['ab'],
  ['"a"'],
  ['__proto__'],
  ['skill://x/SKILL.md', '\u0000'],
];

const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SkillwireError && error.code === code;

async function add(store: KeyValueStore<AnyKey>, amount: number): Promise<number> {
  return store.transact((view) => {
    const sum = ((view.get(['sum']) as number | undefined) ?? 0) + amount;
    return { writes: [{ key: ['sum'], value: sum }], result: sum };
  });
}

export function valuePromises(promised: Promised, door: 'state' | 'index'): void {
  const on = (name: string, run: (values: KeyValueStore<AnyKey>, store: Store<AnyKey>) => Promise<void>): void =>
    promised(`${door}: ${name}`, ({ store }) => run(store[door], store));

  on('get() returns undefined for a key that was never set', async (store) => {
    assert.equal(await store.get(['nothing']), undefined);
    assert.deepEqual(await store.entries([]), []);
    assert.equal(await store.delete(['nothing']), false);
  });

  on('get() returns every kind of value as it was set', async (store) => {
    for (const [index, value] of values.entries()) await store.set(['value', String(index)], value);
    for (const [index, value] of values.entries()) {
      assert.equal(JSON.stringify(await store.get(['value', String(index)])), JSON.stringify(value));
    }
  });

  on('keys that look alike are different', async (store) => {
    for (const key of keys) await store.set(key, key);
    for (const key of keys) assert.deepEqual(await store.get(key), key);
    assert.equal((await store.entries([])).length, keys.length);
  });

  on('the last write wins, and a deleted value is gone', async (store) => {
    await store.set(['a'], 1);
    await store.set(['a'], 2);
    assert.equal(await store.get(['a']), 2);
    assert.equal(await store.delete(['a']), true);
    assert.equal(await store.get(['a']), undefined);
    await store.set(['a'], 3);
    assert.equal(await store.get(['a']), 3);
  });

  on('revision() is another number after each write, and the same without one', async (store) => {
    const first = await store.revision();
    assert.equal(await store.revision(), first);
    await store.set(['a'], 1);
    const second = await store.revision();
    assert.notEqual(second, first);
    await store.delete(['a']);
    assert.notEqual(await store.revision(), second);
  });

  on('entries() returns the keys below a prefix, in key order', async (store) => {
    for (const key of [['b'], ['a', 'z'], ['ab'], ['a'], ['a', 'b', 'c'], ['a', 'B']]) await store.set(key, key.join());
    const found = async (prefix: readonly string[]) => (await store.entries(prefix)).map(({ key }) => key);
    assert.deepEqual(await found(['a']), [['a'], ['a', 'B'], ['a', 'b', 'c'], ['a', 'z']]);
    assert.deepEqual(await found([]), [['a'], ['a', 'B'], ['a', 'b', 'c'], ['a', 'z'], ['ab'], ['b']]);
    assert.deepEqual(await found(['c']), []);
    await store.delete(['a', 'b', 'c']);
    await store.set(['a', 'c'], '');
    assert.deepEqual(await found(['a']), [['a'], ['a', 'B'], ['a', 'c'], ['a', 'z']]);
  });

  on('transact() writes everything, the last value for each key, and returns the result', async (store) => {
    await store.set(['gone'], 1);
    const result = await store.transact(() => ({
      writes: [
        { key: ['a'], value: 1 },
        { key: ['gone'], value: undefined },
        { key: ['a'], value: 2 },
      ],
      result: 'done',
    }));
    assert.equal(result, 'done');
    assert.deepEqual(await store.entries([]), [{ key: ['a'], value: 2 }]);
  });

  on('transact() writes nothing if it throws or if one write is impossible', async (store) => {
    const boom = new Error('boom');
    await assert.rejects(
      store.transact(() => {
        throw boom;
      }),
      boom,
    );
    const first = { key: ['a'], value: 1 };
    const notJson = (() => undefined) as unknown as JsonValue;
    for (const bad of [
      { key: [], value: 1 },
      { key: ['b'], value: notJson },
    ]) {
      await assert.rejects(
        store.transact(() => ({ writes: [first, bad], result: undefined })),
        isCode('USAGE'),
      );
    }
    assert.deepEqual(await store.entries([]), []);
    await store.set(['a'], 2);
    assert.equal(await store.get(['a']), 2);
  });

  on('transact() sees the newest values and loses none of many concurrent changes', async (store) => {
    await Promise.all(Array.from({ length: 40 }, () => add(store, 1)));
    assert.equal(await store.get(['sum']), 40);
  });

  on('callers cannot change a stored value', async (store) => {
    const value = { list: [1] };
    await store.set(['a'], value);
    value.list.push(2);
    const read = (await store.get(['a'])) as { list: number[] };
    assert.throws(() => read.list.push(3), TypeError);
    assert.deepEqual(await store.get(['a']), { list: [1] });
  });

  on('is a place of its own', async (_, store) => {
    await store[door].set(['a'], door);
    assert.equal(await store[door === 'state' ? 'index' : 'state'].get(['a']), undefined);
  });

  on('rejects every call once the store is closed', async (store, whole) => {
    await store.set(['a'], 1);
    await whole.close();
    await assert.rejects(store.get(['a']), isCode('CLOSED'));
    await assert.rejects(store.entries([]), isCode('CLOSED'));
    await assert.rejects(store.set(['a'], 2), isCode('CLOSED'));
    await assert.rejects(store.delete(['a']), isCode('CLOSED'));
    await assert.rejects(add(store, 1), isCode('CLOSED'));
  });

  promised(`${door}: acknowledged writes survive reopening`, async ({ store, openAgain }) => {
    if (openAgain === undefined) return;
    await store[door].set(['a'], 1);
    await store[door].set(['b'], 2);
    await store[door].delete(['a']);
    await store.close();
    const again = await openAgain();
    assert.deepEqual(await again[door].entries([]), [{ key: ['b'], value: 2 }]);
    await again.close();
  });

  promised(`${door}: two open stores see each other’s writes at once`, async ({ store, openAgain }) => {
    if (openAgain === undefined) return;
    const other = await openAgain();
    for (let round = 0; round < 5; round += 1) {
      await store[door].set(['a'], round);
      assert.equal(await other[door].get(['a']), round);
      await other[door].set(['b'], round);
      assert.equal(await store[door].get(['b']), round);
    }
    await Promise.all([store, other].flatMap((one) => Array.from({ length: 20 }, () => add(one[door], 1))));
    assert.equal(await store[door].get(['sum']), 40);
    await other.close();
  });
}

/** The guarantees of `follow()` of a store. */
export function followPromises(promised: Promised): void {
  const heard = async (store: Store<AnyKey>, write: () => Promise<unknown>): Promise<void> => {
    let calls = 0;
    const stop = store.state.follow(() => calls++);
    // The first scan may report the existing values.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = calls;
    await write();
    const end = Date.now() + 15_000;
    while (calls === before && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    stop();
    assert.ok(calls > before, 'a write was not reported');
    const after = calls;
    await store.state.set(['x'], 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(calls, after, 'a write was reported after the end');
  };

  promised('follow() calls back after a write of this process', ({ store }) =>
    heard(store, () => store.state.set(['x'], 1)),
  );
  promised('follow() calls back after a write of another process', async ({ store, openAgain }) => {
    if (openAgain === undefined) return;
    await store.state.set(['x'], 0);
    const other = await openAgain();
    try {
      await heard(store, () => other.state.set(['x'], 1));
    } finally {
      await other.close();
    }
  });
}

/** A store for the suite, how to open it again, and how to damage it. */
export interface StoreUnderTest {
  readonly store: Store<AnyKey>;
  /** Opens the same data again, like another process. Absent if the data lives in this process only. */
  readonly openAgain?: () => Promise<Store<AnyKey>>;
  /** Opens the same data on another machine, whose cache is empty. Absent if one machine has the data. */
  readonly openElsewhere?: () => Promise<Store<AnyKey>>;
  /** Changes a byte of the blob with this digest. */
  readonly damageBlob?: (digest: string) => Promise<void>;
  /** The connection of `store` to its engine, for a store that has one. Stores of `openAgain()` do not use it. */
  readonly link?: StoreLink;
  /** Called after each test, when the store is closed. */
  readonly cleanUp?: () => Promise<void>;
}

/** Disturbs a connection. */
export interface StoreLink {
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** The engine gets the next write, and the connection breaks before its answer. */
  loseNextAnswer(): Promise<void>;
}

/** Registers one guarantee. Each gets its own store, which is closed and cleaned up afterwards. */
export type Promised = (name: string, run: (subject: StoreUnderTest) => Promise<void>) => void;

const key: StateKey = ['approval', 'docs', 'skill://a/SKILL.md'];
const day = 86_400_000;

type State = Store<AnyKey>['state'];

async function removedAt(state: State): Promise<number> {
  return timeIn(await state.get(tombstoneKey(key)));
}

/** The guarantees of the state of a store about deleted decisions, which `withTombstones()` provides. */
export function tombstonePromises(promised: Promised): void {
  const on = (name: string, run: (state: State, openAgain?: () => Promise<Store<AnyKey>>) => Promise<void>): void =>
    promised(`state: ${name}`, ({ store, openAgain }) => run(store.state, openAgain));

  on('deleting a decision leaves a tombstone that is not earlier than it', async (state) => {
    for (const decided of [Date.now() - day, Date.now() + day]) {
      await state.set(key, { at: timeText(decided) });
      assert.equal(await state.delete(key), true);
      assert.equal(await state.get(key), undefined);
      assert.ok((await removedAt(state)) >= decided);
      assert.ok((await removedAt(state)) >= Date.now() - day / 2);
    }
  });

  on('deleting in a transaction leaves a tombstone as well, together with the other writes', async (state) => {
    await state.set(key, { at: timeText(Date.now()) });
    await state.transact(() => ({
      writes: [
        { key, value: undefined },
        { key: ['approval-before', 'docs'], value: 1 },
      ],
      result: undefined,
    }));
    assert.ok(Number.isFinite(await removedAt(state)));
    assert.equal(await state.get(['approval-before', 'docs']), 1);
  });

  on('values without a decision leave no tombstone, and neither does a missing key', async (state) => {
    await state.set(['waiting', 'docs'], 1);
    assert.equal(await state.delete(['waiting', 'docs']), true);
    assert.equal(await state.delete(key), false);
    assert.deepEqual(await state.entries(['tombstone']), []);
  });

  on('a later decision keeps the tombstone; an older value that is written anyway removes it', async (state) => {
    const old = { at: timeText(Date.now() - day) };
    await state.set(key, old);
    await state.delete(key);
    await state.set(key, { at: await decisionTime(state, key) });
    assert.ok(Number.isFinite(await removedAt(state)));
    await state.set(key, old);
    assert.deepEqual(await state.entries(['tombstone']), []);
  });

  on('the time of the newest decision is known', async (state) => {
    const newest = async (): Promise<number> => timeIn(await state.get(newestDecision));
    const first = Date.now() - day;
    await state.set(key, { at: timeText(first) });
    assert.equal(await newest(), first);
    await state.set(['deny', 'match', 'old'], { at: timeText(first - day) });
    assert.equal(await newest(), first);
    await state.delete(key);
    assert.ok((await newest()) > first);
  });

  on('tombstones survive reopening', async (state, openAgain) => {
    if (openAgain === undefined) return;
    await state.set(key, { at: timeText(Date.now()) });
    await state.delete(key);
    const again = await openAgain();
    assert.equal(await removedAt(again.state), await removedAt(state));
    await again.close();
  });

  on('a change sees the values before it, and no tombstone of its own', async (state) => {
    await state.set(key, { at: timeText(Date.now()) });
    const seen = await state.transact((view: StateView<AnyKey>) => ({
      writes: [{ key, value: undefined }],
      result: view.entries([]).map(({ key: [kind] }) => kind),
    }));
    assert.deepEqual(seen, ['approval', 'decided']);
  });
}
