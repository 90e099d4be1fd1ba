import { expect, test } from 'vitest';
import { prepareSchema, type SchemaOptions } from './postgres-schema.ts';

const fit = { version: 150_000, standby: false, commit: 'on', sync: 'on' };

/** A server with these settings, which has the tables already. */
async function prepare(
  settings: Partial<typeof fit>,
  options: Partial<SchemaOptions> = {},
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const query = async (text: string) => {
    if (text.includes('server_version_num')) return { rows: [{ ...fit, ...settings }] };
    if (text.includes('pg_namespace')) return { rows: [{ name: 'skillwire_test' }] };
    return { rows: text.includes('readable') ? [{ version: 1, readable: 1 }] : [] };
  };
  const warn = (message: string): void => void warnings.push(message);
  const defaults = { cluster: 'test', place: 'db/skills', create: true, warn };
  await prepareSchema({ query } as unknown as Parameters<typeof prepareSchema>[0], { ...defaults, ...options });
  return warnings;
}

test('a server that fits is used, without a word', async () => {
  expect(await prepare({})).toEqual([]);
  expect(await prepare({ version: 130_000 })).toEqual([]);
});

test.each([
  ['a version below the smallest', { version: 120_022 }, /it is version 12\. Use PostgreSQL 13 or newer\./],
  ['a standby', { standby: true }, /read-only standby\. Use the address of the primary server\./],
  ['commits that are not synced', { commit: 'off' }, /synchronous_commit is off/],
])('%s is refused', async (_, settings, message) => {
  await expect(prepare(settings)).rejects.toMatchObject({
    code: 'STATE_UNUSABLE',
    message: expect.stringMatching(message),
  });
});

test('fsync that is off is a warning of servers', async () => {
  expect(await prepare({ sync: 'off' })).toEqual([expect.stringContaining('fsync is off')]);
  expect(await prepare({ sync: 'off' }, { create: false })).toEqual([]);
});
