import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { stateFolders } from './state-folders.ts';

const home = resolve('/home/ana');

test('stateFolders() puts everything into SKILLWIRE_HOME if that is set', () => {
  const env = { SKILLWIRE_HOME: resolve('/srv/skillwire'), XDG_STATE_HOME: resolve('/elsewhere') };
  expect(stateFolders({ env, home, platform: 'linux' })).toEqual({
    state: resolve('/srv/skillwire/state'),
    cache: resolve('/srv/skillwire/cache'),
  });
  expect(stateFolders({ env: { SKILLWIRE_HOME: '' }, home, platform: 'linux' }).state).toContain('.local');
});

test('stateFolders() puts everything into the named folder, before SKILLWIRE_HOME', () => {
  const env = { SKILLWIRE_HOME: resolve('/srv/skillwire') };
  expect(stateFolders({ env, home, platform: 'linux', state: resolve('/own') })).toEqual({
    state: resolve('/own/state'),
    cache: resolve('/own/cache'),
  });
  expect(stateFolders({ env, home, platform: 'linux', state: undefined }).state).toBe(resolve('/srv/skillwire/state'));
});

test('stateFolders() follows the XDG variables and ignores relative ones', () => {
  const env = { XDG_STATE_HOME: resolve('/x/state'), XDG_CACHE_HOME: 'relative' };
  expect(stateFolders({ env, home, platform: 'linux' })).toEqual({
    state: resolve('/x/state/skillwire'),
    cache: join(home, '.cache/skillwire'),
  });
});

test('stateFolders() uses the folders of the platform', () => {
  expect(stateFolders({ env: {}, home, platform: 'linux' })).toEqual({
    state: join(home, '.local/state/skillwire'),
    cache: join(home, '.cache/skillwire'),
  });
  expect(stateFolders({ env: {}, home, platform: 'darwin' })).toEqual({
    state: join(home, 'Library/Application Support/skillwire/state'),
    cache: join(home, 'Library/Caches/skillwire'),
  });
  expect(stateFolders({ env: { LOCALAPPDATA: resolve('/local') }, home, platform: 'win32' })).toEqual({
    state: resolve('/local/skillwire/state'),
    cache: resolve('/local/skillwire/cache'),
  });
  expect(stateFolders({ env: {}, home, platform: 'win32' }).cache).toBe(join(home, 'AppData/Local/skillwire/cache'));
});
