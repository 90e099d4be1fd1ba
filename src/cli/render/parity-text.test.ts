import { expect, test } from 'vitest';
import type { ParityReport } from '../../verifier/parity.ts';
import { parityExit } from '../verify-parity.ts';
import { createColors } from './color.ts';
import { parityText } from './parity-text.ts';

const digest = (character: string): string => `sha256:${character.repeat(64)}`;
const report: ParityReport = {
  origins: [
    { label: 'one', skills: 2 },
    { label: 'two', skills: 1, dialect: 'well-known 0.1', cut: 'too much' },
  ],
  skills: [
    {
      name: 'a',
      state: 'differs',
      origins: [
        { origin: 'one', state: 'same', digest: digest('a') },
        { origin: 'two', state: 'differs', digest: digest('b') },
      ],
      differences: [{ path: 'x\u001b.txt', digests: { one: digest('1'), two: null } }],
    },
    {
      name: 'b',
      state: 'failed',
      origins: [
        { origin: 'one', state: 'same', digest: digest('c') },
        { origin: 'two', state: 'failed', message: 'no digest' },
      ],
      differences: [],
    },
    { name: 'c', state: 'same', origins: [{ origin: 'one', state: 'same', digest: digest('d') }], differences: [] },
  ],
};
const options = {
  colors: createColors(false),
  width: 100,
  shown: (label: string) => label.toUpperCase(),
  quiet: false,
};

test('parityText() has a row per skill, then different files and digests, then the totals', () => {
  const text = parityText(report, options);
  expect(text).toContain('origin 2: TWO (well-known 0.1), 1 skill; partial answer: too much\n');
  expect(text).toMatch(/^a {6}aaaaaaaaaaaa {2}bbbbbbbbbbbb {2}DIFFERS$/m);
  expect(text).toMatch(/^b {6}cccccccccccc {2}FAILED {8}FAILED$/m);
  expect(text).toContain(`  x\\u{1b}.txt\n    ${digest('1')}  ONE\n    no such file  TWO\n`);
  expect(text).toContain('  TWO: no digest\n');
  expect(text).toMatch(
    /3 skills over 2 origins: 1 the same everywhere, 1 different somewhere, 1 failing verification somewhere\n$/,
  );
  expect(parityText(report, { ...options, quiet: true })).not.toMatch(/^c /m);
});

test.each([
  ['same', undefined, 0],
  ['missing', undefined, 6],
  ['unread', undefined, 8],
  ['same', 'cut', 8],
  ['differs', undefined, 7],
  ['failed', 'cut', 7],
] as const)('parityExit() of %s with %s is %i', (state, cut, exit) => {
  const origins = [{ label: 'one', skills: 1, ...(cut === undefined ? {} : { cut }) }];
  const skills = [{ name: 'a', state, origins: [], differences: [] }];
  expect(parityExit({ origins, skills })).toBe(exit);
});
