/** The built program without the driver of PostgreSQL, which is an optional peer. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The program with links to all installed packages except one. */
function installedWithout(left: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-alone-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== left) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  return folder;
}

test('a store on PostgreSQL without its driver is an error that says how to install it, and nothing else needs it', () => {
  const folder = installedWithout('pg');
  const store = { postgres: 'postgres://user:password@127.0.0.1:1/skills', cluster: 'none' };
  writeFileSync(join(folder, 'shared.json'), JSON.stringify({ origins: { docs: './skills' }, store }));
  writeFileSync(join(folder, 'own.json'), JSON.stringify({ origins: { docs: './skills' } }));
  const run = (config: string) =>
    spawnSync(process.execPath, ['dist/cli/main.js', 'token', 'list', '--config', config], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, SystemRoot: process.env['SystemRoot'], SKILLWIRE_HOME: join(folder, 'home') },
    });
  const { status, stderr } = run('shared.json');
  expect([status, stderr]).toEqual([2, expect.stringContaining('npm install pg')]);
  expect(run('own.json').status).toBe(0);
});
