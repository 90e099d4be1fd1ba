import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayText, quoteText } from './display-text.ts';

describe('displayText()', () => {
  test.each([
    [
      'plain text',
      'Use <foo> & "bar" \\ caf\u00e9 \u6280\u80fd \u{1f600}',
      'Use <foo> & "bar" \\ caf\u00e9 \u6280\u80fd \u{1f600}',
    ],
    ['terminal escapes', '\u001b[2Jx', '\\u{1b}[2Jx'],
    ['line ends', 'a\nb\r\nc\rd', 'a\\nb\\r\\nc\\rd'],
    ['tabs', 'a\tb', 'a\\tb'],
    ['NUL', 'a\0', 'a\\u{0}'],
    ['C1 controls', '\u009b31m', '\\u{9b}31m'],
    ['bidirectional controls', '\u202eabc\u2066', '\\u{202e}abc\\u{2066}'],
    ['bidirectional marks', '\u200e\u200f\u061c', '\\u{200e}\\u{200f}\\u{61c}'],
    ['tag characters', '\u{e0041}', '\\u{e0041}'],
    ['zero-width characters', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['separators of lines and paragraphs', '\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['lone surrogates', '\ud800', '\\u{d800}'],
    ['a joined emoji', '\u{1f468}\u200d\u{1f469}', '\u{1f468}\u200d\u{1f469}'],
    ['a heart', '\u2764\ufe0f', '\u2764\ufe0f'],
  ])('shows %s', (_what, text, shown) => {
    expect(displayText(text)).toBe(shown);
  });

  test('keeps only line breaks and tabs of several lines', () => {
    expect(displayText('a\r\n\tb\nc\rd\u001b', { multiline: true })).toBe('a\n\tb\nc\\rd\\u{1b}');
  });

  test('escapes every control and bidirectional character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(displayText(text)).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u{e0000}-\u{e0fff}]/u);
        expect(displayText(text, { multiline: true })).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(displayText(displayText(text))).toBe(displayText(text));
      }),
    );
  });
});

describe('quoteText()', () => {
  test('quotes and escapes', () => {
    expect(quoteText('a\nb')).toBe('"a\\nb"');
  });

  test('cuts long text between characters', () => {
    expect(quoteText('a'.repeat(81))).toBe(`"${'a'.repeat(80)}..."`);
    expect(quoteText(`${'a'.repeat(79)}\u{1f600}b`)).toBe(`"${'a'.repeat(79)}..."`);
    expect(quoteText('a'.repeat(80))).toBe(`"${'a'.repeat(80)}"`);
  });
});
