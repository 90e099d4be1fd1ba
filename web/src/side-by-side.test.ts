import { describe, expect, test } from 'vitest';
import { pairsOf } from './side-by-side.ts';

describe('pairsOf()', () => {
  test('pairs removed lines with added ones, and marks omitted lines', () => {
    const pairs = pairsOf([
      { kind: ' ', text: 'a', beforeLine: 1, afterLine: 1 },
      { kind: '-', text: 'b', beforeLine: 2 },
      { kind: '-', text: 'c', beforeLine: 3 },
      { kind: '+', text: 'B', afterLine: 2 },
      { kind: ' ', text: 'd', beforeLine: 4, afterLine: 3 },
      { kind: ' ', text: 'x', beforeLine: 40, afterLine: 39 },
      { kind: '+', text: 'y', afterLine: 40 },
    ]);
    expect(pairs.map(({ left, right, gap }) => [left?.text, right?.text, gap])).toEqual([
      ['a', 'a', false],
      ['b', 'B', false],
      ['c', undefined, false],
      ['d', 'd', false],
      ['x', 'x', true],
      [undefined, 'y', false],
    ]);
  });
});
