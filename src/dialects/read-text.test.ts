import { describe, expect, test } from 'vitest';
import { f1 } from '../../test/dialect-fixtures.ts';
import { decodeReadDocument, decodeReadText } from './read-text.ts';

const content = (...contents: readonly object[]): object => ({ contents });

describe('decodeReadText()', () => {
  test('reads one text of any URI and type', () => {
    expect(decodeReadText(content({ uri: 'skill://other', text: f1.text }), 'skill://x', 1000)).toBe(f1.text);
    expect(decodeReadText(content({ uri: 'x', blob: 'YQ==' }), 'x', 1000)).toBe('a');
  });

  test.each<[what: string, result: unknown]>([
    ['nothing', content()],
    ['two contents', content({ uri: 'x', text: 'a' }, { uri: 'y', text: 'b' })],
    ['bytes that are no text', content({ uri: 'x', blob: 'AP/+gAo=' })],
    ['no list', {}],
  ])('refuses %s', (_what, result) => {
    expect(() => decodeReadText(result, 'x', 1000)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });

  test('refuses a text that is too large', () => {
    expect(() => decodeReadText(content({ uri: 'x', text: 'abc' }), 'x', 2)).toThrow(/more than 2 bytes/);
  });
});

describe('decodeReadDocument()', () => {
  test('reads JSON, also after a byte-order mark', () => {
    expect(decodeReadDocument(content({ uri: 'x', text: '\ufeff{"a":1}' }), 'x', 100)).toEqual({ a: 1 });
  });

  test('refuses text that is not JSON', () => {
    expect(() => decodeReadDocument(content({ uri: 'x', text: '# Error' }), 'x', 100)).toThrow(/is not JSON/);
  });
});
