import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfiguredOrigin } from '../gateway/configuration.ts';
import { resolveOrigins } from './resolve-origins.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-origins-')));
  mkdirSync(join(root, 'cwd', 'skills'), { recursive: true });
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function resolved(origins: readonly string[], configured?: readonly ConfiguredOrigin[], nested = true) {
  const file = join(root, 'config', 'skillwire.json');
  const found = configured === undefined ? undefined : { file, configuration: { origins: configured, rules: [] } };
  return resolveOrigins(origins, { cwd: join(root, 'cwd'), home: join(root, 'home'), found, nested });
}

describe('resolveOrigins()', () => {
  test('makes arguments absolute from the working folder and expands the home folder', () => {
    expect(resolved(['skills', './gone', 'team=../x', '~/y', 'z=~', '~other'])).toEqual([
      { path: join(root, 'cwd', 'skills') },
      { path: join(root, 'cwd', 'gone') },
      { path: join(root, 'x'), label: 'team' },
      { path: join(root, 'home', 'y') },
      { path: join(root, 'home'), label: 'z' },
      { path: join(root, 'cwd', '~other') },
    ]);
  });

  test('takes configured folders from the folder of the configuration', () => {
    const configured = [
      { label: 'docs', folder: './docs' },
      { label: 'team', folder: '~/team', nested: false },
    ];
    const docs = { path: join(root, 'config', 'docs'), label: 'docs' };
    const team = { path: join(root, 'home', 'team'), label: 'team', nested: false };
    expect(resolved([], configured)).toEqual([docs, team]);
    expect(resolved(['team', 'skills'], configured)).toEqual([team, { path: join(root, 'cwd', 'skills') }]);
  });

  test('switches nested skills off for all', () => {
    const configured = [{ label: 'docs', folder: './docs', nested: true }];
    expect(resolved(['docs', 'skills'], configured, false).map(({ nested }) => nested)).toEqual([false, false]);
  });

  test('refuses to serve nothing, with what to do', () => {
    expect(() => resolved([])).toThrow('run "skillwire serve ./skills"');
    expect(() => resolved([], [])).toThrow('has no origins');
  });
});
