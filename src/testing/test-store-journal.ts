/** The guarantees of a store's audit and of its closing; part of `testStore()`. */
import assert from 'node:assert/strict';
import { SkillwireError } from '../errors.ts';
import type { AnyKey, AuditRecord, Store } from '../store/store.ts';
import type { Promised } from './test-store-values.ts';

const record = (action: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  at: '2026-07-28T00:00:00.000Z',
  action,
  ...more,
});

async function read(store: Store<AnyKey>): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const found of store.audit.read()) records.push(found);
  return records;
}

const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SkillwireError && error.code === code;

export function journalPromises(promised: Promised): void {
  promised('audit: read() returns every record as appended, in order', async ({ store }) => {
    assert.deepEqual(await read(store), []);
    const records = [
      record('approve', { label: 'a', uri: 'skill://x/SKILL.md', by: 'person', reason: 'looked "fine"\n' }),
      record('allow', { key: ['deny', 'match', 'old/*'] }),
      record('load', { data: { digests: [`sha256:${'0'.repeat(64)}`], size: 3 } }),
      record('revoke'),
    ];
    for (const one of records) await store.audit.append(one);
    assert.deepEqual(await read(store), records);
  });

  promised('audit: loses none of many concurrent appends', async ({ store }) => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => store.audit.append(record(`action-${index}`))));
    const actions = (await read(store)).map(({ action }) => action);
    assert.equal(new Set(actions).size, 30);
    assert.equal(actions.length, 30);
  });

  promised('audit: append() refuses values that are not records', async ({ store }) => {
    const bad = { action: 'load' } as AuditRecord;
    await assert.rejects(store.audit.append(bad), isCode('USAGE'));
    assert.deepEqual(await read(store), []);
  });

  promised('audit: survives reopening, and continues', async ({ store, openAgain }) => {
    if (openAgain === undefined) return;
    await store.audit.append(record('first'));
    const other = await openAgain();
    await other.audit.append(record('second'));
    await store.audit.append(record('third'));
    await store.close();
    assert.deepEqual(
      (await read(other)).map(({ action }) => action),
      ['first', 'second', 'third'],
    );
    await other.close();
  });

  promised('close() waits for pending writes, may be called twice, and rejects all later calls', async ({ store }) => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const written = store.audit.append(record('last'));
    await Promise.all([store.close(), store.close()]);
    await written;
    await assert.rejects(store.audit.append(record('late')), isCode('CLOSED'));
    await assert.rejects(read(store), isCode('CLOSED'));
    await assert.rejects(store.blobs.get(digest), isCode('CLOSED'));
    await assert.rejects(store.blobs.put(digest, new Uint8Array()), isCode('CLOSED'));
    await assert.rejects(store.blobs.has(digest), isCode('CLOSED'));
    await assert.rejects(store.blobs.delete(digest), isCode('CLOSED'));
    await assert.rejects(store.blobs.list()[Symbol.asyncIterator]().next(), isCode('CLOSED'));
  });
}
