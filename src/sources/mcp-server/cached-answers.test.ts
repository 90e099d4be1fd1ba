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
  ])('knows an answer again whose number stands %s its result', (_, write) => {
    const kept = cachedAnswers();
    const result = JSON.parse('{"skill":{"uri":"x"}}');
    expect(kept.find('a', 1, write(1, '{"skill":{"uri":"x"}}'))).toBeUndefined();
    kept.store('a', 1, write(1, '{"skill":{"uri":"x"}}'), result);
    expect(kept.find('a', 234, write(234, '{"skill":{"uri":"x"}}'))?.result).toBe(result);
    expect(isDeepFrozen(result)).toBe(true);
  });

  test('does not match an answer that differs in a letter, the number, the question or the order', () => {
    const kept = cachedAnswers();
    kept.store('a', 1, numberFirst(1, '{"n":"ab"}'), { n: 'ab' });
    expect(kept.find('a', 2, numberFirst(2, '{"n":"ac"}'))).toBeUndefined();
    expect(kept.find('a', 2, numberFirst(2, '{"n":"abc"}'))).toBeUndefined();
    expect(kept.find('a', 2, numberFirst(3, '{"n":"ab"}'))).toBeUndefined();
    expect(kept.find('a', 2, `${numberFirst(2, '{"n":"ab"}')} `)).toBeUndefined();
    expect(kept.find('a', 2, numberLast(2, '{"n":"ab"}'))).toBeUndefined();
    expect(kept.find('b', 2, numberFirst(2, '{"n":"ab"}'))).toBeUndefined();
    expect(kept.find('a', 2, numberFirst(2, '{"n":"ab"}'))).toBeDefined();
  });

  test('stores the last answer to a request, and not the one before', () => {
    const kept = cachedAnswers();
    kept.store('a', 1, numberFirst(1, '1'), 1);
    kept.store('a', 2, numberFirst(2, '2'), 2);
    expect(kept.find('a', 3, numberFirst(3, '1'))).toBeUndefined();
    expect(kept.find('a', 3, numberFirst(3, '2'))?.result).toBe(2);
    kept.store('a', 4, '{ "jsonrpc": "2.0", "id": 4, "result": 3 }', 3);
    expect(kept.find('a', 5, numberFirst(5, '2'))).toBeUndefined();
  });

  test('stores no large or deep answer, and no more than the limit', () => {
    const kept = cachedAnswers();
    const large = JSON.stringify('x'.repeat(limits.origin.cachedCharacters));
    kept.store('large', 1, numberFirst(1, large), JSON.parse(large));
    expect(kept.find('large', 2, numberFirst(2, large))).toBeUndefined();
    const deep = '['.repeat(1_000) + ']'.repeat(1_000);
    kept.store('deep', 1, numberFirst(1, deep), JSON.parse(deep));
    expect(kept.find('deep', 2, numberFirst(2, deep))).toBeUndefined();
    for (let count = 0; count <= limits.origin.cachedAnswers; count++)
      kept.store(`q${count}`, 1, numberFirst(1, '1'), 1);
    expect(kept.find('q0', 2, numberFirst(2, '1'))).toBeUndefined();
    expect(kept.find('q1', 2, numberFirst(2, '1'))).toBeDefined();
  });
});
