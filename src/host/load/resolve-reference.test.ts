import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SkillEntry } from '../../skill/entry.ts';
import { resolveFileReference } from './resolve-reference.ts';

const base = 'skill://acme/refunds';
const published = [
  'SKILL.md',
  'references/guide.md',
  'references/more.md',
  'a%20b.md',
  '100%25.md',
  'caf%C3%A9.md',
  'inner/SKILL.md',
  'inner/references/guide.md',
  'inner/deep/x.md',
  'c%23.md',
];

const entry: SkillEntry = {
  uri: `${base}/SKILL.md`,
  frontmatter: { name: 'refunds', description: 'x' },
  resources: published.map((path) => ({ uri: `${base}/${path}`, digest: `sha256:${'0'.repeat(64)}`, size: 1 })),
};
const dynamic: SkillEntry = { ...entry, resources: 'dynamic' };

function resolve(reference: string, from?: string): string | undefined {
  const context = { entry, ...(from === undefined ? {} : { from: `${base}/${from}` }) };
  return resolveFileReference(reference, context)?.uri.slice(base.length + 1);
}

describe('resolveFileReference()', () => {
  test.each([
    ['SKILL.md', 'SKILL.md'],
    ['references/guide.md', 'references/guide.md'],
    ['./references/./guide.md', 'references/guide.md'],
    ['references/../SKILL.md', 'SKILL.md'],
    ['references/guide.md#part', 'references/guide.md'],
    ['references/guide.md?raw', 'references/guide.md'],
    ['a b.md', 'a%20b.md'],
    ['a%20b.md', 'a%20b.md'],
    ['100%.md', '100%25.md'],
    ['100%25.md', '100%25.md'],
    ['cafe\u0301.md', 'caf%C3%A9.md'],
    ['c#.md', 'c%23.md'],
    ['c%23.md', 'c%23.md'],
    [`${base}/references/guide.md`, 'references/guide.md'],
    [`${base}/references/guide.md#part`, 'references/guide.md'],
    ['SKILL://acme/refunds/a b.md', 'a%20b.md'],
    ['skill://acme/refunds/%61%20b.md', 'a%20b.md'],
  ])('resolves %j to the published %j', (reference, uri) => {
    expect(resolve(reference)).toBe(uri);
  });

  test.each([
    '',
    '.',
    'references',
    'references/',
    'missing.md',
    'References/guide.md',
    '..',
    '../refunds/SKILL.md',
    '../../acme/refunds/SKILL.md',
    'references/../../refunds/SKILL.md',
    '%2e%2e/refunds/SKILL.md',
    'references/%2e%2e/SKILL.md',
    'references%2fguide.md',
    'references\\guide.md',
    '/references/guide.md',
    '//acme/refunds/SKILL.md',
    'references//guide.md',
    'SKILL.md\0',
    'file:///etc/passwd',
    'https://example.test/acme/refunds/SKILL.md',
    'other://acme/refunds/SKILL.md',
    'skill://acme/other/SKILL.md',
    'skill://acme/refunds',
    'skill://acme/refunds/x/../SKILL.md',
    'skill://acme/refunds/../refunds/SKILL.md',
    `references/${'x'.repeat(20_000)}`,
  ])('refuses %j', (reference) => {
    expect(resolve(reference)).toBeUndefined();
  });

  test('resolves against the SKILL.md of the innermost skill', () => {
    expect(resolve('references/guide.md', 'SKILL.md')).toBe('references/guide.md');
    expect(resolve('references/guide.md', 'references/more.md')).toBe('references/guide.md');
    expect(resolve('references/guide.md', 'inner/SKILL.md')).toBe('inner/references/guide.md');
    expect(resolve('references/guide.md', 'inner/deep/x.md')).toBe('inner/references/guide.md');
    expect(resolve('../references/guide.md', 'inner/SKILL.md')).toBe('references/guide.md');
    expect(resolve('../../refunds/SKILL.md', 'inner/SKILL.md')).toBeUndefined();
  });

  test('tries the folder of the file second, as Markdown viewers do', () => {
    expect(resolve('guide.md', 'references/more.md')).toBe('references/guide.md');
    expect(resolve('guide.md', 'SKILL.md')).toBeUndefined();
    expect(resolve('references/more.md', 'inner/SKILL.md')).toBeUndefined();
  });

  test('resolves nothing from a file outside the skill', () => {
    expect(resolve('SKILL.md', 'missing.md')).toBeUndefined();
    expect(resolveFileReference('SKILL.md', { entry, from: 'skill://acme/other/SKILL.md' })).toBeUndefined();
    expect(resolveFileReference('SKILL.md', { entry: dynamic, from: 'skill://acme/other/SKILL.md' })).toBeUndefined();
  });

  test('returns the published URIs of servers that encode differently', () => {
    const uri = 'github://o/r/refunds/a b (1).md';
    const other: SkillEntry = {
      ...entry,
      uri: 'github://o/r/refunds/SKILL.md',
      resources: [{ uri, digest: `sha256:${'0'.repeat(64)}`, size: 1 }],
    };
    for (const reference of ['a b (1).md', 'a%20b%20(1).md', uri, 'github://o/r/refunds/a%20b%20%281%29.md'])
      expect(resolveFileReference(reference, { entry: other })).toEqual({ uri, path: 'a b (1).md' });
  });

  test('makes URIs inside the folder of a dynamic skill, and none outside', () => {
    const at = (reference: string, from?: string): unknown =>
      resolveFileReference(reference, { entry: dynamic, ...(from === undefined ? {} : { from: `${base}/${from}` }) });
    expect(at('x y/z.md#a')).toEqual({ uri: `${base}/x%20y/z.md`, path: 'x y/z.md' });
    expect(at('SKILL.md')).toEqual({ uri: entry.uri, path: 'SKILL.md' });
    expect(at('x.md', 'inner/SKILL.md')).toEqual({ uri: `${base}/inner/x.md`, path: 'inner/x.md' });
    for (const reference of ['..', '../x', 'a/../../x', '%2e%2e/x', '.', 'skill://acme/x', 'skill://acme/refunds'])
      expect(at(reference)).toBeUndefined();
  });

  test('never leads out of the skill', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '%2e',
      '%2f',
      'a',
      '\\',
      'skill://',
      'acme',
      'refunds',
      '#',
      '?',
      '%',
      '',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const resolved = resolveFileReference(pieces.join(''), { entry: dynamic });
        if (resolved === undefined) return;
        expect(new URL(resolved.uri.replace('skill:', 'http:')).href).toMatch(/^http:\/\/acme\/refunds\/./);
        expect(resolved.path.split('/')).not.toContain('..');
      }),
    );
  });
});
