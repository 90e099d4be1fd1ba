import { describe, expect, test } from 'vitest';
import { withinBudget } from './listing-budget.ts';

const skill = (path: string, description = 'text') => ({
  path,
  entry: { frontmatter: { name: path.split('/').at(-1) ?? '', description } },
});
const listed = ['a/one', 'a/three', 'a/two', 'b/one', 'c/one', 'c/two'].map((path) => skill(path));
const paths = (rows: readonly { path: string }[]): readonly string[] => rows.map(({ path }) => path);

describe('withinBudget()', () => {
  test('returns the same list if everything fits', () => {
    expect(withinBudget(listed, { skills: 6 })).toBe(listed);
    expect(withinBudget(listed, { skills: 99, characters: 9_999 })).toBe(listed);
  });

  test('takes one skill of each origin in turn, and keeps the order', () => {
    expect(paths(withinBudget(listed, { skills: 4 }))).toEqual(['a/one', 'a/three', 'b/one', 'c/one']);
  });

  test('takes named skills first, in the order of the patterns', () => {
    expect(paths(withinBudget(listed, { skills: 2, first: ['c/two', 'a/'] }))).toEqual(['a/one', 'c/two']);
    expect(paths(withinBudget(listed, { skills: 1, first: ['c/two', 'a/'] }))).toEqual(['c/two']);
  });

  test('counts characters of names and descriptions, and skips skills that do not fit', () => {
    const some = [skill('a/x', 'y'.repeat(50)), skill('b/x', 'y'.repeat(5)), skill('c/x', 'y'.repeat(5))];
    expect(paths(withinBudget(some, { characters: 12 }))).toEqual(['b/x', 'c/x']);
    expect(paths(withinBudget(some, { characters: 11 }))).toEqual(['b/x']);
    expect(paths(withinBudget(some, { characters: 57 }))).toEqual(['a/x', 'b/x']);
  });
});
