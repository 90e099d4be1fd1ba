import { describe, expect, test } from 'vitest';
import { cutToWidth, shownWidth } from './text-width.ts';

describe('shownWidth()', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['한', 2],
    ['😀', 2],
    ['Ａ', 2],
  ])('of %j is %i', (text, width) => {
    expect(shownWidth(text)).toBe(width);
  });
});

describe('cutToWidth()', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abc...'],
    ['ab cdefg', 6, 'ab...'],
    ['漢字漢字', 7, '漢字...'],
    ['漢字漢字', 8, '漢字漢字'],
    ['abcdef', 2, '..'],
    ['abcdef', 0, ''],
    ['😀😀😀', 5, '😀...'],
  ])('cuts %j to %i cells', (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut);
    expect(shownWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width);
  });
});
