import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from './hidden-characters.ts';
import { mayHideCharacters, surveyBytes } from './utf8-bytes.ts';

/** The definition, byte by byte. */
function slowly(bytes: Uint8Array, from: number): { plain: boolean; lineFeeds: number } {
  let lineFeeds = 0;
  for (const [at, byte] of bytes.entries()) {
    const isPlain =
      byte === 0x09 || byte === 0x0a || (byte === 0x0d && bytes[at + 1] === 0x0a) || (byte >= 0x20 && byte < 0x7f);
    if (!isPlain) return { plain: false, lineFeeds: 0 };
    if (byte === 0x0a && at >= from) lineFeeds++;
  }
  return { plain: true, lineFeeds };
}

/** The bytes at an offset of larger memory. */
function placed(bytes: Uint8Array, offset: number): Uint8Array {
  const memory = new Uint8Array(bytes.length + offset + 4).fill(0x80);
  memory.set(bytes, offset);
  return memory.subarray(offset, offset + bytes.length);
}

describe('surveyBytes()', () => {
  test('checks every byte at every offset of a word', () => {
    for (let byte = 0; byte < 256; byte++)
      for (let at = 0; at < 9; at++) {
        const bytes = Buffer.from('plain text');
        bytes[at] = byte;
        for (const offset of [0, 1, 2, 3])
          expect(surveyBytes(placed(bytes, offset), 4), `${byte} at ${at}`).toEqual(slowly(bytes, 4));
      }
  });

  test('agrees with a byte-by-byte check', () => {
    const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x09, 0x20, 0x7e), fc.integer({ min: 0, max: 255 }));
    const mostlyPlain = fc.oneof({ weight: 40, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) }, byte);
    fc.assert(
      fc.property(fc.array(mostlyPlain, { maxLength: 60 }), fc.nat(60), fc.nat(3), (values, from, offset) => {
        const bytes = Uint8Array.from(values);
        expect(surveyBytes(placed(bytes, offset), from)).toEqual(slowly(bytes, from));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('mayHideCharacters()', () => {
  test('finds every character that can be hidden, at every place', () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = `a\n${String.fromCodePoint(code)}b`;
      if (hiddenCharacters(text).length > 0 && !mayHideCharacters(Buffer.from(text))) missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });

  test.each([
    'Text.\r\n\tMore',
    'caf\u00e9 \u2014 \u2192 \u2713 \u201cso\u201d\u2026',
    '\u6570\u636e\uff0c\u3002',
    '\ud83d\udce6',
  ])('knows that %j hides nothing', (text) => {
    expect(mayHideCharacters(Buffer.from(text))).toBe(false);
  });
});
