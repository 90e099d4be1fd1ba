import { expect, test } from 'vitest';
import { type HostWarning, warnOnce } from './warnings.ts';

test('warnOnce() reports each warning once, and an unusable cache only once', () => {
  const reported: HostWarning[] = [];
  const warn = warnOnce((warning) => reported.push(warning));
  for (const message of ['a', 'a', 'b']) {
    warn({ code: 'cache-corrupt', message });
    warn({ code: 'cache-unusable', message });
  }
  expect(reported.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'cache-corrupt a',
    'cache-unusable a',
    'cache-corrupt b',
  ]);
  warnOnce(undefined)({ code: 'cache-corrupt', message: 'nobody listens' });
});
