import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createRevocations } from './revocations.ts';

const issuer = 'https://id.example.com';
const ada = { id: 'ada', profile: 'staff', expiresAt: 4e9, subject: { issuer, id: 'ada' }, tokenId: 't-1' };
const now = (): number => Date.parse('2026-11-20T08:00:00Z');

describe('createRevocations()', () => {
  test('covers a subject at its issuer or at every issuer, until it is restored', async () => {
    const store = memoryStore();
    const book = createRevocations(store, now);
    expect(await book.covers(ada)).toBe(false);
    for (const what of [
      { kind: 'subject', issuer, id: 'ada' },
      { kind: 'subject', id: 'ada' },
      { kind: 'jti', issuer, id: 't-1' },
      { kind: 'jti', id: 't-1' },
    ] as const) {
      await book.add(what, 'left');
      expect(await book.covers(ada), JSON.stringify(what)).toBe(true);
      expect(await book.list()).toEqual([{ ...what, at: '2026-11-20T08:00:00.000Z', reason: 'left' }]);
      expect(await book.restore(what, 'came back')).toBe(true);
      expect(await book.restore(what, 'came back')).toBe(false);
      expect(await book.covers(ada)).toBe(false);
      expect(await book.list()).toEqual([]);
    }
  });

  test('covers nobody else', async () => {
    const book = createRevocations(memoryStore(), now);
    await book.add({ kind: 'subject', issuer, id: 'eve' }, '');
    await book.add({ kind: 'subject', issuer: 'https://other.example.com', id: 'ada' }, '');
    await book.add({ kind: 'jti', issuer, id: 't-2' }, '');
    await book.add({ kind: 'jti', issuer, id: 'ada' }, '');
    expect(await book.covers(ada)).toBe(false);
    expect(await book.covers({ id: 'local', profile: 'staff', expiresAt: 4e9 })).toBe(false);
  });

  test('records who was revoked and restored, and why', async () => {
    const store = memoryStore();
    const book = createRevocations(store, now);
    const what = { kind: 'subject', issuer, id: 'ada' } as const;
    await book.add(what, 'left');
    await book.restore(what, 'came back');
    const records: unknown[] = [];
    for await (const record of store.audit.read()) records.push(record);
    expect(records).toMatchObject([
      { action: 'revoke-access', by: 'person', reason: 'left', key: ['revoked', 'subject', issuer, 'ada'], data: what },
      { action: 'restore-access', by: 'person', reason: 'came back', data: what },
    ]);
  });

  test('lists rows without a time or reason, and none of another kind', async () => {
    const store = memoryStore();
    await store.state.set(['revoked', 'subject', '', 'ada'], null);
    await store.state.set(['revoked', 'planet', '', 'mars'], { at: 'x', reason: 'y' });
    expect(await createRevocations(store).list()).toEqual([{ kind: 'subject', id: 'ada', at: '', reason: '' }]);
  });

  test('has a limit', async () => {
    const store = memoryStore();
    for (let number = 0; number < limits.access.revoked; number++)
      await store.state.set(['revoked', 'jti', '', `t-${number}`], null);
    const adding = createRevocations(store).add({ kind: 'jti', id: 'more' }, '');
    await expect(adding).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });
});
