import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globMatches } from './policy.ts';

test.each([
  ['', ''],
  ['a', 'a'],
  ['*', ''],
  ['*', 'abc'],
  ['**', 'a/b'],
  ['a*', 'a'],
  ['skill://acme/*/SKILL.md', 'skill://acme/refunds/SKILL.md'],
  ['skill://acme/**/SKILL.md', 'skill://acme/a/b/SKILL.md'],
  ['skill://acme/**', 'skill://acme/a/b/SKILL.md'],
  ['mcp:https://*.example.com/mcp', 'mcp:https://a.example.com/mcp'],
  ['***', 'a/b'],
  ['*\u{1f600}', 'x\u{1f600}'],
  ['a.b', 'a.b'],
  ['**b**', 'a/b/c'],
])('globMatches() finds %j in %j', (pattern, text) => {
  expect(globMatches(pattern, text)).toBe(true);
});

test.each([
  ['', 'a'],
  ['a', ''],
  ['a', 'A'],
  ['*', 'a/b'],
  ['a*', 'ba'],
  ['a.b', 'axb'],
  ['skill://acme/*/SKILL.md', 'skill://acme/a/b/SKILL.md'],
  ['skill://acme/**/SKILL.md', 'skill://acme/SKILL.md'],
  ['skill://acme/*', 'skill://acmes/x'],
  ['mcp:https://*.example.com/mcp', 'mcp:https://evil/a.example.com/mcp'],
  ['[a]', 'a'],
  ['a?', 'ab'],
  ['a*b', 'a*'],
])('globMatches() does not find %j in %j', (pattern, text) => {
  expect(globMatches(pattern, text)).toBe(false);
});

test('globMatches() agrees with a regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*') });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b', '/') }), (pattern, text) => {
      const source = pattern.replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'));
      expect(globMatches(pattern, text)).toBe(new RegExp(`^${source}$`, 's').test(text));
    }),
  );
});

test('globMatches() terminates on patterns that make a backtracking search explode', () => {
  expect(globMatches(`${'*a'.repeat(50)}b`, 'a'.repeat(2_000))).toBe(false);
  expect(globMatches(`${'**a'.repeat(50)}b`, 'a/'.repeat(2_000))).toBe(false);
});
