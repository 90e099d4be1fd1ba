import { describe, expect, test } from 'vitest';
import {
  decidedAt,
  decidedRow,
  fieldOf,
  isKey,
  isRebuilt,
  isStateKey,
  readTime,
  reviveFlags,
  type StateKind,
  stateKinds,
  titleOf,
} from './state-kinds.ts';

/** The content of each row. Changing one is a decision about backups. */
const rows: Readonly<Record<StateKind, readonly unknown[]>> = {
  token: ['grants', 'tokens', 'addedAt', true, undefined, undefined],
  approval: ['grants', 'approvals', 'at', undefined, 'setDigest', 'denied'],
  origin: ['grants', 'origins', 'addedAt', undefined, undefined, undefined],
  trust: ['grants', 'trust', 'at', undefined, undefined, undefined],
  pinned: ['grants', 'pinned', 'pinnedAt', undefined, undefined, undefined],
  deny: ['restricts', 'denials', 'at', undefined, undefined, undefined],
  denied: ['restricts', 'denials', 'at', undefined, 'setDigest', undefined],
  revoked: ['restricts', 'denials', 'at', undefined, undefined, undefined],
  disabled: ['restricts', 'denials', 'at', undefined, undefined, undefined],
  'approval-before': ['none'],
  'signature-seen': ['none'],
  waiting: ['none'],
  listing: ['none'],
  moving: ['none'],
  tombstone: ['none'],
  decided: ['none'],
};

test.each(Object.entries(rows))('%s', (kind, row) => {
  expect(isStateKey([kind])).toBe(true);
  const found = decidedRow([kind, 'x']);
  if (row[0] === 'none') expect(found).toBeUndefined();
  else expect([found?.effect, found?.flag, found?.time, found?.once, found?.about, found?.barredBy]).toEqual(row);
  expect(stateKinds[kind as StateKind].effect).toBe(row[0]);
  expect(isRebuilt([kind])).toBe(kind === 'waiting' || kind === 'listing');
});

test('reviveFlags are sorted, each once', () => {
  expect(reviveFlags).toEqual(['approvals', 'denials', 'origins', 'pinned', 'tokens', 'trust']);
});

test.each([
  [['token', 'id'], 'ci', 'token "ci"'],
  [['token', 'id'], undefined, 'token "id"'],
  [['approval', 'docs', 'skill://a'], undefined, 'approval of "skill://a" of "docs"'],
  [['origin', 'docs'], undefined, 'origin "docs"'],
  [['trust', '/a'], undefined, 'trust in "/a"'],
  [['pinned', 'docs', 'skill://a'], undefined, 'pinned "skill://a" of "docs"'],
  [['deny', 'match', 'a/*'], undefined, 'denial of match "a/*"'],
  [['denied', 'docs', 'skill://a'], undefined, 'denial of "skill://a" of "docs"'],
  [['disabled', 'docs'], undefined, 'disabling of "docs"'],
  [['listing', 'docs'], undefined, 'value "listing" "docs"'],
  [['unknown', 'x'], undefined, 'value "unknown" "x"'],
])('titleOf(%j, %j) is %s', (key, name, title) => {
  expect(titleOf(key, name)).toBe(title);
});

describe('keys', () => {
  test.each([[['a']], [['a', 'b']]])('%j is valid', (key) => expect(isKey(key)).toBe(true));
  test.each([[[]], ['a'], [['a', 1]], [undefined], [{}]])('%j is invalid', (key) => expect(isKey(key)).toBe(false));
  test.each([[[]], [['toString']], [['unknown', 'approval']]])('%j is not a key of the state', (key) => {
    expect(isStateKey(key)).toBe(false);
    expect(decidedRow(key)).toBeUndefined();
    expect(isRebuilt(key)).toBe(false);
  });
});

test('invalid times are older than every removal', () => {
  const time = '2026-01-02T03:04:05.678Z';
  expect(decidedAt(['approval', 'a', 'b'], { at: time })).toBe(Date.parse(time));
  expect(decidedAt(['token', 'a'], { at: time, addedAt: '2020-01-01T00:00:00.000Z' })).toBe(Date.UTC(2020, 0, 1));
  for (const value of [undefined, null, 'x', [time], { at: 1 }, { at: 'never' }])
    expect(decidedAt(['approval', 'a', 'b'], value)).toBe(Number.NEGATIVE_INFINITY);
  expect(decidedAt(['listing'], { at: time })).toBe(Number.NEGATIVE_INFINITY);
  expect(readTime(time, 1)).toBe(Date.parse(time));
  expect([readTime('never', 1), readTime(5, 1), readTime(undefined, 1)]).toEqual([1, 1, 1]);
});

test('fieldOf() reads only own fields of objects', () => {
  expect(fieldOf({ a: 1 }, 'a')).toBe(1);
  expect([
    fieldOf({ a: 1 }, 'toString'),
    fieldOf([1], '0'),
    fieldOf('text', 'length'),
    fieldOf(undefined, 'a'),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});
