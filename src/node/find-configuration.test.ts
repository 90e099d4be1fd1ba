import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { findConfiguration, userConfigurationFile } from './find-configuration.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-configuration-')));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function folder(...path: string[]): string {
  const made = join(root, ...path);
  mkdirSync(made, { recursive: true });
  return made;
}

function write(path: string, label: string): string {
  writeFileSync(path, JSON.stringify({ origins: { [label]: './skills' } }));
  return path;
}

function place(cwd: string, env: Record<string, string> = {}) {
  return { cwd, env: { SKILLWIRE_HOME: join(root, 'no-home'), ...env }, home: root, platform: 'linux' };
}

describe('findConfiguration()', () => {
  test('returns the named file, relative to the working folder', async () => {
    const cwd = folder('named');
    const file = write(join(cwd, 'other.json'), 'other');
    write(join(cwd, 'skillwire.json'), 'nearest');
    expect(await findConfiguration(place(cwd), 'other.json')).toEqual({
      file,
      from: 'user',
      configuration: { origins: [{ label: 'other', folder: './skills' }], rules: [] },
    });
  });

  test.skipIf(process.platform === 'win32')('does not trust a named file that others can write', async () => {
    const file = write(join(folder('shared'), 'shared.json'), 'a');
    const from = async (mode: number, platform = 'linux'): Promise<string | undefined> => {
      chmodSync(file, mode);
      return (await findConfiguration({ ...place(root), platform }, file))?.from;
    };
    expect(await from(0o644)).toBe('user');
    expect(await from(0o600)).toBe('user');
    expect(await from(0o646)).toBe('folder');
    expect(await from(0o666)).toBe('folder');
    expect(await from(0o644, 'win32')).toBe('folder');
  });

  test.skipIf(process.getuid?.() !== 0)('does not trust a named file of another owner', async () => {
    const file = write(join(folder('foreign'), 'foreign.json'), 'a');
    chownSync(file, 65_534, 65_534);
    expect((await findConfiguration(place(root), file))?.from).toBe('folder');
  });

  test('refuses a named file that does not exist', async () => {
    await expect(findConfiguration(place(folder('none')), 'gone.json')).rejects.toMatchObject({
      code: 'CONFIG_NOT_FOUND',
      message: expect.stringContaining('gone.json'),
    });
  });

  test("finds the nearest file upwards, then the user's", async () => {
    const deep = folder('up', 'a', 'b');
    const home = folder('home');
    const users = write(join(home, 'skillwire.json'), 'users');
    expect((await findConfiguration(place(deep, { SKILLWIRE_HOME: home })))?.file).toBe(users);
    const above = write(join(root, 'up', 'skillwire.json'), 'above');
    expect((await findConfiguration(place(deep, { SKILLWIRE_HOME: home })))?.file).toBe(above);
    const nearest = write(join(root, 'up', 'a', 'skillwire.json'), 'nearest');
    expect(await findConfiguration(place(deep))).toMatchObject({ file: nearest, from: 'folder' });
  });

  test('searches up to the repository and the home folder', async () => {
    write(join(folder('outer'), 'skillwire.json'), 'outside');
    const inside = folder('outer', 'repository', 'deep');
    folder('outer', 'repository', '.git');
    expect(await findConfiguration(place(inside))).toBeUndefined();
    const own = write(join(root, 'outer', 'repository', 'skillwire.json'), 'own');
    expect((await findConfiguration(place(inside)))?.file).toBe(own);
    const home = folder('outer', 'someone');
    expect(await findConfiguration({ ...place(folder('outer', 'someone', 'work')), home })).toBeUndefined();
    const atHome = write(join(home, 'skillwire.json'), 'home');
    expect((await findConfiguration({ ...place(folder('outer', 'someone', 'work')), home }))?.file).toBe(atHome);
  });

  test.skipIf(process.getuid?.() !== 0)('searches only folders of one owner', async () => {
    const shared = folder('owned-by-others');
    write(join(shared, 'skillwire.json'), 'theirs');
    const ownFolder = folder('owned-by-others', 'mine', 'deep');
    chownSync(shared, 65_534, 65_534);
    expect(await findConfiguration(place(ownFolder))).toBeUndefined();
  });

  test('finds nothing if there is no file', async () => {
    expect(await findConfiguration(place(folder('empty')))).toBeUndefined();
  });

  test('never skips a broken file, a folder or a file that is not UTF-8', async () => {
    const broken = folder('broken', 'below');
    write(join(root, 'broken', 'skillwire.json'), 'above');
    writeFileSync(join(broken, 'skillwire.json'), '{');
    await expect(findConfiguration(place(broken))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });

    const isFolder = folder('is-folder');
    folder('is-folder', 'skillwire.json');
    await expect(findConfiguration(place(isFolder))).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });

    const latin = folder('latin');
    writeFileSync(join(latin, 'skillwire.json'), Buffer.from('{"origins":{"a":"\xe9"}}', 'latin1'));
    await expect(findConfiguration(place(latin))).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: expect.stringContaining('Save it as UTF-8'),
    });
  });

  test('reads no more than the limit', async () => {
    const large = folder('large');
    writeFileSync(join(large, 'skillwire.json'), `{"origins":{}}${'é'.repeat(limits.configuration.bytes)}`);
    await expect(findConfiguration(place(large))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('must have at most'),
    });
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'reports a file without read permission',
    async () => {
      const closed = folder('closed');
      chmodSync(write(join(closed, 'skillwire.json'), 'a'), 0o000);
      await expect(findConfiguration(place(closed))).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
    },
  );
});

describe('userConfigurationFile()', () => {
  const base = { cwd: '/cwd', home: '/home/me' };

  test.skipIf(process.platform === 'win32').each([
    ['linux', {}, '/home/me/.config/skillwire/skillwire.json'],
    ['linux', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/skillwire/skillwire.json'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/me/.config/skillwire/skillwire.json'],
    ['linux', { SKILLWIRE_HOME: '/own', XDG_CONFIG_HOME: '/xdg' }, '/own/skillwire.json'],
    ['linux', { SKILLWIRE_HOME: 'own' }, '/cwd/own/skillwire.json'],
    ['darwin', {}, '/home/me/Library/Application Support/skillwire/skillwire.json'],
    ['win32', { APPDATA: '/appdata' }, '/appdata/skillwire/skillwire.json'],
    ['win32', {}, '/home/me/AppData/Roaming/skillwire/skillwire.json'],
  ])('on %s with %j is %s', (platform, env, file) => {
    expect(userConfigurationFile({ ...base, platform, env })).toBe(file);
  });
});
