import { expect, test } from 'vitest';
import { sha256Digest } from '../skill/digest.ts';
import { memoryStore } from './memory-store.ts';
import { moveState, requireWhole } from './move-state.ts';
import type { StateKey } from './state-kinds.ts';
import type { AuditRecord, Store } from './store.ts';

const at = '2026-11-16T00:00:00.000Z';
const options = () => ({ at, user: 'ada', signal: new AbortController().signal });
const denial = ['deny', 'match', 'tools/*'] as const satisfies StateKey;

/** Decisions, a removed one, an old value without a time, files, and an audit. */
async function filled(): Promise<Store> {
  const store = { ...memoryStore(), place: 'a' };
  const bytes = new TextEncoder().encode('Do it.');
  const digest = await sha256Digest(bytes);
  await store.blobs.put(digest, bytes);
  await store.state.set(['pinned', 'docs', 'skill://a/SKILL.md'], { digest, pinnedAt: at });
  await store.state.set(['token', 'alice'], { addedAt: at });
  await store.state.set(['token', 'bob'], { addedAt: at });
  await store.state.delete(['token', 'bob']);
  await store.state.set(denial, { at });
  await store.state.set(['approval-before', 'docs', 'x'], 1);
  await store.state.set(['trust', '/home/ada/skillwire.json'], { at });
  for (let index = 0; index < 3_000; index += 1)
    await store.audit.append({ at, action: 'approve', by: 'person', data: { index, more: 'x'.repeat(100) } });
  return store;
}

const empty = (): Store => ({ ...memoryStore(), place: 'b' });

async function recordsOf({ audit }: Store): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of audit.read()) records.push(record);
  return records;
}

const moved = async ({ state }: Store) =>
  (await state.entries([])).filter(({ key }) => key[0] !== 'trust' && key[0] !== 'moving');

async function expectMoved(from: Store, to: Store): Promise<void> {
  expect(await moved(to)).toEqual(await moved(from));
  const [old, own] = [await recordsOf(from), await recordsOf(to)];
  expect(own.slice(0, -1)).toEqual(old);
  expect(own.at(-1)).toMatchObject({ action: 'move-state', data: { user: 'ada', audit: old.length } });
  const [{ value } = { value: {} }] = await to.state.entries(['pinned']);
  const { digest } = value as { digest: string };
  expect(await to.blobs.get(digest)).toEqual(await from.blobs.get(digest));
  await requireWhole(to);
}

test('a move copies values, tombstones, the audit in order, and the files, but not the trust of a machine', async () => {
  const [from, to] = [await filled(), empty()];
  const before = await from.state.entries([]);
  const result = await moveState(from, to, options());
  expect(result).toMatchObject({ audit: 3_000, blobs: 1, resumed: false });
  await expectMoved(from, to);
  expect(await to.state.entries(['trust'])).toEqual([]);
  expect(await from.state.entries([])).toEqual(before);
  // A token that was revoked before stays revoked.
  expect(await to.state.get(['tombstone', 'token', 'bob'])).toBeDefined();
});

test.each([1, 2, 3, 4, 5])('a move that dies after write %i is completed by the next one', async (writes) => {
  const [from, to] = [await filled(), empty()];
  let count = 0;
  const dying: Store = {
    ...to,
    state: {
      ...to.state,
      transact: (change) => (++count > writes ? Promise.reject(new Error('killed')) : to.state.transact(change)),
    },
  };
  await expect(moveState(from, dying, options())).rejects.toThrow('killed');
  await expect(requireWhole(to)).rejects.toMatchObject({
    code: 'STATE_UNUSABLE',
    message: expect.stringContaining('Run it again'),
  });
  // Meanwhile, somebody revokes what may have been copied.
  await from.state.delete(['token', 'alice']);
  const result = await moveState(from, to, options());
  expect(result.resumed).toBe(true);
  await expectMoved(from, to);
});

test('restrictions are there before anything is granted', async () => {
  const [from, to] = [await filled(), empty()];
  const seen: boolean[] = [];
  const watched: Store = {
    ...to,
    state: {
      ...to.state,
      async transact(change) {
        const result = await to.state.transact(change);
        const granted = (await to.state.get(['token', 'alice'])) !== undefined;
        seen.push(!granted || (await to.state.get(denial)) !== undefined);
        return result;
      },
    },
  };
  await moveState(from, watched, options());
  expect(seen).not.toContain(false);
});

test.each<[string, (to: Store) => Promise<unknown>, RegExp]>([
  ['has a value', ({ state }) => state.set(denial, { at }), /"b" is not empty/],
  ['has an audit', ({ audit }) => audit.append({ at, action: 'x' }), /"b" is not empty/],
  [
    'is the target of another move',
    ({ state }) => state.set(['moving'], { source: 'x' }),
    /another state was being moved/,
  ],
  ['has a server', ({ members }) => members.join({ id: 'pod-a', version: '1' }), /servers use "b": pod-a\. Stop them/],
])('a target that %s is refused and unchanged', async (_, prepare, message) => {
  const [from, to] = [await filled(), empty()];
  await prepare(to);
  const before = await to.state.entries([]);
  await expect(moveState(from, to, options())).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  });
  expect(await to.state.entries([])).toEqual(before);
});

test('a completed move is not repeated', async () => {
  const [from, to] = [await filled(), empty()];
  await moveState(from, to, options());
  await expect(moveState(from, to, options())).rejects.toMatchObject({ message: expect.stringMatching(/not empty/) });
});

test('a write during the move is noticed, and the move is not reported as done', async () => {
  const [from, to] = [await filled(), empty()];
  let reads = 0;
  const busy: Store = {
    ...from,
    audit: {
      ...from.audit,
      async *read() {
        yield* from.audit.read();
        if (++reads === 1) await from.state.set(['token', 'late'], { addedAt: at });
      },
    },
  };
  await expect(moveState(busy, to, options())).rejects.toMatchObject({
    message: expect.stringContaining('differ after the copy'),
  });
  await expect(requireWhole(to)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  await moveState(from, to, options());
  await expectMoved(from, to);
});

test('bytes that the target lost on the way are noticed', async () => {
  const [from, to] = [await filled(), empty()];
  const losing: Store = { ...to, blobs: { ...to.blobs, put: async () => undefined } };
  await expect(moveState(from, losing, options())).rejects.toMatchObject({ code: 'USAGE' });
});
