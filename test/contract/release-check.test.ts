/** A release is refused until the owner has confirmed the domain and the repository that we publish names on. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import * as project from '../../src/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'skillwire-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the check beside a build of `src/project.ts` with other constants. */
function check(changes: Partial<typeof project>): { readonly status: number | null; readonly stderr: string } {
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const constants = Object.entries({ ...project, ...changes }).filter(([, value]) => typeof value !== 'function');
  const lines = constants.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`);
  writeFileSync(join(folder, 'dist/project.js'), lines.join(''));
  const script = join(folder, 'scripts/release-check.mjs');
  cpSync(join(import.meta.dirname, '../../scripts/release-check.mjs'), script);
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  return { status, stderr };
}

test('a confirmed domain and repository pass', () => {
  expect(check({ domainConfirmed: true, repositoryConfirmed: true })).toEqual({ status: 0, stderr: '' });
});

test('an unconfirmed domain is refused, with what to do', () => {
  const { status, stderr } = check({ domainConfirmed: false, repositoryConfirmed: true });
  expect(status).toBe(1);
  expect(stderr).toContain(`The domain "${project.projectDomain}" is not confirmed. Register it`);
  expect(stderr).not.toContain('repository');
});

test('an unconfirmed repository is refused, with what to do', () => {
  const { status, stderr } = check({ domainConfirmed: true, repositoryConfirmed: false });
  expect(status).toBe(1);
  expect(stderr).toContain(`The repository "${project.repository}" is not confirmed. Create it`);
  expect(stderr).not.toContain('domain');
});

test('both are reported in one run', () => {
  const { status, stderr } = check({ domainConfirmed: false, repositoryConfirmed: false });
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(2);
});
