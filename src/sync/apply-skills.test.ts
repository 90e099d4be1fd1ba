/** Files that somebody edited, and folders that nobody installed here. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeIn, put, treeOf, wantedSkill } from '../testing/sync-workloads.ts';
import { applySkills, type Wanted } from './apply-skills.ts';
import { readLock } from './install-lock.ts';
import { type InstallPlace, transactionFolder } from './install-place.ts';
import { checkInstalled } from './installed.ts';
import { restoreSkills, type SkillBytes } from './restore-skills.ts';
import { nodeSyncDisk as disk } from './sync-disk.ts';

let place: InstallPlace;
const shared = '.agents/skills/alpha';
const own = '.claude/skills/alpha';
const first = wantedSkill('alpha', { 'a.txt': 'one' }, { agents: ['claude-code'] });
const second = wantedSkill('alpha', { 'a.txt': 'two' }, { agents: ['claude-code'] });
const copied = wantedSkill('alpha', { 'a.txt': 'one' }, { agents: ['claude-code'], mode: 'copy' });

beforeEach(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-apply-')));
  place = placeIn(top);
  mkdirSync(place.project);
});
afterEach(() => rmSync(join(place.project, '..'), { recursive: true, force: true }));

async function apply(wanted: Partial<Wanted>) {
  const read = await readLock(disk, place);
  return (await applySkills(disk, place, { read, edits: 'refuse', replace: false, ...wanted })).skills[0];
}

const at = (path: string): string => join(place.project, path);
const text = (path: string): string => readFileSync(at(path), 'utf8');
function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe.each([
  { does: 'an update', wanted: { put: [second] }, after: 'two' },
  { does: 'a removal', wanted: { remove: [{ name: 'alpha' }] }, after: undefined },
])('$does of a locally edited skill', ({ wanted, after }) => {
  const content = (): string | undefined => (existsSync(at(`${shared}/a.txt`)) ? text(`${shared}/a.txt`) : undefined);
  beforeEach(async () => {
    await put(disk, place, [first]);
    writeFileSync(at(`${shared}/a.txt`), 'mine');
  });

  test.each([{}, { dryRun: true }])('is refused without a choice %j', async (more) => {
    const before = treeOf(place.project);
    await expect(apply({ ...wanted, ...more })).rejects.toMatchObject({
      code: 'EDITED',
      data: { edited: [{ name: 'alpha', folders: [{ files: [{ path: 'a.txt', kind: 'modified' }] }] }] },
    });
    expect(treeOf(place.project)).toEqual(before);
  });

  test('changes nothing with "keep", not even the lock file', async () => {
    const before = treeOf(place.project);
    expect(await apply({ ...wanted, edits: 'keep' })).toMatchObject({ outcome: 'kept', saved: [] });
    expect(treeOf(place.project)).toEqual(before);
  });

  test('replaces it with "overwrite"', async () => {
    expect(await apply({ ...wanted, edits: 'overwrite' })).toMatchObject({ outcome: 'changed', saved: [] });
    expect(content()).toBe(after);
    expect(existsSync(at('.agents/saved-skills'))).toBe(false);
  });

  test('moves the edited copy aside with "save", and names its path', async () => {
    const done = await apply({ ...wanted, edits: 'save' });
    expect(done).toMatchObject({ outcome: 'changed', saved: [expect.stringContaining('saved-skills')] });
    expect(content()).toBe(after);
    expect(readFileSync(join(done?.saved[0] ?? '', 'a.txt'), 'utf8')).toBe('mine');
  });
});

test('two edited copies of a skill are both saved', async () => {
  await put(disk, place, [copied]);
  writeFileSync(at(`${shared}/a.txt`), 'mine');
  writeFileSync(at(`${own}/a.txt`), 'yours');
  const { saved = [] } = (await apply({ put: [second], edits: 'save' })) ?? {};
  expect(saved.map((path) => readFileSync(join(path, 'a.txt'), 'utf8'))).toEqual(['mine', 'yours']);
});

describe('a folder that nobody installed', () => {
  test.each([shared, own])('blocks the install at %s, and is moved aside if asked for', async (folder) => {
    write(at(`${folder}/SKILL.md`), 'of somebody');
    const before = treeOf(place.project);
    await expect(apply({ put: [first] })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      data: { taken: [{ name: 'alpha', paths: [at(folder)] }] },
    });
    expect(treeOf(place.project)).toEqual(before);
    const done = await apply({ put: [first], replace: true });
    expect(readFileSync(join(done?.saved[0] ?? '', 'SKILL.md'), 'utf8')).toBe('of somebody');
    expect(text(`${own}/a.txt`)).toBe('one');
  });

  test.each([
    { goes: 'an agent', wanted: { put: [{ ...first, locked: { ...first.locked, agents: [] } }] }, left: true },
    { goes: 'the skill', wanted: { remove: [{ name: 'alpha' }] }, left: false },
  ])('stays when $goes is removed', async ({ wanted, left }) => {
    await put(disk, place, [first]);
    rmSync(at(own));
    symlinkSync(place.home, at(own));
    expect(await apply(wanted)).toMatchObject({ outcome: 'changed', saved: [] });
    expect(treeOf(at('.claude/skills'))).toEqual({ alpha: `-> ${place.home}` });
    expect(existsSync(at(shared))).toBe(left);
  });

  test.each(['alpha', 'Alpha'])('is not hidden by a skill of the same name: %s of the user', async (name) => {
    const theirs = join(place.home, '.claude/skills', name);
    write(join(theirs, 'SKILL.md'), 'of the user');
    await expect(apply({ put: [first] })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      data: { taken: [{ name: 'alpha', paths: [theirs] }] },
    });
    expect(existsSync(at(shared))).toBe(false);
  });

  test('hides nothing if it has the same bytes', async () => {
    for (const { path, bytes } of first.files)
      write(join(place.home, '.claude/skills/alpha', path), Buffer.from(bytes).toString());
    expect(await apply({ put: [first] })).toMatchObject({ outcome: 'changed' });
  });
});

describe('links and copies', () => {
  const state = async (): Promise<unknown> =>
    (await checkInstalled(place)).skills[0]?.folders.map((folder) => folder.state);

  test('a copy with the right bytes counts as a link, because some systems have no links', async () => {
    await put(disk, place, [first]);
    rmSync(at(own));
    for (const { path, bytes } of first.files) write(at(`${own}/${path}`), Buffer.from(bytes).toString());
    const before = treeOf(place.project);
    expect(await apply({ put: [first] })).toMatchObject({ outcome: 'unchanged' });
    expect(treeOf(place.project)).toEqual(before);
    expect(await state()).toEqual(['ok', 'copy']);
  });

  test('the other kind replaces an installed skill', async () => {
    await put(disk, place, [first]);
    expect(await apply({ put: [copied] })).toMatchObject({ outcome: 'changed' });
    expect(treeOf(at('.claude/skills'))).toMatchObject({ 'alpha/a.txt': 'one' });
    expect(await apply({ put: [first] })).toMatchObject({ outcome: 'changed' });
    expect(treeOf(at('.claude/skills'))).toEqual({ alpha: expect.stringMatching(/^-> /) });
    expect(await state()).toEqual(['ok', 'ok']);
  });

  test('a broken link is reported as broken', async () => {
    await put(disk, place, [first]);
    rmSync(at(shared), { recursive: true });
    expect(await state()).toEqual(['missing', 'broken-link']);
  });

  test('a link to another target belongs to somebody else', async () => {
    await put(disk, place, [first]);
    rmSync(at(own));
    symlinkSync(place.home, at(own));
    expect(await state()).toEqual(['ok', 'foreign']);
  });
});

test('an agent that is removed loses its folder, the others keep theirs', async () => {
  const both = wantedSkill('alpha', { 'a.txt': 'one' }, { agents: ['claude-code', 'codex'] });
  await put(disk, place, [both]);
  expect(await apply({ remove: [{ name: 'alpha', agents: ['claude-code'] }] })).toMatchObject({ outcome: 'changed' });
  expect(existsSync(at(own))).toBe(false);
  expect(text(`${shared}/a.txt`)).toBe('one');
  expect((await readLock(disk, place)).lock.skills.alpha?.agents).toEqual(['codex']);
});

test('a plan for another lock file is refused', async () => {
  const read = await readLock(disk, place);
  await put(disk, place, [first]);
  const late = applySkills(disk, place, { read, put: [second], edits: 'refuse', replace: false });
  await expect(late).rejects.toMatchObject({ code: 'UNSTABLE' });
  expect(text(`${shared}/a.txt`)).toBe('one');
});

test.each(['{"version":2}', 'no JSON'])('unreadable notes of an interrupted run stop the run: %s', async (notes) => {
  write(join(transactionFolder(place), 'journal.json'), notes);
  await expect(apply({ put: [first] })).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  expect(existsSync(at(shared))).toBe(false);
});

test('a finished run leaves no files behind', async () => {
  await put(disk, place, [first]);
  await apply({ put: [second] });
  const { leftovers, unfinished } = await checkInstalled(place);
  expect({ leftovers, unfinished }).toEqual({ leftovers: [], unfinished: false });
  expect(Object.keys(treeOf(place.project)).filter((path) => path.includes('.skillwire-'))).toEqual([]);
  expect(existsSync(join(transactionFolder(place), 'journal.json'))).toBe(false);
});

test.each([
  ['modified', (path: string) => writeFileSync(path, 'mine')],
  ['missing', (path: string) => rmSync(path)],
  ['executable', (path: string) => chmodSync(path, 0o755)],
  [
    'link',
    (path: string) => {
      rmSync(path);
      symlinkSync('SKILL.md', path);
    },
  ],
])('a file that is %s is reported as such', async (kind, change) => {
  await put(disk, place, [first]);
  change(at(`${shared}/a.txt`));
  expect((await checkInstalled(place)).skills[0]?.folders[0]?.drift).toEqual([{ path: 'a.txt', kind }]);
});

describe('an edited file', () => {
  const noOrigin = async (): Promise<never> => expect.fail('an origin was asked');
  const bytes: SkillBytes = new Map(first.files.map((file) => [file.path, file.bytes]));

  test('is restored only if asked for, and no origin is asked for unchanged files', async () => {
    await put(disk, place, [first]);
    writeFileSync(at(`${shared}/a.txt`), 'mine');
    await expect(restoreSkills({ place, fetch: noOrigin })).rejects.toMatchObject({ code: 'EDITED' });
    expect(await restoreSkills({ place, edits: 'keep', fetch: noOrigin })).toMatchObject([{ action: 'kept' }]);
    expect(text(`${shared}/a.txt`)).toBe('mine');
    const fetch = async () => new Map([['alpha', bytes]]);
    expect(await restoreSkills({ place, edits: 'overwrite', fetch })).toMatchObject([{ action: 'repaired' }]);
    expect(text(`${shared}/a.txt`)).toBe('one');
    expect(await restoreSkills({ place, fetch: noOrigin })).toMatchObject([{ action: 'unchanged' }]);
  });

  test.each([
    ['other bytes', new Map([...bytes, ['a.txt', new TextEncoder().encode('other')]])],
    ['a file less', new Map([...bytes].filter(([path]) => path !== 'a.txt'))],
    ['a file more', new Map([...bytes, ['more.txt', new TextEncoder().encode('more')]])],
    ['nothing', undefined],
  ])('stays if its origin serves %s', async (_, given) => {
    await put(disk, place, [first]);
    writeFileSync(at(`${shared}/a.txt`), 'mine');
    const before = treeOf(place.project);
    const fetch = async () => new Map<string, SkillBytes>(given === undefined ? [] : [['alpha', given]]);
    await expect(restoreSkills({ place, edits: 'overwrite', fetch })).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
    });
    expect(treeOf(place.project)).toEqual(before);
  });
});
