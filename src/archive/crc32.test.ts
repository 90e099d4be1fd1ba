import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32, tableCrc32 } from './crc32.ts';

test.each([
  ['crc32()', crc32],
  ['tableCrc32()', tableCrc32],
])('%s gives the check value of its definition', (_, checksum) => {
  expect(checksum(Buffer.from('123456789'))).toBe(0xcbf43926);
  expect(checksum(new Uint8Array(0))).toBe(0);
});

test('crc32() and tableCrc32() agree on any bytes at any place in memory', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(9), (bytes, skip) => {
      const part = bytes.subarray(skip);
      expect(tableCrc32(part)).toBe(crc32(part));
    }),
  );
});
