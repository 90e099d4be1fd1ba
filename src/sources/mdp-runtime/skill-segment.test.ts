import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSkillName } from '../../skill/name.ts';
import { decodeSegment, encodeSegment } from './skill-segment.ts';

test.each([
  ['review', 'review'],
  ['a-b', 'a-b'],
  ['file_rules', 'z-filezurules'],
  ['.meta', 'z-zdmeta'],
  ['a-', 'z-azh'],
  ['z-a', 'z-zzzha'],
  ['zoo', 'zoo'],
  ['My App/1', 'z-zcmyzx20zzcappzx2fz1'],
  ['é', 'z-zxe9z'],
])('encodeSegment(%j) is %j, and decodes to the original', (text, segment) => {
  expect(encodeSegment(text)).toBe(segment);
  expect(decodeSegment(segment)).toBe(text);
});

test('every text with a segment has one that is a valid name and decodes to the text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }), (text) => {
      const segment = encodeSegment(text);
      if (segment === undefined) return;
      expect(isSkillName(segment)).toBe(true);
      expect(decodeSegment(segment)).toBe(text);
    }),
  );
});

test('no two segments decode to one text', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^z-[a-z0-9]{1,8}$/), (segment) => {
      const text = decodeSegment(segment);
      if (text !== undefined) expect(encodeSegment(text)).toBe(segment);
    }),
  );
});

test.each([['', 'x'.repeat(65), '_'.repeat(32)]].flat())('encodeSegment(%j) is undefined', (text) => {
  expect(encodeSegment(text)).toBeUndefined();
});

test.each(['', 'A', 'z-', 'z-z', 'z-zq', 'z-zx110000z', 'z-review', 'z-zxz', 'a--b'])(
  'decodeSegment(%j) is undefined',
  (segment) => {
    expect(decodeSegment(segment)).toBeUndefined();
  },
);
