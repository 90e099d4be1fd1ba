import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8 } from './media-type.ts';
import { utf8FaultOffset } from './utf8-bytes.ts';

describe('utf8FaultOffset()', () => {
  test.each([
    ['an overlong slash', [0x61, 0xc0, 0xaf], 1],
    ['an overlong three-byte form', [0xe0, 0x80, 0xaf], 0],
    ['an overlong four-byte form', [0xf0, 0x80, 0x80, 0xaf], 0],
    ['a surrogate', [0x61, 0x62, 0xed, 0xa0, 0x80], 2],
    ['a code point above the last', [0xf4, 0x90, 0x80, 0x80], 0],
    ['a lone continuation byte', [0x61, 0x80], 1],
    ['a truncated sequence', [0x61, 0xe6, 0x8a], 1],
    ['a sequence that is cut by a letter', [0xe6, 0x8a, 0x61], 0],
    ['a byte that never occurs', [0x61, 0xff], 1],
  ])('finds %s', (_what, bytes, offset) => {
    expect(utf8FaultOffset(Uint8Array.from(bytes))).toBe(offset);
  });

  test.each([
    0x7f, 0x80, 0x7ff, 0x800, 0xfff, 0x1000, 0xcfff, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x3ffff, 0x40000, 0xfffff,
    0x100000, 0x10ffff,
  ])('finds nothing in the code point %i, and a fault if it is cut', (point) => {
    const bytes = new TextEncoder().encode(`a${String.fromCodePoint(point)}`);
    expect(utf8FaultOffset(bytes)).toBeUndefined();
    for (let end = 2; end < bytes.length; end++) expect(utf8FaultOffset(bytes.subarray(0, end))).toBe(1);
  });

  test('agrees with the decoder of the platform on every input', () => {
    const byte = fc.oneof(
      fc.nat(255),
      fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (values) => {
        const bytes = Uint8Array.from(values);
        const offset = utf8FaultOffset(bytes);
        expect(offset === undefined).toBe(decodeUtf8(bytes) !== undefined);
        if (offset !== undefined) expect(decodeUtf8(bytes.subarray(0, offset))).toBeDefined();
      }),
      { numRuns: 5_000 },
    );
  });
});
