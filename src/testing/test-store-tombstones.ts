/** What the state of a store promises about decisions that are deleted; part of `testStore()`. `withTombstones()` keeps these promises. */
import assert from 'node:assert/strict';
import type { StateKey } from '../store/state-kinds.ts';
import type { AnyKey, StateView, Store } from '../store/store.ts';
import { decisionTime, newestDecision, timeIn, timeText, tombstoneKey } from '../store/tombstones.ts';
import type { Promised } from './store-under-test.ts';

const key: StateKey = ['approval', 'docs', 'skill://a/SKILL.md'];
const day = 86_400_000;

type State = Store<AnyKey>['state'];

async function removedAt(state: State): Promise<number> {
  return timeIn(await state.get(tombstoneKey(key)));
}

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

  on('values that nobody decided leave none, and neither does a key without a value', async (state) => {
    await state.set(['waiting', 'docs'], 1);
    assert.equal(await state.delete(['waiting', 'docs']), true);
    assert.equal(await state.delete(key), false);
    assert.deepEqual(await state.entries(['tombstone']), []);
  });

  on('a later decision keeps the tombstone, an older value that is written all the same lifts it', async (state) => {
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

  on('tombstones are there when the data is opened again', async (state, openAgain) => {
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
