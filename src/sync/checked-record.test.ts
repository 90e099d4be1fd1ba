import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../limits.ts';
import { observedSyncDisk } from '../testing/observed-sync-disk.ts';
import { placeIn, put, wantedSkill } from '../testing/sync-workloads.ts';
import { type InstallPlace, lockPath, transactionFolder } from './install-place.ts';
import { type RestoreOptions, restoreSkills } from './restore-skills.ts';
import { nodeSyncDisk } from './sync-disk.ts';

/** Seconds since 1970: a time that every disk can keep exactly. */
const longAgo = 1_000_000_000;

let top: string;
let place: InstallPlace;
/** Installed files that were read. */
let read: string[];

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-checked-'));
  place = placeIn(top);
  mkdirSync(place.project, { recursive: true });
  await put(nodeSyncDisk, place, [
    wantedSkill('alpha', { 'notes/text.txt': 'as it was' }, { mode: 'copy' }),
    wantedSkill('beta', {}, { agents: [] }),
  ]);
  utimesSync(installed('notes/text.txt'), longAgo, longAgo);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + limits.sync.settledMs + 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(top, { recursive: true, force: true });
});

const installed = (...path: string[]): string => join(place.root, '.agents/skills/alpha', ...path);
const record = (): string => join(transactionFolder(place), 'checked.json');

const disk = observedSyncDisk(nodeSyncDisk, {
  before({ name, path }) {
    if (name === 'read' && path.includes(join('skills', ''))) read.push(path);
  },
});

function restore(more: Partial<RestoreOptions> = {}) {
  read = [];
  const fetch = async () => Promise.reject(new Error('nothing is to be fetched'));
  return restoreSkills({ place, fetch, disk, stampsChanges: async () => true, ...more });
}

const actions = async (more: Partial<RestoreOptions> = {}) => (await restore(more)).map(({ action }) => action);

describe('a folder that was compared before', () => {
  test('is not read again while its stamps are the same', async () => {
    expect(await actions()).toEqual(['unchanged', 'unchanged']);
    // The shared copy, the one of an agent, and the other skill.
    expect(read).toHaveLength(5);
    expect(await actions()).toEqual(['unchanged', 'unchanged']);
    expect(read).toEqual([]);
  });

  test.each<readonly [string, () => void]>([
    ['a file that was edited', () => appendFileSync(installed('notes/text.txt'), '!')],
    [
      'other bytes of the same length, with the time set back',
      () => {
        writeFileSync(installed('notes/text.txt'), 'as it is.');
        utimesSync(installed('notes/text.txt'), longAgo, longAgo);
      },
    ],
    ['a file that came', () => writeFileSync(installed('notes/mine.txt'), 'mine')],
    ['a file in a folder that came', () => writeFileSync(folder(installed('more/deep'), 'mine.txt'), 'mine')],
    ['a file that is gone', () => rmSync(installed('notes/text.txt'))],
    ['a file that was made executable', () => chmodSync(installed('SKILL.md'), 0o755)],
    [
      'another file under the name',
      () => {
        writeFileSync(join(top, 'other'), 'as it is.');
        renameSync(join(top, 'other'), installed('notes/text.txt'));
      },
    ],
    [
      'a link to the same bytes',
      () => {
        cpSync(installed('SKILL.md'), join(top, 'same.md'));
        rmSync(installed('SKILL.md'));
        symlinkSync(join(top, 'same.md'), installed('SKILL.md'));
      },
    ],
  ])('is read again, and stops the install: %s', async (_, edit) => {
    await restore();
    edit();
    await expect(restore()).rejects.toMatchObject({ code: 'EDITED' });
  });

  test('is read every time if the skill has a subfolder, in which changes can go unnoticed', async () => {
    writeFileSync(folder(installed('__pycache__'), 'run.cpython-312.pyc'), 'compiled');
    vi.setSystemTime(Date.now() + limits.sync.settledMs + 1_000);
    await restore();
    expect(await actions()).toEqual(['unchanged', 'unchanged']);
    expect(read).toEqual([installed('SKILL.md'), installed('notes/text.txt')]);
    writeFileSync(installed('__pycache__/mine.txt'), 'mine');
    await expect(restore()).rejects.toMatchObject({ code: 'EDITED' });
  });

  test('is recorded for one lock file', async () => {
    await restore();
    writeFileSync(lockPath(place), `${readFileSync(lockPath(place), 'utf8')}\n`);
    await restore();
    expect(read).toHaveLength(5);
  });
});

describe('nothing is recorded', () => {
  test('for changes so recent that a second one may not show', async () => {
    vi.setSystemTime(statSync(installed('SKILL.md')).ctimeMs + limits.sync.settledMs - 1_000);
    await restore();
    await restore();
    expect(read).toHaveLength(5);
  });

  test.each<readonly [string, Partial<RestoreOptions>]>([
    ['on a disk that does not stamp every change', { stampsChanges: async () => false }],
    ['by a dry run', { dryRun: true }],
    ['of some of the skills', { names: ['alpha', 'beta'] }],
  ])('%s', async (_, more) => {
    await restore(more);
    await restore();
    expect(read).toHaveLength(5);
  });

  test('if the state cannot be written, and the install succeeds', async () => {
    rmSync(place.stateFolder, { recursive: true });
    writeFileSync(place.stateFolder, 'in the way');
    expect(await actions()).toEqual(['unchanged', 'unchanged']);
    expect(await actions()).toEqual(['unchanged', 'unchanged']);
    expect(read).toHaveLength(5);
  });
});

test.each(['{', 'null', '{"version":1}', '{"version":2,"lock":"","folders":{}}'])(
  'a damaged record (%s) is replaced',
  async (text) => {
    await restore();
    writeFileSync(record(), text);
    await restore();
    expect(read).toHaveLength(5);
    await restore();
    expect(read).toEqual([]);
  },
);

function folder(path: string, name: string): string {
  mkdirSync(path, { recursive: true });
  return join(path, name);
}
