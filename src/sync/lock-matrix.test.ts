/** A lock file field by field, and the effects of each. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { placeIn, put, wantedSkill } from '../testing/sync-workloads.ts';
import { applySkills } from './apply-skills.ts';
import { lockedAs, lockedOrigins, lockText, parseLock, readLock } from './install-lock.ts';
import { type InstallPlace, lockPath, transactionFolder } from './install-place.ts';
import { restoreSkills } from './restore-skills.ts';
import { parseForeignLock } from './skills-lock.ts';
import { nodeSyncDisk as disk } from './sync-disk.ts';
import { recover } from './transaction.ts';

let place: InstallPlace;
beforeEach(() => {
  place = placeIn(realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-lock-'))));
  mkdirSync(place.project);
});
afterEach(() => rmSync(join(place.project, '..'), { recursive: true, force: true }));

const alpha = wantedSkill('alpha', { 'a.txt': 'one' }, { agents: ['claude-code'], mode: 'copy' });
const linked = wantedSkill('alpha', { 'a.txt': 'one' }, { agents: ['claude-code'] });
const row = JSON.parse(lockText({ scope: 'project', skills: { alpha: alpha.locked } })).skills.alpha;
const file = (more: object) => ({ files: { ...row.files, 'a.txt': { ...row.files['a.txt'], ...more } } });

describe('a row is refused', () => {
  test.each<readonly [object | string, RegExp]>([
    ['text', /not an object/],
    [{ origin: 7 }, /"origin"/],
    [{ label: 7 }, /"label"/],
    [{ label: 'a=b' }, /"label"/],
    [{ revision: 7 }, /"revision"/],
    [{ revision: 'main' }, /"revision"/],
    [{ revision: 'a'.repeat(41) }, /"revision"/],
    [{ uri: '' }, /"uri"/],
    [{ uri: 7 }, /"uri"/],
    [{ setDigest: 'x' }, /"setDigest"/],
    [{ agents: 'codex' }, /"agents"/],
    [{ agents: [7] }, /"agents"/],
    [{ mode: 'x' }, /"mode"/],
    [{ scripts: 'yes' }, /"scripts"/],
    [{ approval: 7 }, /"approval"/],
    [{ approval: { by: 7, at: 'x' } }, /"approval"/],
    [{ approval: { by: 'x', at: 7 } }, /"approval"/],
    [{ approval: { by: 'x' } }, /"approval"/],
    [{ approval: { by: 'x', at: 'x', reason: 7 } }, /"approval"/],
    [{ files: [] }, /"files"/],
    [{ files: { 'a.txt': row.files['a.txt'] } }, /lack "SKILL.md"/],
    [file({ digest: 'x' }), /"a.txt" has no digest/],
    [file({ size: 1.5 }), /"a.txt" has no digest/],
    [file({ size: -1 }), /"a.txt" has no digest/],
    [file({ executable: false }), /"a.txt" has no digest/],
    [{ files: { ...row.files, '../x': row.files['a.txt'] } }, /has a name that/],
  ])('with %j', (more, fault) => {
    const bad = typeof more === 'string' ? more : { ...row, ...more };
    const text = JSON.stringify({ lockVersion: 2, scope: 'project', skills: { alpha: bad } });
    expect(() => parseLock(text, 'p')).toThrow(
      expect.objectContaining({ code: 'LOCK_INVALID', data: { path: 'p', fault: expect.stringMatching(fault) } }),
    );
  });

  test.each([
    { label: 'docs' },
    { revision: 'a'.repeat(40) },
    { revision: 'b'.repeat(64) },
    file({ size: 0 }),
    file({ executable: true }),
    { approval: { by: 'x', at: 'y', reason: 'z' } },
  ])('but not with %j', (more) => {
    const text = JSON.stringify({ lockVersion: 2, scope: 'project', skills: { alpha: { ...row, ...more } } });
    expect(parseLock(text, 'p').skills['alpha']).toMatchObject(more);
  });
});

test.each<readonly [string, RegExp]>([
  ['[]', /not an object/],
  ['{', /not JSON/],
  ['<<<<<<< mine\n{}', /merge conflict/],
  ['{"lockVersion":3,"scope":"project","skills":{}}', /version 3/],
  ['{"scope":"project","skills":{}}', /version none/],
  ['{"lockVersion":2,"scope":"x","skills":{}}', /"scope"/],
  ['{"lockVersion":2,"scope":"project","skills":[]}', /"skills"/],
  ['{"lockVersion":2,"scope":"project","skills":{".x":{}}}', /begins with a dot/],
  ['{"lockVersion":2,"scope":"global","skills":{}}', /scope is "global"/],
])('a lock file %s is refused', async (text, fault) => {
  writeFileSync(lockPath(place), text);
  await expect(readLock(disk, place)).rejects.toMatchObject({
    code: 'LOCK_INVALID',
    data: { path: lockPath(place), fault: expect.stringMatching(fault) },
  });
});

test('an unreadable lock file is not an empty one', async () => {
  mkdirSync(lockPath(place));
  await expect(readLock(disk, place)).rejects.toMatchObject({
    code: 'LOCK_INVALID',
    message: expect.stringContaining('EISDIR'),
  });
  const large = { ...disk, read: async () => ({ byteLength: limits.sync.lockBytes + 1 }) as Uint8Array };
  await expect(readLock(large, place)).rejects.toMatchObject({
    data: { fault: expect.stringContaining(String(limits.sync.lockBytes)) },
  });
});

test('rows are found by their own names', async () => {
  await put(disk, place, [alpha]);
  const { lock } = await readLock(disk, place);
  expect([lockedAs(lock, 'alpha')?.uri, lockedAs(lock, 'toString')]).toEqual(['skill://alpha/SKILL.md', undefined]);
  expect(lockedOrigins(lock)).toEqual([{ name: 'alpha', origin: { kind: 'folder', path: './origin' } }]);
});

describe('a second run', () => {
  const again = async (skill = linked) =>
    (
      await applySkills(disk, place, {
        read: await readLock(disk, place),
        put: [skill],
        edits: 'refuse',
        replace: false,
      })
    ).skills;

  test.each([linked, alpha])('of the same skills changes nothing, for a link or a copy (%#)', async (skill) => {
    await put(disk, place, [skill]);
    const own = join(place.project, '.claude/skills/alpha');
    const before = lstatSync(own).ino;
    expect(await again(skill)).toMatchObject([{ outcome: 'unchanged' }]);
    expect(lstatSync(own).ino).toBe(before);
  });

  test('writes a lock file in the canonical form', async () => {
    await put(disk, place, [linked]);
    const text = readFileSync(lockPath(place), 'utf8');
    writeFileSync(lockPath(place), JSON.stringify(JSON.parse(text)));
    await again();
    expect(readFileSync(lockPath(place), 'utf8')).toBe(text);
  });

  test.each([
    [linked, alpha],
    [alpha, linked],
  ])('changes links to copies and back (%#)', async (first, second) => {
    await put(disk, place, [first]);
    expect(await again(second)).toMatchObject([{ outcome: 'changed' }]);
    const own = join(place.project, '.claude/skills/alpha');
    expect(lstatSync(own).isSymbolicLink()).toBe(second === linked);
    expect(readFileSync(join(own, 'a.txt'), 'utf8')).toBe('one');
  });
});

test('a missing copy is made from the existing one', async () => {
  await put(disk, place, [alpha]);
  const own = join(place.project, '.claude/skills/alpha');
  rmSync(own, { recursive: true });
  const fetch = async () => Promise.reject(new Error('nothing is to be fetched'));
  expect(await restoreSkills({ place, fetch })).toMatchObject([{ action: 'repaired' }]);
  expect([readFileSync(join(own, 'a.txt'), 'utf8'), existsSync(join(own, 'SKILL.md'))]).toEqual(['one', true]);
});

test('the record beside the lock file has a version', async () => {
  await put(disk, place, [alpha]);
  const settled = { ...disk, stamp: async () => ({ bytes: new Uint8Array(1), changedMs: 0 }) };
  await restoreSkills({ place, disk: settled, fetch: async () => new Map(), stampsChanges: async () => true });
  for (const name of ['installed.json', 'checked.json'])
    expect(JSON.parse(readFileSync(join(transactionFolder(place), name), 'utf8')).version, name).toBe(1);
  expect(await recover(disk, place)).toBe('clean');
});

describe('parseForeignLock()', () => {
  test.each<readonly [object, object | string]>([
    [
      { source: 'a/b', sourceType: 'gitlab' },
      { kind: 'git', repository: 'https://gitlab.com/a/b.git' },
    ],
    [
      { source: 'a/b', sourceType: 'github', ref: '' },
      { kind: 'git', repository: 'https://github.com/a/b.git' },
    ],
    [
      { sourceUrl: 'https://x.test/r.git', source: 'a/b', sourceType: 'github' },
      { kind: 'git', repository: 'https://x.test/r.git' },
    ],
    [
      { source: 'https://x.test/r.git', sourceType: 'git', ref: 'v1' },
      { kind: 'git', repository: 'https://x.test/r.git', ref: 'v1' },
    ],
    [
      { source: 'x.test', sourceType: 'well-known' },
      { kind: 'site', url: 'https://x.test' },
    ],
    [
      { source: './a.zip', sourceType: 'local' },
      { kind: 'archive', path: './a.zip' },
    ],
    [
      { sourceUrl: './a', sourceType: 'local' },
      { kind: 'folder', path: './a' },
    ],
    [{ sourceType: 'github' }, 'it has no source'],
    [{ sourceType: 'well-known' }, 'it has no source'],
    [{ sourceType: 'local' }, 'it has no source'],
    [{ sourceType: 'git', source: 7 }, 'it has no source'],
    [{ sourceType: 'other' }, 'sources of type "other" are not supported'],
  ])('reads %j', (entry, found) => {
    const { skills, unreadable } = parseForeignLock(JSON.stringify({ version: 1, skills: { a: entry } }), 'p');
    if (typeof found === 'string') expect(unreadable).toEqual([{ name: 'a', reason: found }]);
    else expect(skills).toEqual([{ name: 'a', origin: found }]);
  });

  test('reads nothing that is too large', () => {
    const text = { length: limits.sync.foreignLockBytes + 1 } as string;
    expect(() => parseForeignLock(text, 'p')).toThrow(
      expect.objectContaining({ code: 'LOCK_INVALID', data: { path: 'p', fault: 'it is too large' } }),
    );
  });
});
