import { describe, expect, test } from 'vitest';
import { checkedWrite, createValueMap } from './value-map.ts';

const keys = [['b'], ['a', 'b'], ['a'], ['a', 'B'], ['a', 'b', 'c'], ['aa'], ['é'], ['a', 'ba']];
const inOrder = [['a'], ['a', 'B'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'ba'], ['aa'], ['b'], ['é']];
const all = (map: ReturnType<typeof createValueMap>, ...prefix: string[]) => map.entries(prefix).map(({ key }) => key);

describe.each([true, false])('keys are sorted, even if read before they are written: %s', (before) => {
  const map = createValueMap();
  if (before) map.entries([]);
  for (const [value, key] of keys.entries()) map.apply([{ key, value }]);

  test('returns all entries, and those below a key', () => {
    expect(all(map)).toEqual(inOrder);
    expect(all(map, 'a')).toEqual(inOrder.slice(0, 5));
    expect(all(map, 'a', 'b')).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
    expect(all(map, 'c')).toEqual([]);
    expect(map.entries(['é'])).toEqual([{ key: ['é'], value: 6 }]);
  });

  test('a value replaces another, and can be removed', () => {
    map.apply([{ key: ['a', 'b'], value: 'new' }]);
    expect(map.get(['a', 'b'])).toBe('new');
    expect(all(map)).toEqual(inOrder);
    map.apply([
      { key: ['a', 'b'], value: undefined },
      { key: ['nothing'], value: undefined },
    ]);
    expect(map.get(['a', 'b'])).toBeUndefined();
    expect(all(map)).toEqual(inOrder.filter((key) => key.join() !== 'a,b'));
    expect([...map.values()]).toHaveLength(inOrder.length - 1);
  });
});

test('the revision grows with each change, and not if nothing is cleared', () => {
  const map = createValueMap();
  map.clear();
  expect(map.revision()).toBe(0);
  map.apply([{ key: ['a'], value: 1 }]);
  expect(map.revision()).toBe(1);
  map.clear();
  expect([map.revision(), map.get(['a']), all(map)]).toEqual([2, undefined, []]);
  map.clear();
  expect(map.revision()).toBe(2);
});

describe('checkedWrite()', () => {
  test('makes immutable copies', () => {
    const value = { list: [1], none: undefined };
    const key = ['a'];
    const written = checkedWrite({ key, value: value as never });
    value.list.push(2);
    key.push('b');
    expect(written).toEqual({ key: ['a'], value: { list: [1] } });
    expect([written.key, written.value, (written.value as unknown as typeof value).list].every(Object.isFrozen)).toBe(
      true,
    );
    expect(checkedWrite({ key: ['a'], value: undefined })).toEqual({ key: ['a'], value: undefined });
  });

  test.each([
    [[], 1],
    ['a', 1],
    [['a', 1], 1],
    [['a'], () => 1],
    [['a'], Symbol('a')],
  ])('refuses %j', (key, value) => {
    expect(() => checkedWrite({ key, value } as never)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
