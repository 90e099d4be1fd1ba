/** The guarantees of a store's log and members: order, confirmation, expiry, and an engine that goes away; part of `testStore()`. */
import assert from 'node:assert/strict';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { collectGarbage } from '../store/collect-garbage.ts';
import type { AnyKey, AuditRecord, StateChange, Store } from '../store/store.ts';
import type { Promised } from './test-store-values.ts';

const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SkillwireError && error.code === code;

const record = (action: string): AuditRecord => ({ at: '2026-07-28T00:00:00.000Z', action });

async function actions(store: Store<AnyKey>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { action } of store.audit.read()) found.push(action);
  return found;
}

async function until(isReached: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isReached())) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function logPromises(promised: Promised): void {
  promised('current() is the revision of a read, or undefined if only a read can tell', async ({ store }) => {
    const before = await store.state.revision();
    assert.ok([undefined, before].includes(store.state.current()), 'it differs from a read');
    await store.state.set(['x'], 1);
    assert.notEqual(store.state.current(), before, 'it is older than a write');
    const after = await store.state.revision();
    assert.ok([undefined, after].includes(store.state.current()), 'it differs from a read after a write');
  });

  promised('follow() reports every entry in order and without gaps', async ({ store, openAgain, link }) => {
    const changes: StateChange[] = [];
    const other = (await openAgain?.()) ?? store;
    const stop = store.state.follow((change) => changes.push(change));
    const first = store.state.applied();
    for (let round = 0; round < 5; round += 1) await other.state.set(['a'], round);
    await link?.cut();
    if (link !== undefined) for (let round = 5; round < 10; round += 1) await other.state.set(['a'], round);
    await link?.restore();
    await store.state.set(['b'], 1);
    const last = store.state.written();
    await until(() => (changes.at(-1)?.sequence ?? 0) >= last, 'the last entry was not reported');
    stop();
    assert.ok(store.state.applied() >= last);
    for (const [index, { after, sequence }] of changes.entries()) {
      assert.ok(sequence >= after, `${sequence} after ${after}`);
      if (index > 0) assert.equal(after, changes[index - 1]?.sequence);
    }
    assert.ok((changes[0]?.after ?? 0) <= first);
    if (other !== store) await other.close();
  });

  promised('a write is applied by its own store before it is acknowledged', async ({ store }) => {
    for (let round = 0; round < 3; round += 1) {
      const before = store.state.written();
      await store.state.set(['a'], round);
      assert.ok(store.state.written() > before);
      assert.ok(store.state.applied() >= store.state.written());
      assert.equal(await store.state.get(['a'], 'projection'), round);
    }
  });

  promised('transact() writes its audit records with the values, or neither', async ({ store, openAgain }) => {
    await store.state.transact(() => ({
      writes: [{ key: ['a'], value: 1 }],
      audit: [record('first'), record('second')],
      result: undefined,
    }));
    await store.state.transact(() => ({ writes: [], audit: [record('third')], result: undefined }));
    const bad = { action: 'no time' } as AuditRecord;
    await assert.rejects(
      store.state.transact(() => ({ writes: [{ key: ['a'], value: 2 }], audit: [bad], result: undefined })),
      isCode('USAGE'),
    );
    await assert.rejects(
      store.state.transact(() => ({ writes: [{ key: [], value: 2 }], audit: [record('fourth')], result: undefined })),
      isCode('USAGE'),
    );
    const other = (await openAgain?.()) ?? store;
    assert.deepEqual(await actions(other), ['first', 'second', 'third']);
    assert.equal(await other.state.get(['a']), 1);
    if (other !== store) await other.close();
  });

  promised('temporary values expire, and one of several callers deletes one', async ({ store, openElsewhere }) => {
    const { temporary } = store;
    await temporary.set(['a', 'b'], { some: 'value' }, 60_000);
    await temporary.set(['a', 'c'], 1, 1);
    assert.deepEqual(await temporary.get(['a', 'b']), { some: 'value' });
    await until(async () => (await temporary.get(['a', 'c'])) === undefined, 'the value did not expire');
    assert.equal(await temporary.delete(['a', 'c']), false);
    const other = await openElsewhere?.();
    if (other !== undefined) assert.deepEqual(await other.temporary.get(['a', 'b']), { some: 'value' });
    const deleted = await Promise.all([store, other ?? store, store].map((one) => one.temporary.delete(['a', 'b'])));
    assert.equal(deleted.filter(Boolean).length, 1);
    assert.equal(await temporary.get(['a', 'b']), undefined);
    assert.deepEqual(await store.state.entries([]), []);
    await other?.close();
  });

  promised('transact() refuses more bytes than a transaction may have', async ({ store }) => {
    const value = 'x'.repeat(limits.store.transactionBytes);
    await assert.rejects(store.state.set(['a'], value), isCode('LIMIT_EXCEEDED'));
    await assert.rejects(
      store.state.transact(() => ({
        writes: [
          { key: ['a'], value: value.slice(value.length / 2) },
          { key: ['b'], value: value.slice(value.length / 2) },
        ],
        result: undefined,
      })),
      isCode('LIMIT_EXCEEDED'),
    );
    assert.deepEqual(await store.state.entries([]), []);
    await store.state.set(['a'], value.slice(1000));
  });

  promised('confirm() names the members that have applied an entry', async ({ store }) => {
    assert.deepEqual(await store.members.list(), []);
    await store.members.join({ id: 'one', version: '1.0.0' });
    await store.state.set(['a'], 1);
    const { confirmed, missing } = await store.confirm(store.state.written(), 60_000);
    assert.deepEqual([confirmed.map(({ id }) => id), missing], [['one'], []]);
    const [member] = await store.members.list();
    assert.ok(member?.live === true && member.applied >= store.state.written());
  });

  promised('a member leaves when its store is closed', async ({ store, openAgain, link }) => {
    if (openAgain === undefined || link === undefined) return;
    const other = await openAgain();
    await store.members.join({ id: 'one', version: '1.0.0' });
    await other.members.join({ id: 'two', version: '1.0.0' });
    assert.deepEqual(
      (await store.members.list()).map(({ id }) => id),
      ['one', 'two'],
    );
    await other.close();
    assert.deepEqual(
      (await store.members.list()).map(({ id }) => id),
      ['one'],
    );
  });

  promised(
    'a member that is not heard does not confirm, and its lease runs out',
    async ({ store, openAgain, link }) => {
      if (openAgain === undefined || link === undefined) return;
      const other = await openAgain();
      await store.members.join({ id: 'one', version: '1.0.0' });
      await other.members.join({ id: 'two', version: '1.0.0' });
      await link.cut();
      await other.state.set(['a'], 1);
      // However long the other member takes on a busy machine, the one that is cut off never confirms.
      await until(async () => {
        const { confirmed } = await other.confirm(other.state.written(), 200);
        assert.ok(!confirmed.some(({ id }) => id === 'one'));
        return confirmed.some(({ id }) => id === 'two');
      }, 'the other member did not confirm');
      const isLive = async (): Promise<boolean> =>
        (await other.members.list()).find(({ id }) => id === 'one')?.live ?? false;
      await until(async () => !(await isLive()), 'the lease did not run out');
      await link.restore();
      await until(isLive, 'the member did not come back');
      const again = await other.confirm(other.state.written(), 60_000);
      assert.deepEqual([again.confirmed.length, again.missing], [2, []]);
      await other.close();
    },
  );

  promised('an engine that is away refuses writes, and reads continue until it is back', async ({ store, link }) => {
    if (link === undefined) return;
    await store.state.set(['a'], 1);
    assert.equal(store.health().away, undefined);
    await link.cut();
    await assert.rejects(store.state.set(['a'], 2), isCode('STORE_AWAY'));
    await assert.rejects(store.state.get(['a']), isCode('STORE_AWAY'));
    await assert.rejects(store.audit.append(record('lost')), isCode('STORE_AWAY'));
    assert.equal(await store.state.get(['a'], 'projection'), 1);
    assert.ok(store.health().away !== undefined);
    await link.restore();
    await until(() => store.health().away === undefined, 'the engine did not come back');
    await store.state.set(['a'], 3);
    assert.equal(await store.state.get(['a']), 3);
    assert.deepEqual(await actions(store), []);
  });

  promised('a write whose answer is lost takes effect once', async ({ store, link }) => {
    if (link === undefined) return;
    for (let round = 1; round <= 3; round += 1) {
      await link.loseNextAnswer();
      const sum = await store.state.transact((view) => {
        const next = ((view.get(['sum']) as number | undefined) ?? 0) + 1;
        return { writes: [{ key: ['sum'], value: next }], audit: [record(`add-${next}`)], result: next };
      });
      assert.equal(sum, round);
      assert.equal(await store.state.get(['sum']), round);
    }
    assert.deepEqual(await actions(store), ['add-1', 'add-2', 'add-3']);
  });

  promised('blobs: young ones are not collected', async ({ store: { blobs } }) => {
    const bytes = new TextEncoder().encode('about to be named');
    const digest = await sha256Digest(bytes);
    await blobs.put(digest, bytes);
    assert.equal((await collectGarbage(blobs, { budgetBytes: 0, pinned: new Set(), graceMs: 3_600_000 })).removed, 0);
    assert.equal(await blobs.delete(digest, Date.now() - 3_600_000), false);
    assert.equal(await blobs.has(digest), true);
    assert.equal(await blobs.delete(digest, Date.now() + 3_600_000), true);
  });
}
