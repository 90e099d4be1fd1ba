import { expect, test } from 'vitest';
import { localTemporary } from '../../store/local-temporary.ts';
import type { TemporaryValues } from '../../store/store.ts';
import { pageVault } from './page-vault.ts';

test('a value is found by its secret alone, by every server, and the store learns neither', async () => {
  const values = localTemporary();
  const rows: string[] = [];
  const watched: TemporaryValues = {
    ...values,
    async set(key, value, ms) {
      rows.push(JSON.stringify([key, value]));
      await values.set(key, value, ms);
    },
  };
  const [one, two] = [pageVault(watched), pageVault(watched)];
  await one.save('the secret', { token: 'skw_abc', csrf: 'x' }, 60_000);
  expect(await two.find('the secret')).toEqual({ token: 'skw_abc', csrf: 'x' });
  expect(await two.find('another')).toBeUndefined();
  expect(rows.join()).not.toMatch(/secret|skw_abc|csrf/);
  expect([await two.remove('the secret'), await one.remove('the secret')]).toEqual([true, false]);
  expect(await one.find('the secret')).toBeUndefined();
});

test('a value expires', async () => {
  let now = 0;
  const vault = pageVault(localTemporary(() => now));
  await vault.save('a', 1, 1_000);
  now = 999;
  expect(await vault.find('a')).toBe(1);
  now = 1_000;
  expect(await vault.find('a')).toBeUndefined();
  expect(await vault.remove('a')).toBe(false);
});
