import { describe, expect, test } from 'vitest';
import { deepFreeze, isDeepFrozen } from './deep-freeze.ts';

describe('deepFreeze()', () => {
  test('freezes every part, and marks the whole as frozen', () => {
    const value = { list: [{ deep: { text: 'a' } }], other: null };
    expect(isDeepFrozen(value)).toBe(false);
    expect(deepFreeze(value)).toBe(value);
    expect(() => {
      (value.list[0] as { deep: { text: string } }).deep.text = 'b';
    }).toThrow(TypeError);
    expect(() => value.list.push({ deep: { text: 'c' } })).toThrow(TypeError);
    expect(isDeepFrozen(value)).toBe(true);
    expect(isDeepFrozen({ list: value.list })).toBe(false);
  });

  test('freezes the inside of a value that is frozen only outside', () => {
    const inner = { text: 'a' };
    const value = Object.freeze({ inner });
    expect(isDeepFrozen(value)).toBe(false);
    deepFreeze(value);
    expect(Object.isFrozen(inner)).toBe(true);
    expect(isDeepFrozen(value)).toBe(true);
  });

  test('returns primitives unchanged', () => {
    expect([deepFreeze('a'), deepFreeze(1), deepFreeze(null), deepFreeze(undefined)]).toEqual([
      'a',
      1,
      null,
      undefined,
    ]);
    expect([isDeepFrozen('a'), isDeepFrozen(null)]).toEqual([false, false]);
  });
});
