import { describe, expect, test } from 'vitest';
import type { Era } from '../../dialects/era.ts';
import { type ErrorCode, errorTable, SkillwireError } from '../../errors.ts';
import { wireError } from './method-errors.ts';

function wired(error: unknown, era: Era = 'modern') {
  const reported: Error[] = [];
  return { wire: wireError(error, { era, context: {} }, (report) => reported.push(report)), reported };
}

const codes = Object.keys(errorTable) as ErrorCode[];
const operators = codes.filter((code) => /^(?:ORIGIN|CONFIG|ADDRESS)_/.test(code));

describe('wireError()', () => {
  test.each(operators)('hides the message of %s from the client and logs it for the operator', (code) => {
    const error = new SkillwireError(code, 'cannot read "/srv/secret"', { data: { path: '/srv/secret' } });
    const { wire, reported } = wired(error);
    expect(wire).toEqual({ code: -32603, message: 'Internal error' });
    expect(reported).toEqual([error]);
    expect(reported[0]).toBe(error);
  });

  test('does so for at least one code of each kind', () => {
    for (const kind of ['ORIGIN_', 'CONFIG_', 'ADDRESS_'])
      expect(operators.some((code) => code.startsWith(kind))).toBe(true);
  });

  test("reports the client's own mistake to the client, and nothing to the operator", () => {
    const { wire, reported } = wired(new SkillwireError('INVALID_CURSOR', 'no', { data: { cursor: 'x' } }));
    expect(wire).toEqual({ code: -32602, message: 'no', data: { cursor: 'x' } });
    expect(reported).toEqual([]);
  });

  test("uses the revision's code for a missing file", () => {
    const error = new SkillwireError('FILE_NOT_FOUND', 'no such file');
    expect(wired(error).wire.code).toBe(-32602);
    expect(wired(error, 'legacy').wire.code).toBe(-32002);
  });

  test('hides foreign errors from the client', () => {
    const { wire, reported } = wired(new Error('EACCES /srv'));
    expect(wire).toEqual({ code: -32603, message: 'Internal error' });
    expect(reported).toHaveLength(1);
  });
});
