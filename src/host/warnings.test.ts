import { expect, test } from 'vitest';
import { type HostWarning, warnOnce } from './warnings.ts';

test('warnOnce() tells each warning once, and of an unusable cache only that it is', () => {
  const told: HostWarning[] = [];
  const warn = warnOnce((warning) => told.push(warning));
  for (const message of ['a', 'a', 'b']) {
    warn({ code: 'cache-corrupt', message });
    warn({ code: 'cache-unusable', message });
  }
  expect(told.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'cache-corrupt a',
    'cache-unusable a',
    'cache-corrupt b',
  ]);
  warnOnce(undefined)({ code: 'cache-corrupt', message: 'nobody listens' });
});
