import { describe, expect, test } from 'vitest';
import { isJsonObject, sameJson, sortedJson } from './json.ts';

test.each([[{}], [{ a: 1 }], [Object.create(null)]])('isJsonObject(%j)', (value) => {
  expect(isJsonObject(value)).toBe(true);
});

test.each([[null], [undefined], [[]], ['{}'], [1]])('isJsonObject(%j) is false', (value) => {
  expect(isJsonObject(value)).toBe(false);
});

describe('sameJson()', () => {
  const getter = Object.defineProperty({}, 'a', { enumerable: true, get: () => [1] });

  test.each([
    ['equal text', 'a', 'a'],
    ['keys in another order', { a: 1, b: { c: [null], d: 'x' } }, { b: { d: 'x', c: [null] }, a: 1 }],
    ['a key without a value', { a: 1 }, { a: 1, b: undefined }],
    ['a computed field', { a: [1] }, getter],
    ['not a number', { a: Number.NaN }, { a: Number.NaN }],
    ['a key of the prototype', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
    ['nothing', undefined, undefined],
  ])('is true for %s', (_, a, b) => {
    expect([sameJson(a, b), sameJson(b, a)]).toEqual([true, true]);
  });

  test.each([
    ['another type', 1, '1'],
    ['null and an object', null, {}],
    ['null and nothing', { a: null }, {}],
    ['a list and an object', [], {}],
    ['a list in another order', [1, 2], [2, 1]],
    ['a longer list', [1], [1, 2]],
    ['a deeper value', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    ['one key more', { a: 1 }, { a: 1, b: null }],
    ['another key', { a: 1 }, { b: 1 }],
    ['a key that every object inherits', {}, { toString: 1 }],
    ['an inherited value', { constructor: Object }, {}],
    ['a key of the prototype', JSON.parse('{"__proto__":1}'), {}],
  ])('is false for %s', (_, a, b) => {
    expect([sameJson(a, b), sameJson(b, a)]).toEqual([false, false]);
  });
});

test('sortedJson() sorts the keys on every level and changes nothing else', () => {
  const value = JSON.parse('{"b":[2,1,{"d":1,"c":2}],"a":"x","__proto__":1}');
  expect(JSON.stringify(sortedJson(value))).toBe('{"__proto__":1,"a":"x","b":[2,1,{"c":2,"d":1}]}');
});
