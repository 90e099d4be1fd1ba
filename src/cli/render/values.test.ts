import { expect, test } from 'vitest';
import { byteSize } from './values.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1434, '1.4 KiB'],
  [10_240, '10 KiB'],
  [1_048_575, '1 MiB'],
  [16 * 1024 * 1024, '16 MiB'],
  [5.5 * 1024 ** 3, '5.5 GiB'],
  [3000 * 1024 ** 4, '3000 TiB'],
])('byteSize(%i) is %s', (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});
