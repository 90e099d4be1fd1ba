import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import {
  brokenReference,
  expandHeader,
  expandText,
  isReference,
  namedVariables,
  passedEnv,
  referenceTo,
  secretsFromEnv,
} from './credentials.ts';

describe('secretsFromEnv()', () => {
  const headers = [{ name: 'X-Key', variable: 'K' }];

  test('returns the values of the environment', () => {
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
  ])('refuses %j and names only the variable', (env, said) => {
    const message = (() => {
      try {
        secretsFromEnv({ tokenEnv: 'T', headers: [] }, env);
      } catch (error) {
        return error instanceof SkillwireError ? error.message : '';
      }
      return '';
    })();
    expect(message).toContain('The environment variable "T" for the bearer token');
    expect(message).toContain(said);
    expect(message).not.toMatch(/a\nb|é|xxx/);
  });
});

describe('passedEnv()', () => {
  test('returns the values, also empty ones, and refuses unset variables', () => {
    expect(passedEnv(['A', 'B'], { A: '1', B: '', C: '3' })).toEqual({ A: '1', B: '' });
    expect(() => passedEnv(['A'], {})).toThrow('The environment variable "A" of --pass-env is not set');
  });
});

const key = referenceTo('KEY');

test('expandText() replaces variables by their values, and keeps a doubled sign as text', () => {
  expect(expandText(`a ${key}-${key}`, 'x', { KEY: 'v' })).toBe('a v-v');
  expect(expandText(`$${key}`, 'x', {})).toBe(key);
});

test('expandText() refuses a variable that is not set, and names it', () => {
  expect(() => expandText(key, 'the header "A"', {})).toThrow(
    'The environment variable "KEY" for the header "A" is not set',
  );
  expect(() => expandText(key, 'x', { KEY: '' })).toThrow('is not set');
});

test('expandHeader() refuses values that a header cannot have, without repeating them', () => {
  expect(() => expandHeader(key, 'the token', { KEY: 'secret\r\nX: y' })).toThrow(/^(?!.*secret).*Correct "KEY"/s);
  expect(() => expandHeader(key, 'the token', { KEY: 'x'.repeat(20_000) })).toThrow('cannot be sent');
});

test('references are distinguished from other text', () => {
  expect(isReference(key)).toBe(true);
  expect(isReference(`Bearer ${key}`)).toBe(false);
  expect(namedVariables(`${key} ${referenceTo('OTHER')} ${key}`)).toEqual(['KEY', 'OTHER']);
  expect(brokenReference(`$${'{'}1A}`)).toBe(`$${'{'}1A}`);
  expect(brokenReference(`ok ${key}`)).toBeUndefined();
});
