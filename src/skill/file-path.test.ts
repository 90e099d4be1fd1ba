import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldName, parseFileName, windowsFault } from './file-path.ts';
import { buildSkillUri, parseSkillUri } from './skill-uri.ts';

describe('parseFileName()', () => {
  test('publishes names in NFC', () => {
    expect(parseFileName('cafe\u0301.md')).toEqual({ ok: true, name: 'caf\u00e9.md' });
  });

  test.each(['a', '.hidden', '...', 'a b.md', 'a%20b', '\u6280\u80fd.md', `${'\u00e9'.repeat(127)}a`])(
    'accepts "%s"',
    (name) => {
      expect(parseFileName(name)).toEqual({ ok: true, name });
    },
  );

  test.each([
    ['', 'is empty'],
    ['.', 'is ".", which means another folder'],
    ['..', 'is "..", which means another folder'],
    ['a\0b', 'contains a NUL character'],
    ['a/b', 'contains a slash'],
    ['a\\b', 'contains a backslash'],
    ['a\nb', 'contains a control character'],
    ['a\u007f', 'contains a control character'],
    ['a\u0085', 'contains a control character'],
    ['a\ud800', 'contains half of a surrogate pair, which is not valid Unicode'],
    ['\udc00a', 'contains half of a surrogate pair, which is not valid Unicode'],
    ['a'.repeat(256), 'has 256 bytes; at most 255 are allowed'],
    ['\u00e9'.repeat(128), 'has 256 bytes; at most 255 are allowed'],
  ])('refuses %j', (name, fault) => {
    expect(parseFileName(name)).toEqual({ ok: false, fault });
  });

  test('every accepted path survives a round trip through a skill URI', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), (text) => {
        const parsed = parseFileName(text);
        if (parsed.ok) expect(parseSkillUri(buildSkillUri(['s', parsed.name])).segments[1]).toBe(parsed.name);
      }),
    );
  });
});

describe('windowsFault()', () => {
  test.each(['a.md', 'console', 'com', 'com10', 'nul-values.md', 'lpt', '.env', 'auxiliary.txt'])(
    'accepts "%s"',
    (name) => {
      expect(windowsFault(name)).toBeUndefined();
    },
  );

  test.each([
    ['CON', 'is a device name (CON)'],
    ['nul.txt', 'is a device name (NUL)'],
    ['aux.tar.gz', 'is a device name (AUX)'],
    ['prn .txt', 'is a device name (PRN)'],
    ['com1', 'is a device name (COM1)'],
    ['lpt\u00b9', 'is a device name (LPT\u00b9)'],
    ['CONIN$', 'is a device name (CONIN$)'],
    ['a:b', 'contains the character :'],
    ['a?', 'contains the character ?'],
    ['a<b', 'contains the character <'],
    ['a>b', 'contains the character >'],
    ['a"b', 'contains the character "'],
    ['a|b', 'contains the character |'],
    ['a*b', 'contains the character *'],
    ['a.', 'ends with a dot'],
    ['a ', 'ends with a space'],
  ])('refuses "%s"', (name, fault) => {
    expect(windowsFault(name)).toBe(fault);
  });
});

describe('foldName()', () => {
  test.each([
    ['SKILL.md', 'skill.md'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u017f', 's'],
    ['\u03c3', '\u03c2'],
    ['\ufb01le', 'file'],
    ['caf\u00e9', 'CAFE\u0301'],
  ])('folds "%s" and "%s" to the same name', (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  test('keeps different names apart', () => {
    expect(foldName('a-b')).not.toBe(foldName('a_b'));
  });

  test('is idempotent for every code point', () => {
    const changed: number[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const folded = foldName(String.fromCodePoint(code));
      if (foldName(folded) !== folded) changed.push(code);
    }
    expect(changed).toEqual([]);
  });
});
