import { expect, test } from 'vitest';
import { stableJson } from './stable-json.ts';

test('stableJson() is equal for equal values, whatever the order of their keys', () => {
  expect(stableJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
  expect(stableJson({ a: 1, b: 2 })).toBe(stableJson({ b: 2, a: 1 }));
  expect(stableJson([1, 2])).not.toBe(stableJson([2, 1]));
});
