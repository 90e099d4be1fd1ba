import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../errors.ts';
import type { OriginReport, OriginState } from '../../host/host.ts';
import { originFailure } from '../find-skill.ts';
import { listExit } from './list.ts';

function report(state: OriginState, code?: ErrorCode): OriginReport {
  const base = { label: 'x', local: false, name: 'x', state, message: '', skills: 0, refused: [], findings: [] };
  return code === undefined ? base : { ...base, code };
}

describe('listExit()', () => {
  test.each<[OriginState, ErrorCode | undefined, number]>([
    ['ready', undefined, 0],
    ['empty', undefined, 0],
    ['disabled', undefined, 0],
    ['all-refused', undefined, 1],
    ['no-skills-extension', 'NO_SKILLS_EXTENSION', 2],
    ['no-index', 'NO_INDEX', 2],
    ['no-index', undefined, 2],
    ['failed', 'BAD_ANSWER', 2],
    ['failed', 'ADDRESS_BLOCKED', 5],
    ['failed', undefined, 2],
    ['not-authorized', 'NOT_AUTHORIZED', 3],
    ['unreachable', 'UNREACHABLE', 4],
    ['unreachable', 'TIMED_OUT', 4],
    ['partial', 'TIMED_OUT', 6],
  ])('of one origin that is %s (%s) is %i', (state, code, exit) => {
    expect(listExit([report(state, code)])).toBe(exit);
  });

  test('is 7 if the content of a listed skill fails verification, whatever else there is', () => {
    const tampered = { ...report('ready'), refused: [{ faults: ['digest'], code: 'VERIFICATION_FAILED' as const }] };
    const silent = { ...report('ready'), refused: [{ faults: ['silent'], code: 'UNREACHABLE' as const }] };
    expect(listExit([tampered])).toBe(7);
    expect(listExit([report('unreachable'), tampered])).toBe(7);
    expect(listExit([silent])).toBe(0);
  });

  test('of several origins is the common code if they agree, 6 if some answered, else 2', () => {
    const [ready, dead, locked] = [report('ready'), report('unreachable'), report('not-authorized')];
    expect(listExit([dead, dead])).toBe(4);
    expect(listExit([ready, ready])).toBe(0);
    expect(listExit([ready, dead])).toBe(6);
    expect(listExit([dead, report('partial')])).toBe(6);
    expect(listExit([dead, locked])).toBe(2);
    expect(listExit([])).toBe(0);
  });
});

describe('originFailure()', () => {
  test('is undefined for an origin with a listing', () => {
    for (const state of ['ready', 'empty', 'partial', 'all-refused'] as const)
      expect(originFailure(report(state)), state).toBeUndefined();
  });

  test('has the message of the origin, and the command that enables a disabled one', () => {
    expect(originFailure({ ...report('failed', 'BAD_ANSWER'), message: 'no JSON' })).toMatchObject({
      code: 'BAD_ANSWER',
      message: 'no JSON',
    });
    expect(originFailure(report('disabled'))?.message).toContain('skillwire enable');
  });
});
