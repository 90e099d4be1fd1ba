import { expect, test } from 'vitest';
import { createTokenCheck } from '../serve-mdp.ts';

test('createTokenCheck() names a known token, and nobody for any other', () => {
  const check = createTokenCheck({ laptop: 'sesame', phone: 'mellon' });
  expect(check({ token: 'sesame' })).toBe('laptop');
  expect(check({ scheme: 'Bearer', token: 'mellon' })).toBe('phone');
  for (const token of ['', 'sesam', 'sesame ', 'SESAME']) expect(check({ token })).toBeUndefined();
  expect(check({})).toBeUndefined();
});
