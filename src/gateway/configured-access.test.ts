import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTokenBook } from '../serving/access/token-book.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import { openStore } from '../store/embedded/open-store.ts';
import type { Store } from '../store/store.ts';
import { configuredAccess } from './configured-access.ts';

let folder: string;
const opened: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-access-'));
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openStore({ stateFolder: join(folder, 'state'), cacheFolder: join(folder, 'cache') });
  opened.push(store);
  return store;
}

const surroundings = { env: {}, digest: nodeDigest, report: () => undefined };

test('a known token is accepted without waiting until another process writes', async () => {
  const [server, command] = [await open(), await open()];
  const book = createTokenBook(command);
  const { token } = await book.add({ name: 'ada', profile: 'staff' });
  const access = await configuredAccess({ profiles: [{ name: 'staff' }], access: undefined }, server, surroundings);
  // The first reading makes the state known, the second one the token.
  for (let times = 0; times < 2; times++) expect(await access.verify(token)).toMatchObject({ profile: 'staff' });
  expect(access.verify(token)).toMatchObject({ name: 'ada' });
  expect(await access.verify(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBeUndefined();

  await book.add({ name: 'bob', profile: 'staff' });
  expect(access.verify(token)).toBeInstanceOf(Promise);
  for (let times = 0; times < 2; times++) expect(await access.verify(token)).toMatchObject({ name: 'ada' });
  expect(access.verify(token)).toMatchObject({ name: 'ada' });

  await book.revoke('ada', 'left');
  expect(await access.verify(token)).toBeUndefined();
  expect(await access.verify(token)).toBeUndefined();
});
