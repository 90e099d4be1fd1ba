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
let mine: InstallPlace;
let theirs: InstallPlace;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-record-'));
  [mine, theirs] = [placeIn(join(top, 'mine')), placeIn(join(top, 'theirs'))];
  for (const { project } of [mine, theirs]) mkdirSync(project, { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const version = (text: string, mode: 'link' | 'copy' = 'copy') => wantedSkill('alpha', { 'text.txt': text }, { mode });
const installed = (...path: string[]): string => join(mine.root, '.agents/skills/alpha', ...path);

/** Somebody else goes on to another version, and their lock file comes here. */
async function pull(text: string): Promise<void> {
  await put(nodeSyncDisk, theirs, [version(text)]);
  writeFileSync(lockPath(mine), readFileSync(lockPath(theirs)));
}

async function restore(text: string) {
  const bytes: SkillBytes = new Map(version(text).files.map((file) => [file.path, file.bytes]));
  return restoreSkills({ place: mine, fetch: async () => new Map([['alpha', bytes]]) });
}

const stateOf = async (): Promise<string | undefined> => (await checkInstalled(mine)).skills[0]?.state;

describe('a lock file that came from somebody else', () => {
  test('makes skills outdated and not edited, and they are brought to it', async () => {
    await put(nodeSyncDisk, mine, [version('one')]);
    await pull('two');
    expect(await stateOf()).toBe('outdated');
    expect(await restore('two')).toMatchObject([{ name: 'alpha', action: 'updated', edited: [], saved: [] }]);
    expect(readFileSync(installed('text.txt'), 'utf8')).toBe('two');
    expect(await stateOf()).toBe('ok');
    await pull('three');
    expect(await restore('three')).toMatchObject([{ action: 'updated' }]);
  });

  test('does not make an edit something that may be written over', async () => {
    await put(nodeSyncDisk, mine, [version('one')]);
    appendFileSync(installed('text.txt'), ' and mine');
    await pull('two');
    expect(await stateOf()).toBe('edited');
    await expect(restore('two')).rejects.toMatchObject({ code: 'EDITED' });
    expect(readFileSync(installed('text.txt'), 'utf8')).toBe('one and mine');
  });

  test('lets what is outdated be removed', async () => {
    await put(nodeSyncDisk, mine, [version('one')]);
    await pull('two');
    expect(await removeSkills({ place: mine, names: ['alpha'] })).toMatchObject([{ outcome: 'changed', edited: [] }]);
  });

  test('is still told from edits after something else was installed', async () => {
    await put(nodeSyncDisk, mine, [version('one')]);
    await pull('two');
    await put(nodeSyncDisk, mine, [wantedSkill('beta', {})]);
    expect(await stateOf()).toBe('outdated');
  });

  test.each(['nonsense', '{"version": 2, "skills": {}}', '{"version": 1, "skills": {"alpha": [{"files": 1}]}}'])(
    'counts as an edit where the record is %s',
    async (text) => {
      await put(nodeSyncDisk, mine, [version('one')]);
      await pull('two');
      writeFileSync(join(transactionFolder(mine), 'installed.json'), text);
      expect(await stateOf()).toBe('edited');
    },
  );
});

test('a run that is undone leaves what was recorded before it', async () => {
  await put(nodeSyncDisk, mine, [version('one')]);
  const full = {
    ...nodeSyncDisk,
    symlink: async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  };
  const wanted = {
    read: await readLock(full, mine),
    put: [version('zwei', 'link')],
    edits: 'refuse',
    replace: false,
  } as const;
  await expect(applySkills(full, mine, wanted)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  expect(await stateOf()).toBe('ok');
  await pull('two');
  expect(await stateOf()).toBe('outdated');
});
