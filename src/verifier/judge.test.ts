import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { RpcError } from '../sources/mcp-server/wire.ts';
import { judge } from './judge.ts';

describe('judge()', () => {
  test('blames a server for errors and answers that the protocol forbids', () => {
    const rules = { requirement: 'S-45', unknownMethod: 'S-1' };
    expect(judge(new RpcError(-32603, 'no disk\u001b[2J'), rules)).toEqual({
      kind: 'broken',
      requirement: 'S-45',
      message: 'the server answers with the error -32603, "no disk\\u{1b}[2J"',
    });
    expect(judge(new RpcError(-32601, 'unknown'), rules)).toMatchObject({ requirement: 'S-1' });
    expect(judge(new SkillwireError('BAD_ANSWER', 'no JSON'), rules)).toMatchObject({ requirement: 'S-45' });
    const named = new SkillwireError('BAD_ANSWER', 'maybe', { data: { requirement: 'S-42' } });
    expect(judge(named, rules)).toEqual({ kind: 'broken', requirement: 'S-42', message: 'maybe' });
    expect(judge(new SkillwireError('ORIGIN_FAILED', 'HTTP 500', { data: { status: 500 } }), rules)).toMatchObject({
      kind: 'broken',
    });
  });

  test.each(['TIMED_OUT', 'UNREACHABLE', 'NOT_AUTHORIZED', 'LIMIT_EXCEEDED'] as const)(
    'does not blame it for %s',
    (code) => {
      const error = new SkillwireError(code, 'so it is');
      expect(judge(error, { requirement: 'S-1' })).toEqual({ kind: 'unknown', message: 'so it is', code });
    },
  );

  test('does not blame it for asking to retry later', () => {
    const error = new SkillwireError('ORIGIN_FAILED', 'HTTP 429', { data: { status: 429 } });
    expect(judge(error, { requirement: 'S-1' }).kind).toBe('unknown');
  });

  test('throws on interruptions and on our own errors', () => {
    const interrupted = new SkillwireError('INTERRUPTED', 'enough');
    expect(() => judge(interrupted, { requirement: 'S-1' })).toThrow(interrupted);
    expect(() => judge(new TypeError('oops'), { requirement: 'S-1' })).toThrow(TypeError);
  });
});
