import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeIn, put, wantedSkill } from '../testing/sync-workloads.ts';
import { applySkills, removeSkills } from './apply-skills.ts';
import { readLock } from './install-lock.ts';
import { type InstallPlace, lockPath, transactionFolder } from './install-place.ts';
import { checkInstalled } from './installed.ts';
import { restoreSkills, type SkillBytes } from './restore-skills.ts';
import { nodeSyncDisk } from './sync-disk.ts';

let top: string;
let ownPlace: InstallPlace;
let theirs: InstallPlace;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-record-'));
  [ownPlace, theirs] = [placeIn(join(top, 'mine')), placeIn(join(top, 'theirs'))];
  for (const { project } of [ownPlace, theirs]) mkdirSync(project, { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const version = (text: string, mode: 'link' | 'copy' = 'copy') => wantedSkill('alpha', { 'text.txt': text }, { mode });
const installed = (...path: string[]): string => join(ownPlace.root, '.agents/skills/alpha', ...path);

/** Somebody else updates to another version, and their lock file is pulled here. */
async function pull(text: string): Promise<void> {
  await put(nodeSyncDisk, theirs, [version(text)]);
  writeFileSync(lockPath(ownPlace), readFileSync(lockPath(theirs)));
}

async function restore(text: string) {
  const bytes: SkillBytes = new Map(version(text).files.map((file) => [file.path, file.bytes]));
  return restoreSkills({ place: ownPlace, fetch: async () => new Map([['alpha', bytes]]) });
}

const stateOf = async (): Promise<string | undefined> => (await checkInstalled(ownPlace)).skills[0]?.state;

describe('a foreign lock file', () => {
  test('makes skills outdated but not edited, and they are updated to it', async () => {
    await put(nodeSyncDisk, ownPlace, [version('one')]);
    await pull('two');
    expect(await stateOf()).toBe('outdated');
    expect(await restore('two')).toMatchObject([{ name: 'alpha', action: 'updated', edited: [], saved: [] }]);
    expect(readFileSync(installed('text.txt'), 'utf8')).toBe('two');
    expect(await stateOf()).toBe('ok');
    await pull('three');
    expect(await restore('three')).toMatchObject([{ action: 'updated' }]);
  });

  test('does not allow overwriting an edit', async () => {
    await put(nodeSyncDisk, ownPlace, [version('one')]);
    appendFileSync(installed('text.txt'), ' and mine');
    await pull('two');
    expect(await stateOf()).toBe('edited');
    await expect(restore('two')).rejects.toMatchObject({ code: 'EDITED' });
    expect(readFileSync(installed('text.txt'), 'utf8')).toBe('one and mine');
  });

  test('allows removing outdated skills', async () => {
    await put(nodeSyncDisk, ownPlace, [version('one')]);
    await pull('two');
    expect(await removeSkills({ place: ownPlace, names: ['alpha'] })).toMatchObject([
      { outcome: 'changed', edited: [] },
    ]);
  });

  test('is still distinguished from edits after another install', async () => {
    await put(nodeSyncDisk, ownPlace, [version('one')]);
    await pull('two');
    await put(nodeSyncDisk, ownPlace, [wantedSkill('beta', {})]);
    expect(await stateOf()).toBe('outdated');
  });

  test.each(['nonsense', '{"version": 2, "skills": {}}', '{"version": 1, "skills": {"alpha": [{"files": 1}]}}'])(
    'counts as an edit if the record is %s',
    async (text) => {
      await put(nodeSyncDisk, ownPlace, [version('one')]);
      await pull('two');
      writeFileSync(join(transactionFolder(ownPlace), 'installed.json'), text);
      expect(await stateOf()).toBe('edited');
    },
  );
});

test('a run that is undone restores the earlier record', async () => {
  await put(nodeSyncDisk, ownPlace, [version('one')]);
  const full = {
    ...nodeSyncDisk,
    symlink: async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  };
  const wanted = {
    read: await readLock(full, ownPlace),
    put: [version('zwei', 'link')],
    edits: 'refuse',
    replace: false,
  } as const;
  await expect(applySkills(full, ownPlace, wanted)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  expect(await stateOf()).toBe('ok');
  await pull('two');
  expect(await stateOf()).toBe('outdated');
});
