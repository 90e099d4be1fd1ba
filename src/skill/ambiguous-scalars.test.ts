import { describe, expect, test } from 'vitest';
import { coreScalar, scalarAmbiguity } from './ambiguous-scalars.ts';

const both = (value: string, text: string): string =>
  `is ${value} in YAML 1.1 and 1.2, but the text "${text}" for readers that treat every value as text`;
const only11 = (value: string, text: string): string => `is the text "${text}" in YAML 1.2, but ${value} in YAML 1.1`;
const only12 = (value: string, text: string): string =>
  `is ${value} in YAML 1.2, but the text "${text}" in YAML 1.1 and for readers that treat every value as text`;

describe('scalarAmbiguity()', () => {
  test.each([
    ['1', both('the number 1', '1')],
    ['1.10', both('the number 1.1', '1.10')],
    ['+12', both('the number 12', '+12')],
    ['0x1F', both('the number 31', '0x1F')],
    ['true', both('the boolean true', 'true')],
    ['False', both('the boolean false', 'False')],
    ['~', both('null', '~')],
    ['Null', both('null', 'Null')],
    ['.5', both('the number 0.5', '.5')],
    ['12345678901234567890', both('the number 12345678901234567000 (digits are lost)', '12345678901234567890')],
    [
      '012',
      'is the number 12 in YAML 1.2, the number 10 in YAML 1.1, and the text "012" for readers that treat every value as text',
    ],
    ['0o17', only12('the number 15', '0o17')],
    ['1e3', only12('the number 1000', '1e3')],
    ['08', only12('the number 8', '08')],
    ['yes', only11('the boolean true', 'yes')],
    ['No', only11('the boolean false', 'No')],
    ['on', only11('the boolean true', 'on')],
    ['OFF', only11('the boolean false', 'OFF')],
    ['1_000', only11('the number 1000', '1_000')],
    ['0b11', only11('the number 3', '0b11')],
    ['12:30', only11('the number 750', '12:30')],
    ['2026-01-02', only11('a date', '2026-01-02')],
    ['2026-01-02T03:04:05Z', only11('a date', '2026-01-02T03:04:05Z')],
    ['<<', only11('a merge key', '<<')],
    ['', 'is null in YAML 1.1 and 1.2, but empty text for readers that treat every value as text'],
  ])('reports how readers differ about "%s"', (text, ambiguity) => {
    expect(scalarAmbiguity(text)).toBe(ambiguity);
  });

  test.each([
    'a',
    'v1.0',
    '1.2.3',
    'MIT',
    'yes please',
    'none',
    'nil',
    '-',
    '.',
    '_',
    '2026-1',
    '10:99',
    '1,000',
    'Bash(git:*)',
    '0xZZ',
  ])('reports nothing about "%s"', (text) => {
    expect(scalarAmbiguity(text)).toBeUndefined();
    expect(coreScalar(text)).toBe(text);
  });
});

describe('coreScalar()', () => {
  test('has no negative zero, which JSON does not keep', () => {
    expect(Object.is(coreScalar('-0'), 0)).toBe(true);
    expect(Object.is(coreScalar('-0.0'), 0)).toBe(true);
  });

  test('reads numbers that are too large as infinite', () => {
    expect(coreScalar('1e400')).toBe(Number.POSITIVE_INFINITY);
    expect(coreScalar(`-${'9'.repeat(400)}`)).toBe(Number.NEGATIVE_INFINITY);
  });
});
