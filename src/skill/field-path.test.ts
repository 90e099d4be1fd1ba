import { expect, test } from 'vitest';
import { fieldPath } from './json.ts';

test('fieldPath() joins keys with dots and puts indexes in brackets', () => {
  expect(fieldPath([])).toBe('');
  expect(fieldPath(['allowed-tools'])).toBe('allowed-tools');
  expect(fieldPath(['hooks', 0, 'command'])).toBe('hooks[0].command');
});

test('fieldPath() quotes keys that look like a path, and empty ones', () => {
  expect(fieldPath(['metadata', 'a.b', ''])).toBe('metadata["a.b"][""]');
  expect(fieldPath(['x"]'])).toBe('["x\\"]"]');
});
