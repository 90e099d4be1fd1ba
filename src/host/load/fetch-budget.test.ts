import { expect, test } from 'vitest';
import { createFetchBudget } from './fetch-budget.ts';

test('an origin that has spent its files or bytes fetches nothing until the period has passed', () => {
  let now = 1_000;
  const budget = createFetchBudget({ files: 3, bytes: 100, windowMs: 50 }, () => now);
  budget.spend('a', 60);
  expect(() => budget.spend('a', 41)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
  budget.spend('a', 40);
  budget.spend('a', 0);
  expect(() => budget.spend('a', 0)).toThrow(/3 files and 100 bytes/);
  budget.spend('a', 0, 0);
  budget.spend('b', 100);
  now += 50;
  budget.spend('a', 100);
});

test('a clock that is set back does not block an origin', () => {
  let now = 1_000;
  const budget = createFetchBudget({ files: 1, bytes: 1, windowMs: 50 }, () => now);
  budget.spend('a', 1);
  now = 10;
  budget.spend('a', 1);
});
