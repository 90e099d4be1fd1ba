import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { openStore } from '../../store/embedded/open-store.ts';
import type { Store } from '../../store/store.ts';
import { openVerifiedSkills } from './verified-skills.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillwire-verified-'));
  store = await openStore({ stateFolder: join(folder, 'state'), cacheFolder: join(folder, 'cache') });
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe('openVerifiedSkills()', () => {
  test('knows added and finished skills by location and fingerprint', async () => {
    const first = await openVerifiedSkills(store, 'mcp:http://127.0.0.1/mcp');
    expect(first.has('skill://a/SKILL.md', 'one')).toBe(false);
    await first.add('skill://a/SKILL.md', 'one');
    await first.add('skill://b/SKILL.md', 'two');
    await first.finish();
    const second = await openVerifiedSkills(store, 'mcp:http://127.0.0.1/mcp');
    expect(second.has('skill://a/SKILL.md', 'one')).toBe(true);
    expect(second.has('skill://a/SKILL.md', 'changed')).toBe(false);
    const elsewhere = await openVerifiedSkills(store, 'mcp:http://127.0.0.2/mcp');
    expect(elsewhere.has('skill://a/SKILL.md', 'one')).toBe(false);
  });

  test('writes in batches, and only what is new', async () => {
    let writes = 0;
    const index: Store['index'] = {
      ...store.index,
      transact(change) {
        writes++;
        return store.index.transact(change);
      },
    };
    const verified = await openVerifiedSkills({ index }, 'place');
    for (let count = 0; count < limits.verifier.batch + 1; count++)
      await verified.add(`skill://s-${count}/SKILL.md`, 'x');
    expect(writes).toBe(1);
    await verified.finish();
    expect(writes).toBe(2);
    await verified.add('skill://s-0/SKILL.md', 'x');
    await verified.finish();
    expect(writes).toBe(2);
  });
});
