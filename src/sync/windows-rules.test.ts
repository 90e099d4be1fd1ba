/** The rules of Windows, simulated by a layer over the disk: links, junctions, and what a rename may replace. */
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { placeIn, put, wantedSkill } from '../testing/sync-workloads.ts';
import type { InstallPlace } from './install-place.ts';
import { checkInstalled } from './installed.ts';
import { requireSafeNames } from './safe-path.ts';
import { isThere, nodeSyncDisk, type SyncDisk } from './sync-disk.ts';

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

interface WindowsRules {
  /** False on network drives and FAT. */
  readonly junctions: boolean;
}

function windowsDisk({ junctions }: WindowsRules): SyncDisk {
  return {
    ...nodeSyncDisk,
    async symlink(target, path, kind) {
      // Without developer mode only an administrator can make symbolic links.
      if (kind !== 'junction') throw failed('EPERM');
      if (!junctions) throw failed('EINVAL');
      if (!isAbsolute(target)) throw new Error('a junction with a relative target leads somewhere else');
      return nodeSyncDisk.symlink(target, path, kind);
    },
    async rename(from, to) {
      const facts = (await isThere(nodeSyncDisk, to)) ? await nodeSyncDisk.lstat(to) : undefined;
      // Folders and junctions are never replaced by a rename, not even empty ones.
      if (facts !== undefined && facts.kind !== 'file') throw failed('EPERM');
      return nodeSyncDisk.rename(from, to);
    },
  };
}

let top: string;
let place: InstallPlace;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-windows-'));
  place = placeIn(top, { platform: 'win32' });
  mkdirSync(place.project);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('on Windows', () => {
  test('links are junctions with absolute targets, also after an update', async () => {
    const disk = windowsDisk({ junctions: true });
    for (const version of ['one', 'two']) {
      await put(disk, place, [wantedSkill('alpha', { 'text.txt': version })]);
      expect(readlinkSync(join(place.root, '.claude/skills/alpha'))).toBe(join(place.root, '.agents/skills/alpha'));
      expect(readFileSync(join(place.root, '.claude/skills/alpha/text.txt'), 'utf8')).toBe(version);
    }
    expect((await checkInstalled(place, disk)).skills[0]?.folders.map(({ state }) => state)).toEqual(['ok', 'ok']);
  });

  test('a copy replaces a junction that cannot be made, counts as installed, and is updated', async () => {
    const disk = windowsDisk({ junctions: false });
    for (const version of ['one', 'two']) {
      await put(disk, place, [wantedSkill('alpha', { 'text.txt': version })]);
      expect(lstatSync(join(place.root, '.claude/skills/alpha')).isDirectory()).toBe(true);
      expect(readFileSync(join(place.root, '.claude/skills/alpha/text.txt'), 'utf8')).toBe(version);
    }
    const [skill] = (await checkInstalled(place, disk)).skills;
    expect(skill).toMatchObject({ state: 'ok', folders: [{ state: 'ok' }, { state: 'copy' }] });
  });

  test.each([
    ...['nul', 'NUL.txt', 'CON', 'a/con.txt', 'Aux/x.md', 'COM1', 'lpt9.log'],
    ...['dot.', 'a/dot.', 'space ', 'a /x.md', 'x:y', 'q?.md', 'a\\b', 'a|b', 'a<b', 'a"b', 'a*b'],
  ])('the name %j, which is not a file on Windows, is refused everywhere', (path) => {
    expect(() => wantedNames(path)).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });

  test.each(['con', 'NUL', 'com1', 'name.', 'name '])('no skill is named %j', (name) => {
    expect(() => requireSafeNames(name, ['SKILL.md'])).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });

  test.each([
    [['Notes.md', 'notes.md']],
    [['docs/a.md', 'Docs/b.md']],
    [['skill.md']],
    [['stra\u00dfe.md', 'STRASSE.md']],
    [['a', 'A/b.md']],
  ])('files that are equal on Windows are refused everywhere: %j', (paths) => {
    expect(() => requireSafeNames('alpha', ['SKILL.md', ...paths])).toThrow(
      expect.objectContaining({ code: 'INVALID_SKILL' }),
    );
  });

  test('paths that are too long are refused before anything is written, and long ones are installed', async () => {
    expect(() => wantedNames(`${'d/'.repeat(limits.path.depth)}x.md`)).toThrow('too long');
    expect(() => wantedNames(`${'x'.repeat(limits.path.characters)}.md`)).toThrow('Cannot install');
    // Beyond the 260 characters that Windows once had.
    const long = `${'folder-with-a-long-name/'.repeat(8)}${'x'.repeat(120)}.md`;
    await put(windowsDisk({ junctions: true }), place, [wantedSkill('alpha', { [long]: 'text' })]);
    expect(readFileSync(join(place.root, '.claude/skills/alpha', long), 'utf8')).toBe('text');
  });
});

describe('on other systems', () => {
  test('links are relative, so that a project can be moved', async () => {
    await put(nodeSyncDisk, { ...place, platform: 'linux' }, [wantedSkill('alpha', {})]);
    expect(readlinkSync(join(place.root, '.claude/skills/alpha'))).toBe('../../.agents/skills/alpha');
  });
});

function wantedNames(path: string): void {
  requireSafeNames('alpha', ['SKILL.md', path]);
}
