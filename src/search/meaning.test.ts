import { describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { fusedScores, likeness, type Meaning, meaningOf, nearestTexts } from './meaning.ts';

function meaning(...values: number[]): Meaning {
  const made = meaningOf(values);
  if (made === undefined) throw new Error('no vector');
  return made;
}

describe('meaningOf()', () => {
  it.each([
    ['an empty one', []],
    ['zeros', [0, 0]],
    ['not a number', [1, Number.NaN]],
    ['infinity', [1, Number.POSITIVE_INFINITY]],
    ['one that is too long', new Float32Array(limits.search.dimensions + 1).fill(1)],
    ['texts', ['a', 'b'] as unknown as number[]],
  ])('does not accept %s as a vector', (_, vector) => {
    expect(meaningOf(vector)).toBeUndefined();
  });

  it('keeps the angle between vectors', () => {
    expect(likeness(meaning(1, 0), meaning(0.2, 0))).toBeCloseTo(1);
    expect(likeness(meaning(1, 0), meaning(0, 3))).toBeCloseTo(0);
    expect(likeness(meaning(1, 1), meaning(-1, -1))).toBeCloseTo(-1);
    expect(likeness(meaning(1, 1), meaning(1, 1, 1))).toBe(0);
  });
});

it('nearestTexts() finds the nearest of many, and ignores vectors of another length', () => {
  const around = (angle: number): Meaning => meaning(...Array.from({ length: 64 }, (_, at) => Math.cos(angle + at)));
  const texts = Array.from({ length: 500 }, (_, slot) => [slot, around(slot / 100)] as const);
  expect(nearestTexts(around(2), [...texts, [999, meaning(1, 2)]], 3)[0]).toBe(200);
  expect([...nearestTexts(around(2), texts, 3)].sort()).toEqual([199, 200, 201]);
});

it('fusedScores() ranks texts of both rankings before those of one', () => {
  const scores = [
    ...fusedScores([
      [1, 2, 3],
      [3, 4],
    ]),
  ]
    .sort((a, b) => b[1] - a[1])
    .map(([slot]) => slot);
  expect(scores[0]).toBe(3);
  expect(new Set(scores)).toEqual(new Set([1, 2, 3, 4]));
});
