import { expect, test } from 'vitest';
import { spanMs } from './time-span.ts';

test.each([
  ['30d', 2_592_000_000],
  ['12h', 43_200_000],
  ['45m', 2_700_000],
])('spanMs(%j) is %d', (text, ms) => {
  expect(spanMs(text)).toBe(ms);
});

test.each(['', '30', '0d', 'd', '-1d', '1.5h', '30 d', '1w', '99999d'])('spanMs(%j) is undefined', (text) => {
  expect(spanMs(text)).toBeUndefined();
});
