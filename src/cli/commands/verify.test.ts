import { describe, expect, test } from 'vitest';
import type { VerifyReport } from '../../verifier/report.ts';
import { verifyExit } from './verify.ts';

interface Facts {
  readonly broken?: readonly string[];
  readonly failed?: number;
  readonly unverifiable?: number;
  readonly incomplete?: boolean;
}

function report({ broken = [], failed = 0, unverifiable = 0, incomplete = false }: Facts): VerifyReport {
  return {
    counts: {
      skills: 1,
      verified: 0,
      failed,
      unverifiable,
      unchecked: 0,
      skipped: 0,
      refused: 0,
      files: 0,
      bytes: 0,
    },
    eras: [],
    failures: [],
    requirements: new Map(broken.map((id) => [id, 1])),
    incomplete: incomplete ? ['something'] : [],
  };
}

describe('verifyExit()', () => {
  test.each([
    ['nothing', {}, 0, 0],
    ['advice', { broken: ['S-26'] }, 1, 1],
    ['a rule', { broken: ['S-34'] }, 7, 7],
    ['a rule that the table does not know', { broken: ['X-1'] }, 7, 7],
    ['a skill that failed', { broken: ['S-5'], failed: 1 }, 7, 7],
    ['a dynamic skill', { unverifiable: 1 }, 0, 9],
    ['something unchecked', { incomplete: true }, 8, 8],
    ['a rule, a dynamic skill, something unchecked', { broken: ['S-34'], unverifiable: 1, incomplete: true }, 7, 7],
    ['a dynamic skill, something unchecked, advice', { broken: ['S-26'], unverifiable: 1, incomplete: true }, 8, 9],
    ['something unchecked and advice', { broken: ['S-26'], incomplete: true }, 8, 8],
  ] as const)('%s', (_, facts, usual, withDigests) => {
    expect(verifyExit(report(facts), false)).toBe(usual);
    expect(verifyExit(report(facts), true)).toBe(withDigests);
  });
});
