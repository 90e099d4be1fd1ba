/**
 * Acknowledged writes survive a loss of power (sec:I-2). By then the bytes of every file are synced, and each file was
 * synced before it got its name. Every folder is synced after a name in it changed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DiskCall, observedFileSystem } from '../../testing/observed-file-system.ts';
import { storeWorkloads } from '../../testing/store-workloads.ts';
import { nodeFileSystem } from './file-system.ts';
import { openStore, openStoreOn } from './open-store.ts';

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-synced-'));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Changes that a loss of power would undo. A lock is meant to be lost. */
class Unsynced {
  readonly files = new Set<string>();
  readonly folders = new Set<string>();
  readonly earlyNames: string[] = [];

  see({ name, path }: DiskCall): void {
    if (/^lock/.test(path.slice(path.lastIndexOf('/') + 1))) return;
    if (name === 'file.write' || name === 'file.truncate') this.files.add(path);
    else if (name === 'file.sync') this.files.delete(path);
    else if (name === 'mkdir') this.folders.add(dirname(path));
    else if (name === 'rename') {
      if ([...this.files].some((file) => file.includes('.tmp-'))) this.earlyNames.push(path);
      this.folders.add(dirname(path));
    } else if (name === 'syncFolder') this.folders.delete(path);
  }
}

describe('an acknowledged write is synced', () => {
  test.each(storeWorkloads.filter(({ name }) => name !== 'index' && name !== 'garbage'))('$name', async (workload) => {
    const folders = { stateFolder: join(top, 'state'), cacheFolder: join(top, 'cache') };
    const first = await openStore(folders);
    await workload.prepare(first, folders);
    await first.close();
    const unsynced = new Unsynced();
    const disk = observedFileSystem(nodeFileSystem, { before: (call) => unsynced.see(call) });
    const store = await openStoreOn(disk, { ...folders, onCorrupt: () => undefined });
    let acknowledged = 0;
    await workload.run(store, (count) => {
      acknowledged = count;
      expect([...unsynced.files, ...unsynced.folders]).toEqual([]);
    });
    expect(acknowledged).toBeGreaterThan(0);
    expect(unsynced.earlyNames).toEqual([]);
    await store.close();
  });
});
