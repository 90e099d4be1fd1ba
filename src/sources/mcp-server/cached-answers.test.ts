import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { isDeepFrozen } from '../../skill/deep-freeze.ts';
import { cachedAnswers } from './cached-answers.ts';

const numberFirst = (id: number, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const numberLast = (id: number, result: string): string => `{"result":${result},"jsonrpc":"2.0","id":${id}}`;

describe('keptAnswers()', () => {
  test.each([
    ['before', numberFirst],
    ['behind', numberLast],
  ])('recognizes an answer whose number is %s its result', (_, write) => {
    const cached = cachedAnswers();
    const result = JSON.parse('{"skill":{"uri":"x"}}');
    expect(cached.find('a', 1, write(1, '{"skill":{"uri":"x"}}'))).toBeUndefined();
    cached.store('a', 1, write(1, '{"skill":{"uri":"x"}}'), result);
    expect(cached.find('a', 234, write(234, '{"skill":{"uri":"x"}}'))?.result).toBe(result);
    expect(isDeepFrozen(result)).toBe(true);
  });

  test('does not match an answer with another letter, number, question or order', () => {
    const cached = cachedAnswers();
    cached.store('a', 1, numberFirst(1, '{"n":"ab"}'), { n: 'ab' });
    expect(cached.find('a', 2, numberFirst(2, '{"n":"ac"}'))).toBeUndefined();
    expect(cached.find('a', 2, numberFirst(2, '{"n":"abc"}'))).toBeUndefined();
    expect(cached.find('a', 2, numberFirst(3, '{"n":"ab"}'))).toBeUndefined();
    expect(cached.find('a', 2, `${numberFirst(2, '{"n":"ab"}')} `)).toBeUndefined();
    expect(cached.find('a', 2, numberLast(2, '{"n":"ab"}'))).toBeUndefined();
    expect(cached.find('b', 2, numberFirst(2, '{"n":"ab"}'))).toBeUndefined();
    expect(cached.find('a', 2, numberFirst(2, '{"n":"ab"}'))).toBeDefined();
  });

  test('stores the last answer to a request, and not the one before', () => {
    const cached = cachedAnswers();
    cached.store('a', 1, numberFirst(1, '1'), 1);
    cached.store('a', 2, numberFirst(2, '2'), 2);
    expect(cached.find('a', 3, numberFirst(3, '1'))).toBeUndefined();
    expect(cached.find('a', 3, numberFirst(3, '2'))?.result).toBe(2);
    cached.store('a', 4, '{ "jsonrpc": "2.0", "id": 4, "result": 3 }', 3);
    expect(cached.find('a', 5, numberFirst(5, '2'))).toBeUndefined();
  });

  test('stores no large or deep answer, and no more than the limit', () => {
    const cached = cachedAnswers();
    const large = JSON.stringify('x'.repeat(limits.origin.cachedCharacters));
    cached.store('large', 1, numberFirst(1, large), JSON.parse(large));
    expect(cached.find('large', 2, numberFirst(2, large))).toBeUndefined();
    const deep = '['.repeat(1_000) + ']'.repeat(1_000);
    cached.store('deep', 1, numberFirst(1, deep), JSON.parse(deep));
    expect(cached.find('deep', 2, numberFirst(2, deep))).toBeUndefined();
    for (let count = 0; count <= limits.origin.cachedAnswers; count++)
      cached.store(`q${count}`, 1, numberFirst(1, '1'), 1);
    expect(cached.find('q0', 2, numberFirst(2, '1'))).toBeUndefined();
    expect(cached.find('q1', 2, numberFirst(2, '1'))).toBeDefined();
  });
});
