import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { decodeCompletion, encodeCompletion, encodeCompletionParams } from './completion.ts';

test('encodeCompletionParams() names the template, the typed text and the known values', () => {
  expect(encodeCompletionParams('skill://{a}/{b}', 'b', 'x', { a: 'y' })).toEqual({
    ref: { type: 'ref/resource', uri: 'skill://{a}/{b}' },
    argument: { name: 'b', value: 'x' },
    context: { arguments: { a: 'y' } },
  });
  expect(encodeCompletionParams('skill://{a}', 'a', '')).not.toHaveProperty('context');
});

describe('encodeCompletion()', () => {
  verifies(['skilljack:completion'], 'filters by prefix regardless of case, up to the limit of the protocol', () => {
    expect(encodeCompletion(['beta', 'Alpha', 'alps', 'alps'], 'AL')).toEqual({
      values: ['Alpha', 'alps'],
      hasMore: false,
      total: 2,
    });
    const many = encodeCompletion(
      Array.from({ length: 150 }, (_, at) => `s${at}`),
      's',
    );
    expect(many).toMatchObject({ hasMore: true, total: 150 });
    expect(many.values).toHaveLength(limits.pages.completions);
  });
});

describe('decodeCompletion()', () => {
  test('keeps texts, up to a limit', () => {
    expect(decodeCompletion({ completion: { values: ['a', 5, 'b'], total: 2, hasMore: false } })).toEqual({
      values: ['a', 'b'],
      hasMore: false,
      total: 2,
    });
    const many = decodeCompletion({ completion: { values: Array(101).fill('x'), total: -1 } });
    expect(many.values).toHaveLength(100);
    expect(many.hasMore).toBe(true);
    expect(many).not.toHaveProperty('total');
  });

  test.each<unknown>([null, {}, { completion: {} }])('refuses %j', (result) => {
    expect(() => decodeCompletion(result)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});
