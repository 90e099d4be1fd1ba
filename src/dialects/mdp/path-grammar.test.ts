import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { assertStrictPath, isConcretePath, isSkillPath, matchPath, parseMdpPath } from './path-grammar.ts';

const accepted = [
  '/skill.md',
  '/a/skill.md',
  '/a/b/c/d/skill.md',
  '/a-/skill.md',
  '/a/.b/skill.md',
  '/.meta/skill.md',
  '/upper/SKILL.md',
  '/items/:item_id/skill.md',
];

const rejected = [
  '/Upper/skill.md',
  'x/skill.md',
  '/a//skill.md',
  '/a/skill.md/',
  '/a/../skill.md',
  '/..a/skill.md',
  '/a b/skill.md',
  '/a/skill.md?x',
  '/a/skill.md#x',
  '/a/skill.md/b',
  '/a.b/skill.md',
  '/-a/skill.md',
  '/_a/skill.md',
  '/a/README.md',
  '/a/Skill.md',
  '/é/skill.md',
  '/:/skill.md',
  '/:A/skill.md',
  '/',
  '',
  `/${'a'.repeat(limits.path.characters)}/skill.md`,
];

describe('parseMdpPath()', () => {
  test.each(accepted)('accepts %s as a skill', (path) => {
    expect(parseMdpPath(path)?.kind).toBe('skill');
    expect(isSkillPath(path)).toBe(true);
  });

  test.each(rejected)('rejects %s', (path) => {
    expect(parseMdpPath(path)).toBeUndefined();
    expect(isConcretePath(path)).toBe(false);
  });

  test('distinguishes skills, prompts and endpoints, and names parameters', () => {
    expect(parseMdpPath('/a/prompt.md')?.kind).toBe('prompt');
    expect(parseMdpPath('/a/PROMPT.md')?.kind).toBe('prompt');
    expect(parseMdpPath('/a/b')?.kind).toBe('endpoint');
    expect(parseMdpPath('/a/:x/:y-2')).toEqual({
      segments: ['a', ':x', ':y-2'],
      kind: 'endpoint',
      params: ['x', 'y-2'],
    });
    expect(isConcretePath('/a/:x')).toBe(false);
  });

  test('never throws, and returns the given path', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', 'a', '-', ':', '.', 'skill.md', 'SKILL.md', '_', 'A') }),
        (path) => {
          const parsed = parseMdpPath(path);
          if (parsed !== undefined) expect(`/${parsed.segments.join('/')}`).toBe(path);
        },
      ),
    );
  });
});

describe('matchPath()', () => {
  const found = (patterns: readonly string[], concrete: string): unknown => {
    const match = matchPath(
      patterns.map((path) => ({ path })),
      concrete,
    );
    return match === undefined ? undefined : [match.pattern.path, match.params];
  };

  test('captures a segment for each parameter', () => {
    expect(found(['/a/:x/:y/skill.md'], '/a/1/2/skill.md')).toEqual(['/a/:x/:y/skill.md', { x: '1', y: '2' }]);
  });

  test('prefers the more specific path from the left, and the first of equals', () => {
    expect(found(['/:x/b/skill.md', '/a/:y/skill.md'], '/a/b/skill.md')).toEqual(['/a/:y/skill.md', { y: 'b' }]);
    expect(found(['/:x/skill.md', '/:y/skill.md'], '/a/skill.md')).toEqual(['/:x/skill.md', { x: 'a' }]);
    expect(found(['/:x/skill.md', '/a/skill.md'], '/a/skill.md')).toEqual(['/a/skill.md', {}]);
  });

  test('treats two spellings of the leaf as two paths', () => {
    expect(found(['/a/SKILL.md'], '/a/skill.md')).toBeUndefined();
  });

  test.each([
    ['/a/:x', '/a/skill.md'],
    ['/a/:x/skill.md', '/a/skill.md'],
    ['/a/:x/skill.md', '/a/:x/skill.md'],
    ['/a/:x/skill.md', '/a/../skill.md'],
    ['/a/skill.md', '/a/skill.md/'],
  ])('does not match %s with %s', (pattern, concrete) => {
    expect(found([pattern], concrete)).toBeUndefined();
  });
});

describe('assertStrictPath()', () => {
  test.each(['/skill.md', '/workspace/review/files/skill.md', '/a-1/b_2/skill.md', '/items/:id/skill.md'])(
    'accepts %s',
    (path) => expect(() => assertStrictPath(path)).not.toThrow(),
  );

  test.each([
    ['workspace/skill.md', 'start with "/"'],
    ['/a//skill.md', 'empty segment'],
    ['/a/skill.md/', 'must not end with "/"'],
    ['/a/./skill.md', 'a segment "."'],
    ['/a/../skill.md', 'a segment ".."'],
    ['/a b/skill.md', 'only a-z'],
    ['/A/skill.md', 'only a-z'],
    ['/.a/skill.md', 'only a-z'],
    ['/_a/skill.md', 'start with a letter or a digit'],
    ['/a/skill.md?x=1', 'must not contain "?" or "#"'],
    ['/a/skill.md#x', 'must not contain "?" or "#"'],
    ['/a/SKILL.md', 'must be "skill.md"'],
    ['/a/readme.md', 'must be "skill.md"'],
    [`/${'a'.repeat(2_000)}/skill.md`, 'at most 1024 characters'],
  ])('refuses %s: %s', (path, reason) => {
    expect(() => assertStrictPath(path)).toThrow(SkillwireError);
    expect(() => assertStrictPath(path)).toThrow(reason);
  });
});
