import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { decodeCursor, encodeCursor } from './pages.ts';

function refusal(cursor: string): string {
  try {
    decodeCursor(cursor);
  } catch (error) {
    if (error instanceof SkillwireError) return error.code;
    throw error;
  }
  return 'accepted';
}

const rawBase64Url = (text: string): string => Buffer.from(text).toString('base64url');

describe('cursors', () => {
  test('decodeCursor() returns the URI given to encodeCursor()', () => {
    for (const uri of ['skill://a/SKILL.md', 'skill://%E6%8A%80/a%20b.md', 'skill://x~y/!(1).md'])
      expect(decodeCursor(encodeCursor(uri))).toBe(uri);
  });

  test('encodeCursor() uses only characters that need no escaping anywhere', () => {
    expect(encodeCursor('skill://???>>>/~~~')).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test('decodeCursor() reads a missing cursor as the start', () => {
    expect(decodeCursor(undefined)).toBeUndefined();
  });

  test.each([
    ['the empty string', ''],
    ['garbage', '!!!'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe]).toString('base64url')],
    ['a text that is no skill URI', rawBase64Url('hello')],
    ['an offset of another server', rawBase64Url('{"offset":100}')],
    ['a URI of another scheme', rawBase64Url('file:///etc/passwd')],
    ['a URI in a spelling that is never issued', rawBase64Url('skill://a/b%2Ec/SKILL.md')],
    ['a URI with dot segments', rawBase64Url('skill://a/../SKILL.md')],
    ['padding', `${Buffer.from('skill://a/SKILL.md1').toString('base64')}`],
    ['a second spelling of the same bytes', `${rawBase64Url('skill://a/b').slice(0, -1)}x`],
    ['more than a cursor can have', 'A'.repeat(limits.pages.cursorCharacters + 1)],
  ])('decodeCursor() refuses %s', (_, cursor) => {
    expect(refusal(cursor)).toBe('INVALID_CURSOR');
  });
});
