import { expect, test } from 'vitest';
import {
  brokenReference,
  expandHeader,
  expandText,
  isReference,
  namedVariables,
  referenceTo,
} from './environment-text.ts';

const key = referenceTo('KEY');

test('expandText() puts values in the place of variables, and a doubled sign stays a text', () => {
  expect(expandText(`a ${key}-${key}`, 'x', { KEY: 'v' })).toBe('a v-v');
  expect(expandText(`$${key}`, 'x', {})).toBe(key);
});

test('expandText() refuses a variable that is not set, and names it', () => {
  expect(() => expandText(key, 'the header "A"', {})).toThrow(
    'the environment variable "KEY" for the header "A" is not set',
  );
  expect(() => expandText(key, 'x', { KEY: '' })).toThrow('is not set');
});

test('expandHeader() refuses what no header can have, without repeating it', () => {
  expect(() => expandHeader(key, 'the token', { KEY: 'secret\r\nX: y' })).toThrow(/^(?!.*secret).*correct "KEY"/s);
  expect(() => expandHeader(key, 'the token', { KEY: 'x'.repeat(20_000) })).toThrow('cannot be sent');
});

test('references are told from other texts', () => {
  expect(isReference(key)).toBe(true);
  expect(isReference(`Bearer ${key}`)).toBe(false);
  expect(namedVariables(`${key} ${referenceTo('OTHER')} ${key}`)).toEqual(['KEY', 'OTHER']);
  expect(brokenReference(`$${'{'}1A}`)).toBe(`$${'{'}1A}`);
  expect(brokenReference(`ok ${key}`)).toBeUndefined();
});
