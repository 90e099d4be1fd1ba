import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { passedEnv, secretsFromEnv } from './credentials.ts';

describe('secretsFromEnv()', () => {
  const headers = [{ name: 'X-Key', variable: 'K' }];

  test('gives the values of the environment', () => {
    expect(secretsFromEnv({ tokenEnv: 'T', headers }, { T: 'abc', K: 'v 1' })).toEqual({
      token: 'abc',
      headers: { 'X-Key': 'v 1' },
    });
    expect(secretsFromEnv({ headers: [] }, {})).toEqual({ headers: {} });
  });

  test.each([
    [{}, 'is not set'],
    [{ T: '' }, 'is not set'],
    [{ T: 'a\nb' }, 'such as a line break'],
    [{ T: 'é' }, 'cannot have'],
    [{ T: 'x'.repeat(20_000) }, 'more than 16384 characters'],
  ])('refuses %j and names the variable only', (env, said) => {
    const message = (() => {
      try {
        secretsFromEnv({ tokenEnv: 'T', headers: [] }, env);
      } catch (error) {
        return error instanceof SkillwireError ? error.message : '';
      }
      return '';
    })();
    expect(message).toContain('the environment variable "T" for the bearer token');
    expect(message).toContain(said);
    expect(message).not.toMatch(/a\nb|é|xxx/);
  });
});

describe('passedEnv()', () => {
  test('gives the values, also empty ones, and refuses what is not set', () => {
    expect(passedEnv(['A', 'B'], { A: '1', B: '', C: '3' })).toEqual({ A: '1', B: '' });
    expect(() => passedEnv(['A'], {})).toThrow('the environment variable "A" of --pass-env is not set');
  });
});
