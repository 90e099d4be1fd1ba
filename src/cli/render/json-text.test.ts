import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonText } from './json-text.ts';

describe('jsonText()', () => {
  test('escapes control, bidirectional and invisible characters', () => {
    expect(jsonText('\x1b\x7f\x9b\u202e\u200b\u2028\ufeff\u{e0041}é😀')).toBe(
      '"\\u001b\\u007f\\u009b\\u202e\\u200b\\u2028\\ufeff\\udb40\\udc41é😀"',
    );
  });

  test('keeps the line breaks of its own indentation', () => {
    expect(jsonText({ a: '\n' }, 2)).toBe('{\n  "a": "\\n"\n}');
  });

  test('never changes a value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(jsonText({ [text]: text }))).toEqual({ [text]: text });
      }),
    );
  });
});
