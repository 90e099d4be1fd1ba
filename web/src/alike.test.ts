import { expect, test } from 'vitest';
import { withAlike } from './alike.ts';
import type { ListItem } from './filter-rows.ts';

const items = ['a', 'b', 'c', 'd'].map(
  (name): ListItem => ({ kind: 'skill', row: { uri: name } as never, hay: '', name }) as ListItem,
);
const hit = (uri: string, twins: readonly string[] = [], copies: readonly string[] = []) => ({ uri, twins, copies });

const texts = (...[hits, open = []]: [Parameters<typeof withAlike>[1], string[]?]): readonly string[] =>
  withAlike(items, hits, new Set(open)).map((item) =>
    item.kind === 'alike' ? `${item.uri}+${item.count}${item.isOpen ? '!' : ''}` : item.name,
  );

test('a hit stands for its twins and copies until it is opened', () => {
  expect(texts([hit('b', ['d'], ['a']), hit('c')])).toEqual(['b', 'b+2', 'c']);
  expect(texts([hit('b', ['d'], ['a'])], ['b'])).toEqual(['b', 'b+2!', 'a', 'd', 'c']);
});

test('what is not in the list is not counted, and the first that is stands for the rest', () => {
  expect(texts([hit('x', ['c', 'd', 'y'])])).toEqual(['a', 'b', 'c', 'c+1']);
  expect(texts([hit('a', ['x'])])).toEqual(['a', 'b', 'c', 'd']);
});

test('no skill is hidden twice, and none is lost', () => {
  expect(texts([hit('a', ['b']), hit('c', ['b', 'd'])])).toEqual(['a', 'a+1', 'c', 'c+1']);
  expect(texts([hit('a', ['b']), hit('b', ['c'])])).toEqual(['a', 'a+1', 'c', 'd']);
  expect(withAlike(items, [], new Set())).toBe(items);
});
