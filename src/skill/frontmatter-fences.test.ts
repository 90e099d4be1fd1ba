import { describe, expect, test } from 'vitest';
import { findFences } from './frontmatter-fences.ts';

const encoder = new TextEncoder();

function split(text: string): { yaml: string; body: string; closingLine: number; padded: boolean } | string {
  const bytes = encoder.encode(text);
  const fences = findFences(bytes);
  if (fences.kind !== 'found') return fences.kind;
  const part = (from: number, to?: number): string => new TextDecoder().decode(bytes.subarray(from, to));
  const { yamlStart, yamlEnd, bodyStart, closingLine, padded } = fences;
  return { yaml: part(yamlStart, yamlEnd), body: part(bodyStart), closingLine, padded };
}

describe('findFences()', () => {
  test.each([
    ['LF', '---\na\n---\nb\n', { yaml: 'a\n', body: 'b\n', closingLine: 3, padded: false }],
    ['CRLF', '---\r\na\r\n---\r\nb', { yaml: 'a\r\n', body: 'b', closingLine: 3, padded: false }],
    ['CR', '---\ra\r---\rb', { yaml: 'a\r', body: 'b', closingLine: 3, padded: false }],
    ['no body', '---\na\n---', { yaml: 'a\n', body: '', closingLine: 3, padded: false }],
    ['nothing between', '---\n---\n', { yaml: '', body: '', closingLine: 2, padded: false }],
    ['a byte-order mark', '\ufeff---\na\n---\nb', { yaml: 'a\n', body: 'b', closingLine: 3, padded: false }],
    ['blanks after the first', '--- \t\na\n---\n', { yaml: 'a\n', body: '', closingLine: 3, padded: true }],
    ['blanks after the second', '---\na\n---  ', { yaml: 'a\n', body: '', closingLine: 3, padded: true }],
    [
      'dashes inside lines',
      '---\na --- b\n ---\n----\n---\nc',
      { yaml: 'a --- b\n ---\n----\n', body: 'c', closingLine: 5, padded: false },
    ],
    [
      'more dashes in the body',
      '---\na\n---\nb\n---\n',
      { yaml: 'a\n', body: 'b\n---\n', closingLine: 3, padded: false },
    ],
  ])('finds them with %s', (_what, text, found) => {
    expect(split(text)).toEqual(found);
  });

  test.each([
    '',
    '--',
    '----\na\n----\n',
    '---js\n---\n',
    ' ---\n---\n',
    '\n---\n---\n',
    'a\n---\n---\n',
    '\u2014\n---\n',
  ])('finds no opening line in %j', (text) => {
    expect(split(text)).toBe('missing');
  });

  test.each(['---', '---\n', '---\na', '---\n --- \n---x\n', '---\n\u00a0---\n'])(
    'finds no closing line in %j',
    (text) => {
      expect(split(text)).toBe('unclosed');
    },
  );
});
