import { describe, expect, test } from 'vitest';
import { clientFaults, isListable } from './client-rules.ts';
import type { JsonValue } from './entry.ts';

const base = { name: 'a', description: 'Does a.' };

describe('the requirements of the official client for an entry', () => {
  test.each<[string, Record<string, JsonValue>]>([
    ['neither field', {}],
    ['text', { compatibility: 'Node 20' }],
    ['text of 500 characters outside the first plane', { compatibility: '\u{1f600}'.repeat(500) }],
    ['an empty mapping', { metadata: {} }],
    ['a mapping of text', { metadata: { version: '1.0', author: '' } }],
    ['other fields of any type', { license: 1, 'allowed-tools': ['Read'], version: 2 }],
  ])('are met by %s', (_, fields) => {
    expect(clientFaults(fields)).toEqual([]);
    expect(isListable({ ...base, ...fields })).toBe(true);
  });

  test.each<[string, Record<string, JsonValue>, string]>([
    ['no text', { compatibility: ['a'] }, 'the field "compatibility" is not text'],
    ['null', { compatibility: null }, 'the field "compatibility" is not text'],
    ['empty text', { compatibility: '' }, 'the field "compatibility" is empty'],
    [
      'long text',
      { compatibility: 'a'.repeat(501) },
      'the field "compatibility" has 501 characters; at most 500 are allowed',
    ],
    ['a list', { metadata: ['a'] }, 'the field "metadata" is not a mapping of keys to text'],
    ['null', { metadata: null }, 'the field "metadata" is not a mapping of keys to text'],
    ['text', { metadata: 'a' }, 'the field "metadata" is not a mapping of keys to text'],
    [
      'a number inside',
      { metadata: { version: 1 } },
      'the field "metadata" contains values that are not text: "version"',
    ],
    [
      'many values',
      { metadata: { a: 1, b: null, c: true, d: [], e: {}, f: 2, g: 'text' } },
      'the field "metadata" contains values that are not text: "a", "b", "c", "d", "e", ...',
    ],
  ])('are not met by %s', (_, fields, message) => {
    expect(clientFaults(fields).map((fault) => fault.message)).toEqual([message]);
    expect(isListable({ ...base, ...fields })).toBe(false);
  });
});
