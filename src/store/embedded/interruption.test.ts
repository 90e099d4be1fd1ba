/**
 * Interrupts every step of every write. The disk stops answering, as if the process were killed, also in the middle of a write; or a call
 * fails. Killed processes are in test/contract/store-kill.test.ts.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { soakFactor } from '../../../test/soak-factor.ts';
import type { SkillwireError } from '../../errors.ts';
import { type DiskCall, type ObservedFileSystem, observedFileSystem } from '../../testing/observed-file-system.ts';
import {
  leftovers,
  letTimePass,
  type StoreFolders,
  type StoreWorkload,
  storeWorkloads,
} from '../../testing/store-workloads.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { openStoreOn } from './open-store.ts';
import type { Corruption } from './store-failure.ts';

/** Bytes that a killed process has written stay in the memory of the system, so these tests need no sync. */
const unsyncedFile: FileSystem = {
  ...nodeFileSystem,
  open: async (...args) => ({ ...(await nodeFileSystem.open(...args)), sync: async () => undefined }),
  syncFolder: async () => undefined,
};

let top: string;
let folders: StoreFolders;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-store-'));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

let round = 0;

const foldersIn = (place: string): StoreFolders => ({
  stateFolder: join(place, 'state'),
  cacheFolder: join(place, 'cache'),
});

async function prepare(workload: StoreWorkload): Promise<void> {
  const template = join(top, 'template');
  if (!existsSync(template)) {
    mkdirSync(template);
    const store = await openStoreOn(unsyncedFile, foldersIn(template));
    await workload.prepare(store, foldersIn(template));
    await store.close();
  }
  round += 1;
  const place = join(top, String(round));
  cpSync(template, place, { recursive: true, preserveTimestamps: true });
  folders = foldersIn(place);
}

/** @returns how much was acknowledged, and the error if the run failed */
async function runOn(disk: ObservedFileSystem, workload: StoreWorkload, stopped: Promise<void>) {
  let acknowledged = 0;
  let failure: unknown;
  const work = async (): Promise<void> => {
    const store = await openStoreOn(disk, { ...folders, onCorrupt: () => undefined });
    try {
      await workload.run(store, (count) => {
        acknowledged = count;
      });
    } finally {
      await store.close();
    }
  };
  const ended = work().catch((error: unknown) => {
    failure = error;
  });
  await Promise.race([ended, stopped]);
  return { acknowledged, failure };
}

/**
 * In this process a lock holder never counts as dead. So this removes the leftovers that a killed process would leave.
 */
function forgetOwnLocks(): void {
  for (const folder of Object.values(folders) as string[]) {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) continue;
    for (const name of readdirSync(folder).filter((one) => one.startsWith('lock'))) {
      const path = join(folder, name);
      if (readFileSync(path, 'utf8').includes(`"pid":${process.pid},`)) rmSync(path);
    }
  }
}

async function checkAfterwards(workload: StoreWorkload, acknowledged: number, when: string): Promise<void> {
  const corrupt: Corruption[] = [];
  letTimePass(folders);
  const store = await openStoreOn(unsyncedFile, { ...folders, onCorrupt: (found) => corrupt.push(found) });
  try {
    await workload.check(store, acknowledged);
    await store.state.set(['waiting', 'next'], when);
    await store.index.set(['next'], when);
    await store.verifyBlobs();
    await workload.check(store, acknowledged);
  } catch (error) {
    throw new Error(`${workload.name} ${when}: ${(error as Error).message}`, { cause: error });
  }
  if (workload.damaged !== true) expect(corrupt, when).toEqual([]);
  await store.close();
  expect(leftovers(folders), when).toEqual([]);
  rmSync(dirname(folders.stateFolder), { recursive: true, force: true });
}

async function stepsOf(workload: StoreWorkload): Promise<DiskCall[]> {
  await prepare(workload);
  const calls: DiskCall[] = [];
  const disk = observedFileSystem(unsyncedFile, { before: (call) => void calls.push(call) });
  const { failure } = await runOn(disk, workload, new Promise(() => undefined));
  expect(failure).toBeUndefined();
  return calls;
}

/** The soak runs every step. The test command runs every fourth step of each workload, from different starts. */
const stride = soakFactor > 1 ? 1 : 4;
const isChosen = (workload: StoreWorkload, step: number): boolean =>
  (step + storeWorkloads.indexOf(workload)) % stride === 0;

describe('a disk that stops answering', () => {
  test.each(storeWorkloads)('$name: loses and mixes nothing at any step', async (workload) => {
    const calls = await stepsOf(workload);
    for (const { step: last, name } of calls.filter(({ step }) => isChosen(workload, step))) {
      for (const tearsWrites of name === 'file.write' ? [false, true] : [false]) {
        await prepare(workload);
        let stop: () => void = () => undefined;
        const stopped = new Promise<void>((resolve) => {
          stop = resolve;
        });
        const disk = observedFileSystem(unsyncedFile, {
          tearsWrites,
          before({ step }) {
            if (step < last) return undefined;
            stop();
            return new Promise(() => undefined);
          },
        });
        const { acknowledged } = await runOn(disk, workload, stopped);
        forgetOwnLocks();
        await checkAfterwards(workload, acknowledged, `stopped at step ${last} of ${calls.length} (${name})`);
        await disk.closeAll();
      }
    }
  });
});

const errnos = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EMFILE'] as const;
describe('a call that fails', () => {
  test.each(storeWorkloads)('$name: leaves the old or the new value, and names the path', async (workload) => {
    const calls = await stepsOf(workload);
    for (const { step: failing, name, path } of calls.filter(({ step }) => isChosen(workload, step))) {
      for (const code of stride === 1 ? errnos : [errnos[failing % errnos.length] ?? 'EIO']) {
        await prepare(workload);
        const disk = observedFileSystem(unsyncedFile, {
          before({ step }) {
            if (step === failing) throw Object.assign(new Error(`${code}: injected`), { code });
          },
        });
        const { acknowledged, failure } = await runOn(disk, workload, new Promise(() => undefined));
        const when = `${code} at step ${failing} (${name} ${path})`;
        if (failure !== undefined) {
          expect(failure, when).toMatchObject({ code: 'STATE_UNUSABLE', data: { errno: code } });
          const { message, data } = failure as SkillwireError;
          expect(message).toContain(String(data['path']));
        }
        await checkAfterwards(workload, acknowledged, when);
      }
    }
  });
});
