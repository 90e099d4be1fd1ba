import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkillName, nameFault, suggestName } from './name.ts';

const valid = ['a', '0', 'pdf', 'pdf-tools', 'a-b-c-1', '7zip', 'a'.repeat(64)];

const invalid: readonly [value: unknown, fault: string][] = [
  [undefined, 'is not text'],
  [12, 'is not text'],
  [['a'], 'is not text'],
  ['', 'is empty'],
  ['a'.repeat(65), 'has 65 characters; at most 64 are allowed'],
  ['PDF', 'contains upper-case letters'],
  ['pdF-tools', 'contains upper-case letters'],
  ['-pdf', 'starts with a hyphen'],
  ['-', 'starts with a hyphen'],
  ['pdf-', 'ends with a hyphen'],
  ['pdf--x', 'contains two hyphens in a row'],
  ['my_skill', 'contains characters other than a-z, 0-9 and hyphens'],
  ['a b', 'contains characters other than a-z, 0-9 and hyphens'],
  ['a\n', 'contains characters other than a-z, 0-9 and hyphens'],
  ['a/b', 'contains characters other than a-z, 0-9 and hyphens'],
  ['caf\u00e9', 'contains letters or digits other than a-z and 0-9'],
  ['cafe\u0301', 'contains letters or digits other than a-z and 0-9'],
  ['\u6280\u80fd', 'contains letters or digits other than a-z and 0-9'],
  ['\u0661', 'contains letters or digits other than a-z and 0-9'],
];

describe('skill names', () => {
  test.each(valid)('isSkillName() accepts "%s"', (name) => {
    expect(isSkillName(name)).toBe(true);
    expect(nameFault(name)).toBeUndefined();
  });

  test.each(invalid)('nameFault() explains why %j is not a name', (value, fault) => {
    expect(isSkillName(value)).toBe(false);
    expect(nameFault(value)).toBe(fault);
  });

  test('isSkillName() and nameFault() never disagree', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 70 }), (text) => {
        expect(nameFault(text) === undefined).toBe(isSkillName(text));
      }),
    );
  });
});

describe('suggestName()', () => {
  test.each([
    ['PDF Tools', 'pdf-tools'],
    ['my_skill', 'my-skill'],
    ['--a--b--', 'a-b'],
    ['Caf\u00e9 \u00dcbung', 'cafe-ubung'],
    ['\uff30\uff24\uff26', 'pdf'],
    [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
  ])('makes a name of "%s"', (text, name) => {
    expect(suggestName(text)).toBe(name);
  });

  test.each(['', '---', '\u6280\u80fd', '!?'])('has no suggestion for "%s"', (text) => {
    expect(suggestName(text)).toBeUndefined();
  });

  test('suggests only valid names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const name = suggestName(text);
        expect(name === undefined || isSkillName(name)).toBe(true);
      }),
    );
  });
});
