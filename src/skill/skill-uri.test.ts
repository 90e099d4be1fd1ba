import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { buildSkillUri, isSkillFileUri, parseSkillUri, skillFileUri, tryParseSkillUri } from './skill-uri.ts';

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof SkillwireError) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

describe('buildSkillUri()', () => {
  test.each([
    ['refunds/SKILL.md', 'skill://refunds/SKILL.md'],
    ['acme/refunds/templates/a b.md', 'skill://acme/refunds/templates/a%20b.md'],
    ['\u6280\u80fd/SKILL.md', 'skill://%E6%8A%80%E8%83%BD/SKILL.md'],
    ['cafe\u0301', 'skill://caf%C3%A9'],
    ['owner:repo/x@y', 'skill://owner%3Arepo/x%40y'],
    ['a/%2e%2e', 'skill://a/%252e%252e'],
    ['a/Q&A? #1.md', 'skill://a/Q%26A%3F%20%231.md'],
    ['a/...', 'skill://a/...'],
    ["a/it's (1)!*~.md", "skill://a/it's%20(1)!*~.md"],
  ])('writes "%s" as %s', (path, uri) => {
    expect(buildSkillUri(path)).toBe(uri);
    expect(buildSkillUri(path.split('/'))).toBe(uri);
  });

  test.each([
    ['nothing', ''],
    ['no segments', []],
    ['a leading slash', '/a'],
    ['a trailing slash', 'a/'],
    ['an empty segment', 'a//b'],
    ['a dot segment', 'a/./b'],
    ['a double dot segment', ['a', '..', 'b']],
    ['a slash in a segment', ['a', 'b/c']],
    ['a backslash', 'a\\b'],
    ['NUL', 'a/\0'],
    ['a control character', 'a/\u0007'],
    ['a lone surrogate', 'a/\ud800'],
    ['more than the longest URI', 'a'.repeat(limits.uri.characters)],
  ])('refuses %s', (_what, path) => {
    expect(codeOf(() => buildSkillUri(path))).toBe('INVALID_URI');
  });
});

describe('parseSkillUri()', () => {
  test('reads path, segments and canonical spelling', () => {
    expect(parseSkillUri('skill://acme/refunds/a%20b.md')).toEqual({
      path: 'acme/refunds/a b.md',
      segments: ['acme', 'refunds', 'a b.md'],
      uri: 'skill://acme/refunds/a%20b.md',
      trailingSlash: false,
    });
  });

  test('reads the bare scheme as the empty path', () => {
    expect(parseSkillUri('skill://')).toEqual({ path: '', segments: [], uri: 'skill://', trailingSlash: false });
  });

  test('reports a trailing slash and drops it from the canonical spelling', () => {
    expect(parseSkillUri('skill://a/b/')).toEqual({
      path: 'a/b',
      segments: ['a', 'b'],
      uri: 'skill://a/b',
      trailingSlash: true,
    });
  });

  test.each([
    ['raw characters outside ASCII', 'skill://\u6280\u80fd/SKILL.md', 'skill://%E6%8A%80%E8%83%BD/SKILL.md'],
    ['lower-case hexadecimal', 'skill://%e6%8a%80%e8%83%bd/SKILL.md', 'skill://%E6%8A%80%E8%83%BD/SKILL.md'],
    ['encoded letters', 'skill://%61%63me/SK%49LL.md', 'skill://acme/SKILL.md'],
    ['NFD', 'skill://cafe\u0301/SKILL.md', 'skill://caf%C3%A9/SKILL.md'],
    ['encoded NFD', 'skill://cafe%CC%81/SKILL.md', 'skill://caf%C3%A9/SKILL.md'],
    ['an upper-case scheme', 'SKILL://acme/SKILL.md', 'skill://acme/SKILL.md'],
    ['raw blanks', 'skill://a/b c.md', 'skill://a/b%20c.md'],
    [
      'raw reserved characters',
      'skill://owner:repo/Q&A=1;2,3+4@$.md',
      'skill://owner%3Arepo/Q%26A%3D1%3B2%2C3%2B4%40%24.md',
    ],
  ])('accepts %s', (_what, given, canonical) => {
    expect(parseSkillUri(given).uri).toBe(canonical);
  });

  test('decodes exactly once', () => {
    expect(parseSkillUri('skill://a/%252e%252e/%252f').segments).toEqual(['a', '%2e%2e', '%2f']);
  });

  test.each([
    ['another scheme', 'https://a/SKILL.md'],
    ['no scheme', 'a/SKILL.md'],
    ['nothing', ''],
    ['a scheme without slashes', 'skill:a/SKILL.md'],
    ['a blank before the scheme', ' skill://a'],
    ['a dot segment', 'skill://a/./b'],
    ['a double dot segment', 'skill://a/../b'],
    ['a final double dot segment', 'skill://a/..'],
    ['a first dot segment', 'skill://../a'],
    ['an encoded dot segment', 'skill://a/%2e/b'],
    ['a half encoded dot segment', 'skill://a/.%2E/b'],
    ['an encoded double dot segment', 'skill://a/%2e%2e/b'],
    ['an encoded slash', 'skill://a/b%2fc'],
    ['an encoded slash in upper case', 'skill://a/b%2Fc'],
    ['an encoded backslash', 'skill://a/b%5cc'],
    ['a raw backslash', 'skill://a\\b'],
    ['a raw NUL', 'skill://a/\0'],
    ['an encoded NUL', 'skill://a/%00'],
    ['a raw line break', 'skill://a/b\nc'],
    ['an encoded line break', 'skill://a/b%0ac'],
    ['an encoded delete character', 'skill://a/%7f'],
    ['an encoded C1 control', 'skill://a/%C2%85'],
    ['a query', 'skill://a/b?x=1'],
    ['a fragment', 'skill://a/b#x'],
    ['an empty segment', 'skill://a//b'],
    ['an empty first segment', 'skill:///a'],
    ['a slash alone', 'skill:///'],
    ['two trailing slashes', 'skill://a//'],
    ['a lone percent sign', 'skill://a/100%'],
    ['a percent sign without digits', 'skill://a/%zz'],
    ['a cut percent sequence', 'skill://a/%C3'],
    ['percent-encoded bytes that are not UTF-8', 'skill://a/%ff%fe'],
    ['an overlong encoded slash', 'skill://a/%c0%af'],
    ['an encoded surrogate', 'skill://a/%ed%a0%80'],
    ['a lone surrogate', 'skill://a/\ud800'],
    ['a URI longer than the limit', `skill://${'a'.repeat(limits.uri.characters)}`],
    ['a URI whose canonical form is longer than the limit', `skill://${'\u6280'.repeat(limits.uri.characters / 4)}`],
  ])('refuses %s', (_what, uri) => {
    expect(codeOf(() => parseSkillUri(uri))).toBe('INVALID_URI');
    expect(tryParseSkillUri(uri)).toBeUndefined();
  });

  test('names the URI and the reason in its error', () => {
    expect(() => parseSkillUri('skill://a/%2e%2e/b\u202e')).toThrow(
      '"skill://a/%2e%2e/b\\u{202e}" is not a valid skill URI: the segment "%2e%2e" is "..", which means another folder',
    );
  });
});

const segment = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((text) => text !== '.' && text !== '..' && !/[/\\\p{Cc}\p{Cs}]/u.test(text));
const path = fc.array(segment, { minLength: 1, maxLength: 6 });

describe('skill URIs in general', () => {
  test('parsing a built URI returns the path in NFC, and building that returns the same URI', () => {
    fc.assert(
      fc.property(path, (segments) => {
        const uri = buildSkillUri(segments);
        const parsed = parseSkillUri(uri);
        expect(parsed.segments).toEqual(segments.map((text) => text.normalize('NFC')));
        expect(parsed.uri).toBe(uri);
        expect(buildSkillUri(parsed.path)).toBe(uri);
      }),
    );
  });

  test('WHATWG parsers do not change canonical URIs', () => {
    fc.assert(
      fc.property(path, (segments) => {
        const uri = buildSkillUri(segments);
        expect(new URL(uri).href).toBe(uri);
      }),
    );
    for (let code = 0x20; code <= 0x2fff; code++) {
      const text = String.fromCodePoint(code);
      if (/[/\\.\p{Cc}]/u.test(text)) continue;
      const uri = buildSkillUri([text, `x${text}y`, text]);
      expect(new URL(uri).href).toBe(uri);
    }
  });

  test('a URI rewritten by a WHATWG parser names the same path or is refused', () => {
    fc.assert(
      fc.property(fc.webPath(), (text) => {
        const given = tryParseSkillUri(`skill://s${text}`);
        if (given === undefined) return;
        expect(tryParseSkillUri(new URL(`skill://s${text}`).href)?.uri).toBe(given.uri);
      }),
    );
  });

  test('hostile text is a URI or an INVALID_URI error', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '.',
        '..',
        '%',
        '%2',
        '%2e',
        '%2F',
        '%5C',
        '%00',
        '%ff',
        '\\',
        '?',
        '#',
        '\0',
        '\ud800',
        'skill://',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(piece, { maxLength: 12 }), (scheme, pieces) => {
        const text = (scheme ? 'skill://' : '') + pieces.join('');
        const code = codeOf(() => {
          const { uri, segments } = parseSkillUri(text);
          expect(parseSkillUri(uri).uri).toBe(uri);
          expect(segments.some((part) => ['', '.', '..'].includes(part) || /[/\\\p{Cc}]/u.test(part))).toBe(false);
        });
        expect(['INVALID_URI', 'nothing thrown']).toContain(code);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('URIs of files in a skill', () => {
  test('skillFileUri() joins two decoded paths', () => {
    expect(skillFileUri('acme/refunds', 'templates/a b.md')).toBe('skill://acme/refunds/templates/a%20b.md');
    expect(codeOf(() => skillFileUri('acme', '../other/SKILL.md'))).toBe('INVALID_URI');
  });

  test.each(['skill://a/SKILL.md', 'skill://a/b%20c/SKILL.md'])('isSkillFileUri() accepts %s', (uri) => {
    expect(isSkillFileUri(uri)).toBe(true);
  });

  test.each([
    'skill://SKILL.md',
    'skill://a/skill.md',
    'skill://a/SKILL.md/',
    'skill://a/xSKILL.md',
    'SKILL://a/SKILL.md',
    'skill://a/%53KILL.md',
    'skill://a b/SKILL.md',
    'skill://a/../b/SKILL.md',
    'https://a/SKILL.md',
    'skill://a',
  ])('isSkillFileUri() refuses %s', (uri) => {
    expect(isSkillFileUri(uri)).toBe(false);
  });
});

test('parseSkillUri() refuses more segments than a path of a skill can have', () => {
  expect(parseSkillUri(`skill://${'a/'.repeat(99)}b`).segments).toHaveLength(100);
  expect(() => parseSkillUri(`skill://${'a/'.repeat(100)}b`)).toThrow(/segments/);
});
