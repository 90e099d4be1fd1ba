import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { resourceKey, tryParseResourceUri } from './resource-uri.ts';
import { buildSkillUri } from './skill-uri.ts';

describe('tryParseResourceUri()', () => {
  test.each<[uri: string, scheme: string, path: string, canonical: boolean]>([
    ['skill://refunds/SKILL.md', 'skill', 'refunds/SKILL.md', true],
    ['github://owner/repo/skills/refunds/SKILL.md', 'github', 'owner/repo/skills/refunds/SKILL.md', true],
    ['skill://acme/refunds/a%20b.md', 'skill', 'acme/refunds/a b.md', true],
    ['skill://acme/refunds/a b.md', 'skill', 'acme/refunds/a b.md', false],
    ['skill://acme/b@2/SKILL.md', 'skill', 'acme/b@2/SKILL.md', true],
    ['skill://owner:repo/SKILL.md', 'skill', 'owner:repo/SKILL.md', false],
    ['skill://技能/SKILL.md', 'skill', '技能/SKILL.md', false],
    ['skill://%E6%8A%80%E8%83%BD/SKILL.md', 'skill', '技能/SKILL.md', true],
    ['skill://%e6%8a%80%e8%83%bd/SKILL.md', 'skill', '技能/SKILL.md', false],
    ['skill://acme/%61.md', 'skill', 'acme/a.md', false],
    ['SKILL://acme/x', 'skill', 'acme/x', false],
    ['skill://acme/cafe%CC%81', 'skill', 'acme/caf\u00e9', false],
    ['skill://SKILL.md', 'skill', 'SKILL.md', true],
    ['skill://a/...', 'skill', 'a/...', true],
    ['https://example.com/skills/x/SKILL.md', 'https', 'example.com/skills/x/SKILL.md', true],
  ])('reads %s', (uri, scheme, path, canonical) => {
    expect(tryParseResourceUri(uri)).toEqual({ uri, scheme, path, segments: path.split('/'), canonical });
  });

  test.each([
    '',
    'skill:',
    'skill://',
    'skill:///x',
    'skill:refunds/SKILL.md',
    'refunds/SKILL.md',
    '//refunds/SKILL.md',
    'skill://a//b',
    'skill://a/b/',
    'skill://a/./b',
    'skill://a/../b',
    'skill://../b',
    'skill://a/%2e%2e/b',
    'skill://a/%2E/b',
    'skill://a/.%2e/b',
    'skill://a/b%2fc',
    'skill://a/b%5Cc',
    'skill://a/b\\c',
    'skill://a/b%00',
    'skill://a/b%0a',
    'skill://a/b\nc',
    'skill://a/b?c',
    'skill://a/b#c',
    'skill://a/%zz',
    'skill://a/%',
    'skill://a/%ff',
    'skill://a/\ud800',
    'file:///etc/passwd',
    'FILE://etc/passwd',
    'data://text/plain',
    'javascript://x/%61',
    'blob://x/y',
    '1skill://a/b',
    `skill://${'a/'.repeat(limits.uri.segments)}b`,
    `skill://${'a'.repeat(limits.uri.characters)}`,
  ])('refuses %j', (uri) => {
    expect(tryParseResourceUri(uri)).toBeUndefined();
  });

  test('accepts every canonical skill URI as canonical', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), { minLength: 1 }), (parts) => {
        const segments = parts.map((part) => part.replace(/[\p{Cc}\p{Cs}/\\]/gu, 'x').replace(/^\.{1,2}$/, 'x'));
        const uri = buildSkillUri(segments);
        const parsed = tryParseResourceUri(uri);
        expect(parsed?.path).toBe(segments.map((segment) => segment.normalize('NFC')).join('/'));
        expect(parsed?.canonical).toBe(true);
      }),
    );
  });
});

describe('resourceKey()', () => {
  test('is equal for spellings of one URI and differs between schemes', () => {
    const key = (uri: string): string => {
      const parsed = tryParseResourceUri(uri);
      if (parsed === undefined) throw new Error(uri);
      return resourceKey(parsed);
    };
    expect(key('skill://a/b c')).toBe(key('SKILL://a/b%20c'));
    expect(key('skill://a/b')).not.toBe(key('github://a/b'));
  });
});
