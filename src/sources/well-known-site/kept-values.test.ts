import { expect, test } from 'vitest';
import { keptValues } from './kept-values.ts';

test('keptValues() lets the value go that was not used for longest', () => {
  const kept = keptValues<string>(10);
  kept.set('a', 'A', 4);
  kept.set('b', 'B', 4);
  expect(kept.get('a')).toBe('A');
  kept.set('c', 'C', 4);
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['A', undefined, 'C']);
});

test('keptValues() counts a value that is replaced once, and keeps none that is too large', () => {
  const kept = keptValues<string>(10);
  kept.set('a', 'A', 9);
  kept.set('a', 'B', 2);
  kept.set('b', 'C', 8);
  expect([kept.get('a'), kept.get('b')]).toEqual(['B', 'C']);
  kept.set('c', 'D', 11);
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['B', 'C', undefined]);
  kept.delete('a');
  kept.clear();
  expect([kept.get('a'), kept.get('b')]).toEqual([undefined, undefined]);
});
