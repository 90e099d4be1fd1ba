/** Acknowledged writes survive a crash of PostgreSQL, which syncs to disk here. A full disk loses nothing and is an error with a remedy. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { sha256Digest } from '../../src/skill/digest.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../eventually.ts';
import { type PostgresServer, postgresServer, postgresTest as test } from '../postgres-server.ts';

const at = '2026-01-01T00:00:00.000Z';
const kills = 6;
let server: PostgresServer;
beforeAll(async () => {
  server = await postgresServer({ fsync: 'on' });
}, 120_000);
afterAll(() => server?.remove());

async function open(cluster: string, url = server.url()): Promise<Store> {
  const options = { cluster, whenAway: 'serve', awayMs: 60_000, create: true, warn: () => undefined } as const;
  const store = await eventually(() => openPostgresStore({ url, local: memoryStore(), ...options }));
  onTestFinished(() => store.close());
  return store;
}

async function auditOf({ audit }: Store): Promise<readonly unknown[]> {
  const numbers: unknown[] = [];
  for await (const { data } of audit.read()) numbers.push(data);
  return numbers;
}

test(`${kills} kills lose no acknowledged write, and the audit is complete and in order`, async () => {
  const writer = await open('killed');
  const reader = await open('killed');
  const acknowledged: number[] = [];
  let next = 0;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const number = next++;
      try {
        await writer.state.transact(() => ({
          writes: [{ key: ['token', String(number)], value: number }],
          audit: [{ at, action: 'add-token', data: number }],
          result: undefined,
        }));
        acknowledged.push(number);
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORE_AWAY' });
      }
    }
  })();
  for (let round = 0; round < kills; round += 1) {
    const before = acknowledged.length;
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 5));
    await server.kill();
    await server.start();
  }
  isOver = true;
  await writing;
  const other = await open('killed');
  for (const store of [reader, other]) {
    await eventually(() => store.state.revision());
    const stored = (await store.state.entries(['token'])).map(({ value }) => value);
    expect(acknowledged.filter((number) => !stored.includes(number))).toEqual([]);
    const audit = await auditOf(store);
    // A write without an answer may have taken effect: then it is in both.
    expect([...audit].sort((a, b) => Number(a) - Number(b))).toEqual([...stored].sort((a, b) => Number(a) - Number(b)));
    expect(audit.filter((number) => acknowledged.includes(Number(number)))).toEqual(acknowledged);
  }
});

/** Only root of Linux mounts a small disk. */
const canMount = process.platform === 'linux' && spawnSync('unshare', ['-m', 'true']).status === 0;

test.skipIf(!canMount)(
  'a full disk is an error with a remedy, loses nothing, and is over once there is space',
  async () => {
    const disk = mkdtempSync(join(tmpdir(), 'skillwire-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
    onTestFinished(() => {
      // The server still has files open there.
      execFileSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true, force: true });
    });
    server.own(disk);
    await server.sql(`create tablespace small location '${disk}'`);
    await server.sql('create database full_disk tablespace small');
    const store = await open('full', server.url('full_disk'));
    let count = 0;
    const put = async (): Promise<void> => {
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      await store.blobs.put(await sha256Digest(bytes), bytes);
      await store.state.set(['listing', 'a', String(count)], { text: 'x'.repeat(30_000) });
      count += 1;
    };
    const fill = async (): Promise<void> => {
      for (;;) await put();
    };
    await expect(fill()).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('its disk is full. Free disk space on the database server.'),
    });
    expect((await store.state.entries(['listing'], 'projection')).length).toBe(count);
    execFileSync('mount', ['-o', 'remount,size=200m', disk]);
    await put();
    expect((await store.state.entries(['listing'])).length).toBe(count);
  },
);
