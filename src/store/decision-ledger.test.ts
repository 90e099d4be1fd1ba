/** Every action of the audit, and its effect on a value. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../skill/entry.ts';
import { createLedger, readDecisions } from './decision-ledger.ts';
import { memoryStore } from './memory-store.ts';
import type { AnyKey, AuditRecord } from './store.ts';

const uri = 'skill://a/SKILL.md';
const at = (second: number): string => new Date(1_000_000_000_000 + second * 1000).toISOString();
const ms = (second: number): number => 1_000_000_000_000 + second * 1000;
const never = Number.NEGATIVE_INFINITY;
const approval: AnyKey = ['approval', 'docs', uri];
const denied: AnyKey = ['denied', 'docs', uri];

function ledgerOf(...records: readonly (Omit<AuditRecord, 'at'> & { readonly second: number })[]) {
  const ledger = createLedger();
  for (const { second, ...record } of records) ledger.record({ at: at(second), ...record });
  return ledger;
}

describe('actions that name their key', () => {
  test.each(['add-token', 'approve', 'deny', 'disable', 'pin', 'refuse', 'trust'])('%s sets its key', (action) => {
    const ledger = ledgerOf({ second: 5, action, key: denied });
    expect(ledger.newerThan(denied, ms(4))).toBe(ms(5));
    expect(ledger.newerThan(denied, ms(5))).toBeUndefined();
    expect([...ledger.restrictions()]).toEqual([{ key: denied, at: ms(5) }]);
    expect(ledger.lastRemoval(denied)).toBe(never);
    expect(ledger.newest()).toBe(ms(5));
  });

  test.each(['revoke-token', 'revoke', 'allow', 'enable', 'unpin', 'untrust', 'forget-origin'])(
    '%s removes its key',
    (action) => {
      const ledger = ledgerOf({ second: 5, action, key: approval, reason: 'why', data: { user: 'me' } });
      expect(ledger.lastRemoval(approval)).toBe(ms(5));
      expect(ledger.removalOf(approval, ms(5))).toEqual({ at: ms(5), reason: 'why', user: 'me' });
      expect(ledger.removalOf(approval, ms(6))).toBeUndefined();
      expect(ledger.newerThan(approval, never)).toBeUndefined();
      expect(ledger.newest()).toBe(ms(5));
    },
  );

  test.each(['load', 'toString', 'import-state'])('%s decides nothing', (action) => {
    const ledger = ledgerOf({ second: 5, action, key: approval });
    expect([ledger.lastRemoval(approval), ledger.newerThan(approval, never), ledger.newest()]).toEqual([
      never,
      undefined,
      never,
    ]);
  });

  test.each<readonly [AnyKey]>([
    [['listing', 'x']],
    [['waiting', 'docs', uri]],
    [['tombstone', 'approval', 'docs', uri]],
  ])('a key without decisions is ignored: %j', (key) => {
    const ledger = ledgerOf({ second: 5, action: 'approve', key }, { second: 6, action: 'revoke', key });
    expect([ledger.newest(), ledger.lastRemoval(key), ledger.newerThan(key, never)]).toEqual([never, never, undefined]);
  });
});

test('the later of two removals counts, with its reason', () => {
  const ledger = ledgerOf(
    { second: 7, action: 'revoke', key: approval, reason: 'late' },
    { second: 5, action: 'revoke', key: approval, reason: 'early' },
  );
  expect(ledger.removalOf(approval, ms(1))).toEqual({ at: ms(7), reason: 'late' });
  ledger.record({ at: at(7), action: 'revoke', key: approval, reason: 'the same time' });
  expect(ledger.removalOf(approval, ms(1))?.reason).toBe('late');
});

test('a removal without a reason or user has none', () => {
  const ledger = ledgerOf({ second: 5, action: 'revoke', key: approval, reason: '', data: { user: 7 } });
  expect(ledger.removalOf(approval, ms(1))).toEqual({ at: ms(5) });
});

describe('an origin that was removed', () => {
  const ledger = ledgerOf(
    { second: 5, action: 'remove-origin', label: 'docs', reason: 'gone' },
    { second: 3, action: 'revoke', key: approval, reason: 'own' },
  );
  test.each<readonly [AnyKey, number]>([
    [approval, ms(5)],
    [['approval', 'other', uri], never],
    [['disabled', 'docs'], ms(5)],
    [['disabled', 'docs', uri], ms(5)],
    [['pinned', 'docs', uri], never],
    [['denied', 'docs', uri], never],
    [['origin', 'docs'], never],
  ])('removes of %j at %d', (key, removed) => {
    expect(ledger.lastRemoval(key)).toBe(removed);
  });

  test('yields to a later removal of the value itself', () => {
    ledger.record({ at: at(9), action: 'revoke', key: approval, reason: 'later' });
    expect(ledger.removalOf(approval, ms(1))).toEqual({ at: ms(9), reason: 'later' });
    expect(createLedger().lastRemoval(approval)).toBe(never);
    const unnamed = ledgerOf({ second: 5, action: 'remove-origin' });
    expect(unnamed.lastRemoval(approval)).toBe(never);
  });
});

describe('records of older versions, which do not name the key', () => {
  test.each<readonly [Omit<AuditRecord, 'at'>, AnyKey]>([
    [{ action: 'revoke', label: 'docs', uri }, approval],
    [{ action: 'unpin', label: 'docs', uri }, ['pinned', 'docs', uri]],
    [{ action: 'enable', label: 'docs', uri }, ['disabled', 'docs', uri]],
    [{ action: 'enable', label: 'docs' }, ['disabled', 'docs']],
    [{ action: 'allow', data: { digest: 'sha256:1' } }, ['deny', 'digest', 'sha256:1']],
    [{ action: 'allow', data: { origin: 'docs' } }, ['deny', 'origin', 'docs']],
    [{ action: 'allow', data: { match: 'a/*' } }, ['deny', 'match', 'a/*']],
    [{ action: 'revoke-token', data: { token: 'abc' } }, ['token', 'abc']],
  ])('%j removes %j', (record, key) => {
    const ledger = ledgerOf({ second: 5, ...record });
    expect(ledger.lastRemoval(key)).toBe(ms(5));
    // The values of the state at that time are unknown.
    expect(ledger.newest()).toBe(never);
  });

  test.each<readonly [Omit<AuditRecord, 'at'>, AnyKey]>([
    [{ action: 'disable', label: 'docs' }, ['disabled', 'docs']],
    [{ action: 'disable', label: 'docs', uri }, ['disabled', 'docs', uri]],
    [{ action: 'deny', data: { origin: 'docs' } }, ['deny', 'origin', 'docs']],
  ])('%j restricts %j', (record, key) => {
    expect([...ledgerOf({ second: 5, ...record }).restrictions()]).toEqual([{ key, at: ms(5) }]);
  });

  test.each<Omit<AuditRecord, 'at'>>([
    { action: 'revoke', label: 'docs' },
    { action: 'revoke', uri },
    { action: 'unpin', label: 'docs' },
    { action: 'unpin', uri },
    { action: 'enable' },
    { action: 'disable', uri },
    { action: 'allow' },
    { action: 'allow', data: { match: 7 } },
    { action: 'revoke-token', data: { token: 7 } },
    { action: 'approve', label: 'docs', uri },
    { action: 'untrust', data: { file: '/x' } },
  ])('%j is incomplete', (record) => {
    const ledger = ledgerOf({ second: 5, ...record });
    for (const key of [approval, ['pinned', 'docs', uri], ['disabled', 'docs'], ['token', '7'], ['trust', '/x']])
      expect([ledger.lastRemoval(key), ledger.newerThan(key, never)]).toEqual([never, undefined]);
    expect([...ledger.restrictions()]).toEqual([]);
  });
});

describe('tombstones', () => {
  const stone = (second: number): JsonValue => ({ version: 1, at: at(second) });
  test('count like removals, the later of two', () => {
    const ledger = createLedger();
    ledger.tombstone(['tombstone', ...approval], stone(5));
    ledger.tombstone(['tombstone', ...approval], stone(3));
    expect(ledger.lastRemoval(approval)).toBe(ms(5));
    ledger.record({ at: at(4), action: 'revoke', key: approval, reason: 'why' });
    expect(ledger.removalOf(approval, ms(1))).toEqual({ at: ms(5), reason: 'why' });
  });

  test('of keys without decisions, and other values, are ignored', () => {
    const ledger = createLedger();
    ledger.tombstone(approval, stone(5));
    ledger.tombstone(['tombstone', 'listing', 'x'], stone(5));
    expect([ledger.lastRemoval(approval), ledger.lastRemoval(['listing', 'x'])]).toEqual([never, never]);
  });
});

describe('a value that somebody restored', () => {
  const revive = (second: number, decided: number) =>
    ({ second, action: 'revive', key: approval, data: { decided: at(decided) } }) as const;
  test.each([
    ['after the removal', [revive(6, 2)], ms(2), false],
    ['before the removal', [revive(4, 2)], ms(2), true],
    ['at the removal', [revive(5, 2)], ms(2), true],
    ['another one', [revive(6, 3)], ms(2), true],
    ['twice, the last one counts', [revive(6, 3), revive(7, 2)], ms(2), false],
    ['twice, in another order', [revive(7, 2), revive(6, 3)], ms(2), false],
    ['twice at once, the last one counts', [revive(6, 3), revive(6, 2)], ms(2), false],
  ])('%s', (_, revivals, decided, removed) => {
    const ledger = ledgerOf({ second: 5, action: 'revoke', key: approval }, ...revivals);
    expect(ledger.removalOf(approval, decided) !== undefined).toBe(removed);
    const set = ledgerOf({ second: 5, action: 'approve', key: approval }, ...revivals);
    expect(set.newerThan(approval, decided) !== undefined).toBe(removed);
  });
});

describe('restrictions', () => {
  test.each<readonly [string, readonly (Omit<AuditRecord, 'at'> & { second: number })[], boolean]>([
    ['lifted later', [{ second: 6, action: 'allow', key: denied }], false],
    ['lifted earlier', [{ second: 4, action: 'allow', key: denied }], true],
    ['lifted at that time', [{ second: 5, action: 'allow', key: denied }], false],
    ['approved later', [{ second: 6, action: 'approve', key: approval }], false],
    ['approved earlier', [{ second: 4, action: 'approve', key: approval }], true],
    ['another one approved', [{ second: 6, action: 'approve', key: ['approval', 'docs', 'skill://b/SKILL.md'] }], true],
  ])('that were %s are in force: %s', (_, more, stands) => {
    const ledger = ledgerOf({ second: 5, action: 'deny', key: denied }, ...more);
    expect([...ledger.restrictions()]).toEqual(stands ? [{ key: denied, at: ms(5) }] : []);
  });

  test('are not lifted by an approval if a whole origin is disabled; grants are not restrictions', () => {
    const key = ['disabled', 'docs', uri];
    const ledger = ledgerOf({ second: 5, action: 'disable', key }, { second: 6, action: 'approve', key: approval });
    expect([...ledger.restrictions()]).toEqual([{ key, at: ms(5) }]);
  });
});

test('readDecisions() reads tombstones and the audit of a store into one ledger', async () => {
  const store = memoryStore();
  await store.state.set(['approval', 'docs', uri], { at: at(1) });
  await store.state.delete(['approval', 'docs', uri]);
  await store.audit.append({ at: at(3), action: 'deny', key: denied });
  const ledgers = [createLedger(), createLedger()];
  let records = 0;
  await readDecisions(store, ledgers, () => {
    records += 1;
  });
  await readDecisions(store, []);
  expect(records).toBe(1);
  for (const ledger of ledgers) {
    expect(ledger.lastRemoval(approval)).toBeGreaterThan(ms(1));
    expect([...ledger.restrictions()]).toEqual([{ key: denied, at: ms(3) }]);
  }
});
