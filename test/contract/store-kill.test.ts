/**
 * Processes that are killed in the middle of writes, and processes that write at once. Acknowledged writes are there, nothing is torn or
 * mixed, and no lock remains. Every step of every workload is a point at which a process can be killed. The soak takes them all, the test
 * command an even sample.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/store/embedded/file-system.ts';
import { openStore, openStoreOn } from '../../src/store/embedded/open-store.ts';
import type { Corruption } from '../../src/store/embedded/store-failure.ts';
import { type DiskCall, observedFileSystem } from '../../src/testing/observed-file-system.ts';
import {
  leftovers,
  letTimePass,
  type StoreFolders,
  type StoreWorkload,
  storeWorkloads,
} from '../../src/testing/store-workloads.ts';
import { soakFactor } from '../soak-factor.ts';

const child = fileURLToPath(new URL('./store-child.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../dist/testing/store-workloads.js', import.meta.url));

let top: string;
let place = 0;
const children = new Set<ChildProcess>();

beforeEach(() => {
  if (!existsSync(built)) throw new Error(`There is no built program at "${built}". Run \`npm run build\`.`);
  top = mkdtempSync(join(tmpdir(), 'skillwire-kill-'));
});

afterEach(() => {
  for (const one of children) one.kill('SIGKILL');
  rmSync(top, { recursive: true, force: true });
});

function newFolders(): StoreFolders {
  place += 1;
  return { stateFolder: join(top, `${place}/state`), cacheFolder: join(top, `${place}/cache`) };
}

interface Ended {
  /** The last number that was announced. */
  readonly acknowledged: number;
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly stderr: string;
}

function start(argv: readonly string[], folders: StoreFolders, heard: (count: number) => void = () => undefined) {
  const running = spawn(process.execPath, [child, ...argv, folders.stateFolder, folders.cacheFolder]);
  children.add(running);
  let stdout = '';
  let stderr = '';
  let acknowledged = 0;
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const lines = stdout.split('\n').slice(0, -1);
    acknowledged = Number(lines.at(-1) ?? 0);
    heard(acknowledged);
  });
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    running.on('close', (code, signal) => {
      children.delete(running);
      resolve({ acknowledged, signal, code, stderr });
    });
  });
  return { running, ended };
}

async function prepare(workload: StoreWorkload): Promise<StoreFolders> {
  const folders = newFolders();
  const store = await openStore(folders);
  await workload.prepare(store, folders);
  await store.close();
  return folders;
}

async function checkAfterwards(workload: StoreWorkload, folders: StoreFolders, acknowledged: number): Promise<void> {
  const corrupt: Corruption[] = [];
  letTimePass(folders);
  const store = await openStore({ ...folders, onCorrupt: (found) => corrupt.push(found) });
  await workload.check(store, acknowledged);
  await store.state.set(['waiting', 'next'], 1);
  await store.index.set(['next'], 1);
  await store.verifyBlobs();
  await workload.check(store, acknowledged);
  await store.close();
  if (workload.damaged !== true) expect(corrupt).toEqual([]);
  expect(leftovers(folders)).toEqual([]);
}

/** Points at which one workload can be killed: every call, and the middle of every write. */
async function pointsOf(workload: StoreWorkload): Promise<readonly { step: number; tear: string; name: string }[]> {
  const folders = await prepare(workload);
  const calls: DiskCall[] = [];
  const disk = observedFileSystem(nodeFileSystem, { before: (call) => void calls.push(call) });
  const store = await openStoreOn(disk, { ...folders, onCorrupt: () => undefined });
  await workload.run(store, () => undefined);
  await store.close();
  return calls.flatMap(({ step, name }) =>
    (name === 'file.write' ? ['whole', 'tear'] : ['whole']).map((tear) => ({ step, tear, name })),
  );
}

/** About thirty points of all workloads together in the test command. */
const stride = soakFactor > 1 ? 1 : 16;

describe('a killed process', () => {
  test.each(storeWorkloads)('in "$name" loses and mixes nothing', async (workload) => {
    const points = await pointsOf(workload);
    let [killed, finished] = [0, 0];
    for (let at = (storeWorkloads.indexOf(workload) * 5) % stride; at < points.length; at += stride) {
      const point = points[at];
      if (point === undefined) continue;
      const folders = await prepare(workload);
      const { acknowledged, signal, stderr } = await start(
        ['kill', workload.name, String(point.step), point.tear],
        folders,
      ).ended;
      // The number of lock operations depends on the machine, so a run may finish before a late step.
      if (signal === null) finished += 1;
      else killed += 1;
      expect(['null', 'SIGKILL'], `${workload.name}, ${point.name}, step ${point.step}`).toContain(
        `${signal}${stderr}`,
      );
      await checkAfterwards(workload, folders, acknowledged);
    }
    expect(killed).toBeGreaterThan(0);
    expect(finished).toBeLessThanOrEqual(Math.max(1, killed / 10));
  });

  test('at any moment leaves whole transactions, and the next one continues', async () => {
    const folders = newFolders();
    let appended = 0;
    for (let round = 0; round < 5 * soakFactor; round += 1) {
      const enough = 1 + Math.floor(Math.random() * 6);
      const { running, ended } = start(['forever'], folders, (count) => {
        if (count >= enough) setTimeout(() => running.kill('SIGKILL'), Math.random() * 5);
      });
      const { acknowledged } = await ended;
      const corrupt: Corruption[] = [];
      const store = await openStore({ ...folders, onCorrupt: (found) => corrupt.push(found) });
      const values = (await store.state.entries([])).map(({ value }) => value);
      expect(new Set(values).size, 'one transaction').toBe(values.length === 0 ? 0 : 1);
      expect(Number(values[0] ?? 0)).toBeGreaterThanOrEqual(acknowledged);
      appended += Math.max(acknowledged - 1, 0);
      let found = 0;
      for await (const _ of store.audit.read()) found += 1;
      expect(found).toBeGreaterThanOrEqual(appended);
      expect(corrupt).toEqual([]);
      await store.close();
    }
  });
});

describe('simultaneous writers', () => {
  test('erase nothing of each other, also if one of them is killed (sec:C-12)', async () => {
    const folders = newFolders();
    const count = 10 * Math.min(soakFactor, 20);
    const victim = start(['forever'], folders, (heard) => {
      if (heard >= 3) victim.running.kill('SIGKILL');
    });
    const ended = await Promise.all(Array.from({ length: 3 }, () => start(['add', String(count)], folders).ended));
    victim.running.kill('SIGKILL');
    await victim.ended;
    for (const { code, stderr, acknowledged } of ended) {
      expect(`${code}${stderr}`).toBe('0');
      expect(acknowledged).toBe(count);
    }
    const store = await openStore(folders);
    expect(await store.state.get(['sum'])).toBe(3 * count);
    const sums = (await store.state.entries(['by'])).map(({ value }) => Number(value));
    expect(sums.sort((a, b) => a - b)).toEqual(Array.from({ length: 3 * count }, (_, index) => index + 1));
    let added = 0;
    for await (const { action } of store.audit.read()) if (action === 'add') added += 1;
    expect(added).toBe(3 * count);
    await store.close();
  });
});
