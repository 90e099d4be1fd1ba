import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../store/memory-store.ts';
import { createTokenBook, mintToken, sameHash, tokenHash, tokenId } from './token-book.ts';

describe('access tokens', () => {
  test('have an id, 256 random bits and their own form', () => {
    const { id, token } = mintToken();
    expect(token).toMatch(/^skw_[a-z2-9]{8}_[A-Za-z0-9_-]{43}$/);
    expect(tokenId(token)).toBe(id);
    expect(mintToken().token).not.toBe(token);
    for (const text of ['', 'skw_', `${token}x`, token.slice(1), token.toUpperCase(), ` ${token}`])
      expect(tokenId(text)).toBeUndefined();
  });

  test('are compared completely', async () => {
    const hash = await tokenHash('a');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(sameHash(hash, hash)).toBe(true);
    expect(sameHash(hash, await tokenHash('b'))).toBe(false);
    expect(sameHash(hash, hash.slice(1))).toBe(false);
    expect(sameHash('', hash)).toBe(false);
  });
});

describe('createTokenBook()', () => {
  test('verifies a token and stores only its hash', async () => {
    const store = memoryStore();
    const book = createTokenBook(store);
    const { token, facts } = await book.add({ name: 'ci', profile: 'readers', reason: 'nightly' });
    expect(await book.verify(token)).toMatchObject({
      id: `token:${facts.id}`,
      profile: 'readers',
      operator: false,
      approver: false,
    });
    const secret = token.slice(-43);
    const records: unknown[] = [];
    for await (const record of store.audit.read()) records.push(record);
    expect(JSON.stringify([await store.state.entries([]), records])).not.toContain(secret);
    expect(records).toMatchObject([{ action: 'add-token', by: 'person', reason: 'nightly', data: { name: 'ci' } }]);
    expect(await book.list()).toEqual([facts]);
    expect(JSON.stringify(facts)).not.toContain('hash');
  });

  test('accepts no other token', async () => {
    const book = createTokenBook(memoryStore());
    const { token, facts } = await book.add({ name: 'ci', profile: 'readers' });
    const other = mintToken().token;
    for (const wrong of ['', other, `skw_${facts.id}_${other.slice(-43)}`, `${token} `, token.replace('skw', 'SKW')])
      expect(await book.verify(wrong)).toBeUndefined();
  });

  test('refuses an expired token', async () => {
    let now = Date.parse('2026-11-16T00:00:00Z');
    const book = createTokenBook(memoryStore(), () => now);
    const { token } = await book.add({ name: 'ci', profile: 'readers', expiresAt: new Date(now + 1_000) });
    expect(await book.verify(token)).toMatchObject({ expiresAt: now / 1_000 + 1 });
    now += 1_000;
    expect(await book.verify(token)).toBeUndefined();
    const lasting = await book.add({ name: 'for ever', profile: 'readers' });
    now += 1_000 * 365 * 24 * 60 * 60_000;
    expect(await book.verify(lasting.token)).toBeDefined();
  });

  test('revokes a token by name or id, with a record', async () => {
    const store = memoryStore();
    const book = createTokenBook(store);
    const [one, two] = [await book.add({ name: 'a', profile: 'p' }), await book.add({ name: 'b', profile: 'p' })];
    expect(await book.revoke('a', 'lost')).toEqual(one.facts);
    expect(await book.revoke(two.facts.id, 'lost')).toEqual(two.facts);
    expect(await book.revoke('a', 'lost')).toBeUndefined();
    for (const { token } of [one, two]) expect(await book.verify(token)).toBeUndefined();
    const actions: string[] = [];
    for await (const { action } of store.audit.read()) actions.push(action);
    expect(actions.filter((action) => action === 'revoke-token')).toHaveLength(2);
  });

  test('uses a name once', async () => {
    const book = createTokenBook(memoryStore());
    const both = await Promise.allSettled([
      book.add({ name: 'a', profile: 'p' }),
      book.add({ name: 'a', profile: 'p' }),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(book.add({ name: 'a', profile: 'p' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('writes nothing about a name that is taken', async () => {
    const store = memoryStore();
    const book = createTokenBook(store);
    await book.add({ name: 'a', profile: 'p' });
    await expect(book.add({ name: 'a', profile: 'p' })).rejects.toMatchObject({ code: 'USAGE' });
    const actions: string[] = [];
    for await (const { action } of store.audit.read()) actions.push(action);
    expect(actions).toEqual(['add-token']);
  });

  test.each([[null], ['a text'], [7]])('ignores the record %j', async (value) => {
    const store = memoryStore();
    const book = createTokenBook(store);
    const { token, facts } = await book.add({ name: 'a', profile: 'p' });
    await store.state.set(['token', facts.id], value);
    expect(await book.verify(token)).toBeUndefined();
    expect(await book.list()).toEqual([]);
  });

  test.each([
    ['a hash that is none', { hash: 'x' }],
    ['another version', { version: 2 }],
    ['an end that is none', { expiresAt: 'soon' }],
    ['no profile', { profile: null }],
    ['no word about operators', { operator: 'yes' }],
    ['no word about approvers', { approver: 1 }],
  ])('ignores a record with %s', async (_, change) => {
    const store = memoryStore();
    const book = createTokenBook(store);
    const { token, facts } = await book.add({ name: 'a', profile: 'p' });
    const value = (await store.state.get(['token', facts.id])) as Record<string, never>;
    await store.state.set(['token', facts.id], { ...value, ...change });
    expect(await book.verify(token)).toBeUndefined();
    expect(await book.list()).toEqual([]);
  });
});
