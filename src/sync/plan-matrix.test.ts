/** How an install is refused, repeated, repaired and reported, for every state of the folders. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeIn, put, treeOf, wantedSkill } from '../testing/sync-workloads.ts';
import { applySkills, removeSkills, type Wanted } from './apply-skills.ts';
import { readLock } from './install-lock.ts';
import { type InstallPlace, lockPath } from './install-place.ts';
import { checkInstalled } from './installed.ts';
import { restoreSkills, type SkillBytes } from './restore-skills.ts';
import { nodeSyncDisk as disk } from './sync-disk.ts';

let place: InstallPlace;
beforeEach(() => {
  place = placeIn(realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-plan-'))));
  mkdirSync(place.project);
});
afterEach(() => rmSync(join(place.project, '..'), { recursive: true, force: true }));

const at = (path: string): string => join(place.project, path);
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
async function apply(wanted: Partial<Wanted>) {
  const read = await readLock(disk, place);
  return applySkills(disk, place, { read, edits: 'refuse', replace: false, ...wanted });
}
const skills = (...names: string[]) => names.map((name) => wantedSkill(name, { 'a.txt': name }));
const bytesOf = (skill: ReturnType<typeof wantedSkill>): SkillBytes =>
  new Map(skill.files.map((file) => [file.path, file.bytes]));

describe('a refusal names the first skill and counts the others', () => {
  test.each([
    [['alpha'], /"alpha": another/],
    [['alpha', 'beta'], /"alpha" and 1 more: another/],
    [['alpha', 'beta', 'gamma'], /"alpha" and 2 more: another/],
  ])('if names are taken: %j', async (names, said) => {
    for (const name of names) write(at(`.agents/skills/${name}/SKILL.md`), 'mine');
    await expect(apply({ put: skills(...names, 'free') })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: expect.stringMatching(said),
      data: { taken: names.map((name) => ({ name, paths: [at(`.agents/skills/${name}`)] })) },
    });
  });

  test.each([
    [['alpha'], /^"alpha" has local/],
    [['alpha', 'beta'], /^"alpha" and 1 more have local/],
  ])('if somebody edited files: %j', async (names, said) => {
    await put(disk, place, skills(...names));
    for (const name of names) write(at(`.agents/skills/${name}/a.txt`), 'mine');
    await expect(
      apply({ put: skills(...names).map((one) => ({ ...one, locked: { ...one.locked, agents: [] } })) }),
    ).rejects.toMatchObject({
      code: 'EDITED',
      message: expect.stringMatching(said),
      data: { edited: names.map((name) => ({ name, folders: [{ files: [{ path: 'a.txt', kind: 'modified' }] }] })) },
    });
  });
});

describe('a skill of the same name that an agent reads elsewhere', () => {
  const user = (name: string, file: string) => join(place.home, '.claude/skills', name, file);

  test.each(['alpha', 'ALPHA'])('is found in folders of the user: %s', async (name) => {
    write(user(name, 'SKILL.md'), 'of the user');
    await expect(apply({ put: skills('alpha') })).rejects.toMatchObject({
      data: { taken: [{ name: 'alpha', paths: [join(place.home, '.claude/skills', name)] }] },
    });
    expect((await apply({ put: skills('alpha'), replace: true })).skills).toMatchObject([{ outcome: 'changed' }]);
    expect(readFileSync(user(name, 'SKILL.md'), 'utf8')).toBe('of the user');
  });

  test.each([
    ['a file', () => write(join(place.home, '.claude/skills/alpha'), 'x')],
    ['another name', () => write(user('alphabet', 'SKILL.md'), 'x')],
    ['a hidden folder', () => write(user('.alpha', 'SKILL.md'), 'x')],
    ['a folder of an agent that was not chosen', () => write(join(place.home, '.cursor/skills/alpha/SKILL.md'), 'x')],
  ])('is not reported if it is %s', async (_, make) => {
    make();
    const [alpha = wantedSkill('alpha', {})] = skills('alpha');
    const put = [{ ...alpha, locked: { ...alpha.locked, agents: ['claude-code'] } }];
    expect((await apply({ put })).skills).toMatchObject([{ outcome: 'changed' }]);
  });

  test('is found with another case beside it in the shared folder', async () => {
    write(at('.agents/skills/Alpha/SKILL.md'), 'mine');
    await expect(apply({ put: skills('alpha') })).rejects.toMatchObject({
      data: { taken: [{ name: 'alpha', paths: [at('.agents/skills/Alpha')] }] },
    });
  });

  test('is not searched for if the skill is already installed', async () => {
    await put(disk, place, skills('alpha'));
    write(user('alpha', 'SKILL.md'), 'of the user');
    expect((await apply({ put: [wantedSkill('alpha', { 'a.txt': 'two' })] })).skills).toMatchObject([
      { outcome: 'changed' },
    ]);
  });

  test('that was installed here in another case blocks the install', async () => {
    await put(disk, place, skills('Alpha'));
    await expect(apply({ put: skills('alpha') })).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  });

  test('a disk error is reported', async () => {
    const failing = {
      ...disk,
      list: async (path: string) =>
        path.startsWith(place.home)
          ? Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
          : disk.list(path),
    };
    const wanted = {
      read: await readLock(disk, place),
      put: skills('alpha'),
      edits: 'refuse',
      replace: false,
    } as const;
    await expect(applySkills(failing, place, wanted)).rejects.toMatchObject({ code: 'EACCES' });
  });
});

describe('removeSkills()', () => {
  const remove = (names: readonly string[], more: object = {}) => removeSkills({ place, names, ...more });

  test('removes the named skills, each once, and nothing else', async () => {
    await put(disk, place, skills('alpha', 'beta'));
    expect(await remove(['alpha', 'alpha'])).toEqual([{ name: 'alpha', outcome: 'changed', edited: [], saved: [] }]);
    expect([existsSync(at('.agents/skills/alpha')), existsSync(at('.claude/skills/alpha'))]).toEqual([false, false]);
    expect((await checkInstalled(place)).skills).toMatchObject([{ name: 'beta', state: 'ok' }]);
  });

  test.each(['absent', 'toString'])('refuses skills that are not installed: %s', async (name) => {
    await put(disk, place, skills('alpha'));
    await expect(remove(['alpha', name])).rejects.toMatchObject({
      code: 'SKILL_NOT_FOUND',
      data: { name, lockFile: lockPath(place) },
    });
    expect((await checkInstalled(place)).skills).toHaveLength(1);
  });

  test('for one agent keeps the others and their folders', async () => {
    await put(disk, place, skills('alpha'));
    await expect(remove(['alpha'], { agents: ['cursor'] })).rejects.toMatchObject({
      code: 'USAGE',
      data: { name: 'alpha', agent: 'cursor', agents: ['claude-code', 'codex'] },
    });
    await remove(['alpha'], { agents: ['claude-code'] });
    const [left] = (await checkInstalled(place)).skills;
    expect(left).toMatchObject({ state: 'ok', locked: { agents: ['codex'] } });
    expect([existsSync(at('.agents/skills/alpha')), existsSync(at('.claude/skills/alpha'))]).toEqual([true, false]);
  });

  test('a dry run reports and changes nothing', async () => {
    await put(disk, place, skills('alpha'));
    const before = treeOf(place.project);
    expect(await remove(['alpha'], { dryRun: true })).toMatchObject([{ outcome: 'changed' }]);
    expect(treeOf(place.project)).toEqual(before);
  });
});

describe('restoreSkills()', () => {
  const [alpha = wantedSkill('alpha', {}), beta = wantedSkill('beta', {})] = skills('alpha', 'beta');
  let fetched: string[];
  const restore = (more: Partial<Parameters<typeof restoreSkills>[0]> = {}) => {
    fetched = [];
    return restoreSkills({
      place,
      fetch: async (missing) => {
        fetched.push(...missing.map(({ name }) => name));
        return new Map([
          ['alpha', bytesOf(alpha)],
          ['beta', bytesOf(beta)],
        ]);
      },
      ...more,
    });
  };
  beforeEach(() => put(disk, place, [alpha, beta]));

  test.each<readonly [string, () => void, object, readonly string[]]>([
    ['nothing is wrong', () => undefined, { action: 'unchanged' }, []],
    ['a link is gone', () => rmSync(at('.claude/skills/alpha')), { action: 'repaired' }, []],
    [
      'the copy is gone',
      () => rmSync(at('.agents/skills/alpha'), { recursive: true }),
      { action: 'restored' },
      ['alpha'],
    ],
    [
      'the lock file is alone',
      () => rmSync(at('.agents'), { recursive: true }),
      { action: 'restored' },
      ['alpha', 'beta'],
    ],
  ])('if %s', async (_, harm, row, requests) => {
    harm();
    const [first] = await restore();
    expect(first).toEqual({ name: 'alpha', locked: alpha.locked, edited: [], saved: [], ...row });
    expect(fetched).toEqual(requests);
    expect((await checkInstalled(place)).skills).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
  });

  test('restores only those that are named', async () => {
    rmSync(at('.agents/skills'), { recursive: true });
    expect((await restore({ names: ['beta'] })).map(({ name }) => name)).toEqual(['beta']);
    expect([existsSync(at('.agents/skills/alpha')), existsSync(at('.agents/skills/beta'))]).toEqual([false, true]);
  });

  test('a dry run fetches, reports and writes nothing', async () => {
    rmSync(at('.agents/skills'), { recursive: true });
    const before = treeOf(place.project);
    expect(await restore({ dryRun: true })).toMatchObject([{ action: 'restored' }, { action: 'restored' }]);
    expect(treeOf(place.project)).toEqual(before);
  });

  test.each(['keep', 'overwrite', 'save'] as const)('with edits and "%s"', async (edits) => {
    write(at('.agents/skills/alpha/a.txt'), 'mine');
    const [first] = await restore({ edits });
    const files = [{ folder: at('.agents/skills/alpha'), files: [{ path: 'a.txt', kind: 'modified' }] }];
    expect(first).toMatchObject({ action: edits === 'keep' ? 'kept' : 'repaired', edited: files });
    expect(first?.saved).toHaveLength(edits === 'save' ? 1 : 0);
    expect(fetched).toEqual(edits === 'keep' ? [] : ['alpha']);
    expect(readFileSync(at('.agents/skills/alpha/a.txt'), 'utf8')).toBe(edits === 'keep' ? 'mine' : 'alpha');
  });

  test('with edits and no choice it refuses, and contacts nobody', async () => {
    write(at('.agents/skills/alpha/a.txt'), 'mine');
    await expect(restore()).rejects.toMatchObject({ code: 'EDITED' });
    expect(fetched).toEqual([]);
  });

  const changed = (path: string, text: string | undefined): SkillBytes => {
    const bytes = new Map(bytesOf(alpha));
    if (text === undefined) bytes.delete(path);
    else bytes.set(path, new TextEncoder().encode(text));
    return bytes;
  };
  test.each<readonly [string, () => ReadonlyMap<string, SkillBytes>, readonly string[], string]>([
    ['other bytes', () => new Map([['alpha', changed('a.txt', 'other')]]), ['a.txt'], '"a.txt" does not'],
    ['a file less', () => new Map([['alpha', changed('a.txt', undefined)]]), ['a.txt'], '"a.txt" does not'],
    ['a file more', () => new Map([['alpha', changed('b.txt', 'b')]]), ['b.txt'], '"b.txt" does not'],
    ['nothing', () => new Map(), ['SKILL.md', 'a.txt'], '"SKILL.md", "a.txt" do not'],
  ])('refuses an origin that has %s', async (_, bytes, paths, said) => {
    rmSync(at('.agents/skills/alpha'), { recursive: true });
    const before = treeOf(place.project);
    await expect(restore({ fetch: async () => bytes() })).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
      reason: 'digest',
      message: expect.stringContaining(said),
      data: { name: 'alpha', origin: './origin', uri: 'skill://alpha/SKILL.md', paths },
    });
    expect(treeOf(place.project)).toEqual(before);
  });

  test('makes scripts executable only if that was accepted', async () => {
    for (const scripts of [true, false]) {
      const skill = wantedSkill('gamma', { 'run.sh': 'x' }, { executable: ['run.sh'], scripts });
      await put(disk, place, [skill]);
      rmSync(at('.agents/skills/gamma'), { recursive: true });
      await restore({ fetch: async () => new Map([['gamma', bytesOf(skill)]]) });
      expect(treeOf(at('.agents/skills/gamma'))['run.sh']).toBe(scripts ? 'x x' : 'x');
    }
  });
});
