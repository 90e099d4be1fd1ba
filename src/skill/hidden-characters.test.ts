import { describe, expect, test } from 'vitest';
import { describeHidden, hiddenCharacters } from './hidden-characters.ts';

describe('hiddenCharacters()', () => {
  test.each([
    ['tag characters', 'a\u{e0041}\u{e007f}', 'tag', 2],
    ['the variation selectors supplement', 'a\u{e0100}\u{e01ef}', 'variation-selector', 2],
    ['a second variation selector', 'a\ufe0f\ufe01', 'variation-selector', 1],
    ['a variation selector after a blank', 'a \ufe01', 'variation-selector', 1],
    ['embedding and override', 'a\u202a\u202e', 'bidi', 2],
    ['isolates', '\u2066a\u2069', 'bidi', 2],
    ['zero-width space and word joiner', 'a\u200bb\u2060', 'invisible', 2],
    ['soft hyphen', 'a\u00adb', 'invisible', 1],
    ['a byte-order mark inside', 'a\ufeffb', 'invisible', 1],
    ['invisible operators', 'a\u2062b', 'invisible', 1],
    ['Hangul filler', '\u3164', 'invisible', 1],
    ['a joiner between Latin letters', 'a\u200db', 'invisible', 1],
    ['a non-joiner after an emoji', '\u{1f600}\u200cx', 'invisible', 1],
    ['a joiner at the end of an emoji', '\u{1f600}\u200d', 'invisible', 1],
    ['NUL and escape', '\0\u001b[31m', 'control', 2],
    ['delete and C1', '\u007f\u0085\u009b', 'control', 3],
  ])('counts %s', (_what, text, kind, count) => {
    expect(hiddenCharacters(text)).toMatchObject([{ kind, count }]);
  });

  test.each([
    ['tabs and line ends', 'a\tb\r\nc\n'],
    ['an emoji with a variation selector', '\u2764\ufe0f 1\ufe0f\u20e3'],
    ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['an emoji of several parts', '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f'],
    ['a skin tone before a joiner', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'],
    ['Persian with a non-joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['Hindi with a joiner', '\u0915\u094d\u200d\u0937'],
    ['a right-to-left mark', '\u05d0\u200f!'],
    ['combining marks', 'e\u0301'],
  ])('ignores %s', (_what, text) => {
    expect(hiddenCharacters(text)).toEqual([]);
  });

  test('returns each kind once, with its first location', () => {
    expect(hiddenCharacters('ab\u200b\u202e\u200b')).toEqual([
      { kind: 'invisible', count: 2, first: 2 },
      { kind: 'bidi', count: 1, first: 3 },
    ]);
  });

  test('describeHidden() counts in words', () => {
    expect(describeHidden('control', 1)).toBe('1 control character');
    expect(describeHidden('bidi', 2)).toBe('2 bidirectional controls, which can change the order of text');
  });
});
