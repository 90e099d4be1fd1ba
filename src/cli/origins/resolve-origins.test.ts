import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import type { ConfiguredOrigin } from '../../origins/origin-schema.ts';
import { namingOrigin, resolveOrigins } from './resolve-origins.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-origins-')));
  mkdirSync(join(root, 'cwd', 'skills'), { recursive: true });
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function origins(given: readonly string[], configured?: readonly ConfiguredOrigin[], nested = true) {
  const file = join(root, 'config', 'skillwire.json');
  const found =
    configured === undefined
      ? undefined
      : { file, configuration: { origins: configured, rules: [] }, from: 'user' as const, judged: 'own' as const };
  const options = { cwd: join(root, 'cwd'), home: join(root, 'home'), found, nested, command: 'serve' } as const;
  return resolveOrigins(given, options);
}

const resolved = (...given: Parameters<typeof origins>) => origins(...given).map((origin) => origin.root);

describe('resolveOrigins()', () => {
  test('keeps paths relative inside the working folder, makes others absolute and expands the home folder', () => {
    const absolute = join(root, 'cwd', 'skills');
    expect(resolved(['skills', './gone', '.', absolute, 'team=../x', '~/y', 'z=~', '~other'])).toEqual([
      { path: 'skills' },
      { path: 'gone' },
      { path: '.' },
      { path: 'skills' },
      { path: join(root, 'x'), label: 'team' },
      { path: join(root, 'home', 'y') },
      { path: join(root, 'home'), label: 'z' },
      { path: '~other' },
    ]);
  });

  test('resolves configured folders from the folder of the configuration', () => {
    const configured = [
      { label: 'docs', folder: './docs' },
      { label: 'team', folder: '~/team', nested: false },
    ];
    const docs = { path: join(root, 'config', 'docs'), label: 'docs' };
    const team = { path: join(root, 'home', 'team'), label: 'team', nested: false };
    expect(resolved([], configured)).toEqual([docs, team]);
    expect(resolved(['team', 'skills'], configured)).toEqual([team, { path: 'skills' }]);
  });

  test('disables nested skills for all origins', () => {
    const configured = [{ label: 'docs', folder: './docs', nested: true }];
    expect(resolved(['docs', 'skills'], configured, false).map(({ nested }) => nested)).toEqual([false, false]);
  });

  test('refuses to serve nothing, with a remedy', () => {
    expect(() => resolved([])).toThrow('Run "skillwire serve ./skills"');
    expect(() => resolved([], [])).toThrow('has no origins');
  });

  test('writes each origin as an argument that means the same from every folder', () => {
    const configured = [{ label: 'docs', folder: './docs' }];
    expect(origins(['skills', 'team=./x', 'docs'], configured).map(({ argument }) => argument)).toEqual([
      join(root, 'cwd', 'skills'),
      `team=${join(root, 'cwd', 'x')}`,
      'docs',
    ]);
  });
});

describe('namingOrigin()', () => {
  const configured = [{ label: 'data', folder: './gone' }];
  const path = () => join(root, 'config', 'gone');
  const place = () => ({ cwd: root, file: join(root, 'config', 'skillwire.json') });

  test('puts the label and the configuration before the error of a configured folder', () => {
    const error = new SkillwireError('ORIGIN_NOT_FOUND', 'cannot read "x"', { data: { path: path() } });
    expect(namingOrigin(error, origins([], configured), place())).toMatchObject({
      code: 'ORIGIN_NOT_FOUND',
      message: `Origin "data" of ${join('config', 'skillwire.json')}: cannot read "x"`,
      data: { path: path(), label: 'data', file: join(root, 'config', 'skillwire.json') },
    });
  });

  test('does not change other errors, or errors of folders given as arguments', () => {
    const other = new SkillwireError('CLOSED', 'closed', { data: { path: path() } });
    expect(namingOrigin(other, origins([], configured), place())).toBe(other);
    const argument = new SkillwireError('ORIGIN_NOT_FOUND', 'cannot read', { data: { path: 'gone' } });
    expect(namingOrigin(argument, origins(['./gone'], configured), place())).toBe(argument);
    const foreign = new TypeError('x');
    expect(namingOrigin(foreign, origins([], configured), place())).toBe(foreign);
  });
});
