import { describe, expect, test } from 'vitest';
import { freezeWhole, isFrozenWhole } from './frozen.ts';

describe('freezeWhole()', () => {
  test('freezes every part, and says so of the whole', () => {
    const value = { list: [{ deep: { text: 'a' } }], other: null };
    expect(isFrozenWhole(value)).toBe(false);
    expect(freezeWhole(value)).toBe(value);
    expect(() => {
      (value.list[0] as { deep: { text: string } }).deep.text = 'b';
    }).toThrow(TypeError);
    expect(() => value.list.push({ deep: { text: 'c' } })).toThrow(TypeError);
    expect(isFrozenWhole(value)).toBe(true);
    expect(isFrozenWhole({ list: value.list })).toBe(false);
  });

  test('does not take a value for frozen that is only so outside, and freezes its inside', () => {
    const inner = { text: 'a' };
    const value = Object.freeze({ inner });
    expect(isFrozenWhole(value)).toBe(false);
    freezeWhole(value);
    expect(Object.isFrozen(inner)).toBe(true);
    expect(isFrozenWhole(value)).toBe(true);
  });

  test('leaves texts, numbers and nothing as they are', () => {
    expect([freezeWhole('a'), freezeWhole(1), freezeWhole(null), freezeWhole(undefined)]).toEqual([
      'a',
      1,
      null,
      undefined,
    ]);
    expect([isFrozenWhole('a'), isFrozenWhole(null)]).toEqual([false, false]);
  });
});
