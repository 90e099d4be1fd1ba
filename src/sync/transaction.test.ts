import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { soakFactor } from '../../test/soak-factor.ts';
import { observedSyncDisk } from '../testing/observed-sync-disk.ts';
import { placeIn, put, syncWorkloads, treeOf, wantedSkill } from '../testing/sync-workloads.ts';
import { applySkills } from './apply-skills.ts';
import { readLock } from './install-lock.ts';
import { checkInstalled } from './installed.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import { recover } from './transaction.ts';

/** Writes of a process stay in the memory of the system, so tests need not sync. */
const unsynced: SyncDisk = {
  ...nodeSyncDisk,
  open: async (...args) => ({ ...(await nodeSyncDisk.open(...args)), sync: async () => undefined }),
  syncFolder: async () => undefined,
};

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-sync-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

let count = 0;
function newPlace() {
  count += 1;
  const place = placeIn(join(top, String(count)));
  mkdirSync(place.project, { recursive: true });
  return place;
}

const errnos = ['ENOSPC', 'EACCES', 'EROFS', 'EMFILE', 'EXDEV'] as const;

describe('a disk call that fails', () => {
  test.each(syncWorkloads)('leaves the old or the new state: $name', { timeout: 300_000 }, async (workload) => {
    const learned = newPlace();
    await workload.prepare(unsynced, learned);
    const before = treeOf(learned.project);
    let steps = 0;
    const counting = observedSyncDisk(unsynced, {
      before: ({ step }) => {
        steps = step;
      },
    });
    await workload.run(counting, learned);
    const after = treeOf(learned.project);
    const stride = soakFactor > 1 ? 1 : 3;
    let undone = 0;
    for (let failing = 1 + (count % stride); failing <= steps; failing += stride) {
      const place = newPlace();
      await workload.prepare(unsynced, place);
      let where = '';
      const disk = observedSyncDisk(unsynced, {
        before({ step, name, path }) {
          if (step !== failing) return;
          // A link that the system does not allow is not a failure: a copy replaces it.
          const code = name === 'symlink' ? 'ENOSPC' : (errnos[failing % errnos.length] ?? 'EIO');
          where = `${code} at step ${step} of ${steps} (${name} ${path})`;
          throw Object.assign(new Error(`${code}: injected`), { code, path });
        },
      });
      const failed = await workload.run(disk, place).then(
        () => false,
        () => true,
      );
      await recover(unsynced, place);
      const tree = treeOf(place.project);
      expect([before, after], where).toContainEqual(tree);
      // A reported failure means that nothing changed, except that the lock on the state may fail after all writes.
      if (failed && JSON.stringify(tree) !== JSON.stringify(after)) undone += 1;
      const { unfinished, leftovers } = await checkInstalled(place, unsynced);
      expect({ unfinished, leftovers }, where).toEqual({ unfinished: false, leftovers: [] });
    }
    expect(undone).toBeGreaterThan(0);
  });
});

describe('applySkills()', () => {
  test('refuses to overwrite a lock file that somebody else changed meanwhile', async () => {
    const place = newPlace();
    const read = await readLock(unsynced, place);
    await put(unsynced, place, [wantedSkill('alpha', {})]);
    const late = applySkills(unsynced, place, {
      read,
      put: [wantedSkill('beta', {})],
      edits: 'refuse',
      replace: false,
    });
    await expect(late).rejects.toMatchObject({ code: 'UNSTABLE' });
  });

  test('makes simultaneous runs wait for each other', async () => {
    const place = newPlace();
    const add = async (name: string): Promise<void> => {
      for (;;) {
        try {
          return await put(unsynced, place, [wantedSkill(name, { 'x.txt': name })]);
        } catch (error) {
          if ((error as { code?: string }).code !== 'UNSTABLE') throw error;
        }
      }
    };
    const names = ['one', 'two', 'three', 'four'];
    await Promise.all(names.map(add));
    expect(Object.keys((await readLock(unsynced, place)).lock.skills).sort()).toEqual([...names].sort());
    expect((await checkInstalled(place, unsynced)).skills.every(({ state }) => state === 'ok')).toBe(true);
  });

  test('keeps a file that appears at a target during a run', async () => {
    const place = newPlace();
    const skill = join(place.project, '.agents/skills/alpha');
    let made = false;
    const disk = observedSyncDisk(unsynced, {
      before({ name, path }) {
        if (made || name !== 'rename' || path !== skill) return;
        made = true;
        mkdirSync(skill, { recursive: true });
        writeFileSync(join(skill, 'mine.txt'), 'mine');
      },
    });
    // Renaming a folder over a non-empty one fails, so the run is undone completely.
    await expect(put(disk, place, [wantedSkill('alpha', {})])).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(readdirSync(skill)).toEqual(['mine.txt']);
    expect((await readLock(unsynced, place)).text).toBeUndefined();
  });
});
