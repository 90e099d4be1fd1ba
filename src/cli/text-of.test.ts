import { expect, test } from 'vitest';
import { textOf } from './text-of.ts';

test('textOf() keeps every character, a byte-order mark too', () => {
  const bytes = new TextEncoder().encode('\ufeffaé\r\n😀');
  expect(textOf(bytes)).toBe('\ufeffaé\r\n😀');
  expect(textOf(new Uint8Array())).toBe('');
});

test.each([[[0xff]], [[0xc3]], [[0x61, 0, 0x62]], [[0xed, 0xa0, 0x80]]])('textOf() refuses the bytes %j', (bytes) => {
  expect(textOf(Uint8Array.from(bytes))).toBeUndefined();
});
