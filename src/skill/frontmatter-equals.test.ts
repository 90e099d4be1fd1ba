import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { JsonValue } from './entry.ts';
import { frontmatterEquals } from './frontmatter-equals.ts';

function equals(fields: Record<string, JsonValue>, yaml: string): boolean {
  return frontmatterEquals({ name: 'a', description: 'b', ...fields }, `name: a\ndescription: b\n${yaml}`);
}

test.each<[fields: Record<string, JsonValue>, yaml: string]>([
  [{}, ''],
  [{ x: 'y' }, 'x: y'],
  [{ x: 1, y: null, z: true }, 'z: true\ny:\nx: 1.0'],
  [{ x: ['a', { b: [] }], y: {} }, 'x:\n - a\n - b: []\ny: {}'],
  [{ x: 'a\nb\n', y: 'c d' }, 'x: |\n  a\n  b\ny: >-\n  c\n  d'],
  [{ x: { yes: 'no' } }, 'x: {yes: no}'],
])('frontmatterEquals() is true for the fields %j written as %j', (fields, yaml) => {
  expect(equals(fields, yaml)).toBe(true);
});

test.each<[what: string, fields: Record<string, JsonValue>, yaml: string]>([
  ['another value', { x: 'y' }, 'x: z'],
  ['a value of another type', { x: '1' }, 'x: 1'],
  ['a field that only the entry has', { x: 'y' }, ''],
  ['a field that only the file has', {}, 'x: y'],
  ['a field that every object has', {}, 'constructor: y'],
  ['a longer list', { x: ['a'] }, 'x: [a, b]'],
  ['a shorter list', { x: ['a', 'b'] }, 'x: [a]'],
  ['a list for a mapping', { x: [] }, 'x: {}'],
  ['a mapping for a list', { x: {} }, 'x: []'],
  ['null for a mapping', { x: null }, 'x: {}'],
  ['a key twice', { x: 'y' }, 'x: y\nx: y'],
  ['a key twice for two keys', { x: 'y', z: 'y' }, 'x: y\nx: y'],
  ['a key that is a number', { 1: 'y' }, '1: y'],
  ['a key that is a list', { x: 'y' }, '[x]: y'],
  ['a tag', { x: 'y' }, 'x: !!str y'],
  ['a tag on a list', { x: ['y'] }, 'x: !!seq [y]'],
  ['a tag on a mapping', { x: { y: 1 } }, 'x: !!map {y: 1}'],
  ['a tag on a key', { x: 'y' }, '!!str x: y'],
  ['an anchor', { x: 'y' }, 'x: &a y'],
  ['an alias', { x: 'y', z: 'y' }, 'x: &a y\nz: *a'],
  ['digits that JSON loses', { x: Number('12345678901234567890') }, 'x: 12345678901234567890'],
  ['a second document', {}, '...\n--- {}'],
  ['more values than are allowed', { x: Array(2001).fill(1) as number[] }, `x: [${'1,'.repeat(2001)}]`],
])('frontmatterEquals() is not true for %s', (_, fields, yaml) => {
  expect(equals(fields, yaml)).toBe(false);
});

test('frontmatterEquals() distinguishes texts after any number of calls', () => {
  const values = Array.from({ length: 3 * limits.frontmatter.recentTexts }, (_, index) => index);
  for (let round = 0; round < 2; round++)
    for (const index of values) {
      expect(equals({ x: index }, `x: ${index}`)).toBe(true);
      expect(equals({ x: index + 1 }, `x: ${index}`)).toBe(false);
    }
});
