/** `diff --installed`: the text of every edited file if the installed version is still available, else the reason. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliFolder, type CliResult, cliFolder, skillText } from './cli-process.ts';
import { serveSkills } from './served-skills.ts';

let folder: CliFolder;
const at = (...path: string[]): string => join(folder.path, ...path);
const installed = (...path: string[]): string => at('.agents/skills/tool', ...path);

beforeEach(() => {
  folder = cliFolder();
  mkdirSync(at('.claude'));
  folder.write({
    'skills/tool/SKILL.md': skillText('tool'),
    'skills/tool/run.sh': '#!/bin/sh\n',
    'skills/tool/gone.md': 'gone\n',
    'skills/tool/linked.md': 'linked\n',
  });
  writeFileSync(at('skills/tool/data.bin'), Uint8Array.from([0, 255]));
});
afterEach(() => folder.remove());

async function add(origin: string, ...options: string[]): Promise<void> {
  const question = await folder.run(['add', origin, ...options, '--json']);
  const { planDigest } = JSON.parse(question.stderr).error.data;
  const added = await folder.run(['add', origin, ...options, '--approve', planDigest]);
  expect(added.exitCode, added.stderr).toBe(0);
}

interface Row {
  readonly path: string;
  readonly kind: string;
  readonly diff?: { readonly lines: readonly { readonly kind: string; readonly text: string }[] };
  readonly noDiff?: string;
}

/** By path, of the first folder that differs: the lines that were added, or why there are none. */
async function differences(): Promise<Readonly<Record<string, string>>> {
  const { stdout, stderr, exitCode }: CliResult = await folder.run(['diff', '--installed', '--json']);
  expect(exitCode, stderr).toBe(1);
  const [skill] = JSON.parse(stdout).skills as { folders: { files: Row[] }[] }[];
  const rows = skill?.folders[0]?.files ?? [];
  const added = ({ lines }: NonNullable<Row['diff']>): string =>
    lines.flatMap(({ kind, text }) => (kind === '+' ? [text] : [])).join();
  return Object.fromEntries(rows.map(({ path, diff, noDiff = '' }) => [path, diff ? `+${added(diff)}` : noDiff]));
}

test('shows the text from its original folder, and the reason if it cannot', async () => {
  await add('./skills', '--no-scripts');
  appendFileSync(installed('SKILL.md'), 'mine\n');
  writeFileSync(installed('data.bin'), Uint8Array.from([1, 254]));
  unlinkSync(installed('gone.md'));
  unlinkSync(installed('linked.md'));
  symlinkSync('SKILL.md', installed('linked.md'));
  writeFileSync(installed('own.md'), 'own\n');
  chmodSync(installed('run.sh'), 0o755);
  expect(await differences()).toEqual({
    'SKILL.md': '+mine',
    'data.bin': 'it is not text',
    'gone.md': 'the file is gone',
    'linked.md': 'it is a link, not a file',
    'own.md': 'it was not installed',
    'run.sh': 'only the mode differs',
  });
  const { stdout } = await folder.run(['diff', '--installed']);
  expect(stdout).toMatch(/^ {2}modified +SKILL\.md\n@@ [^\n]+\n[\s\S]*^\+mine$/m);
  expect(stdout).toMatch(/^ {2}modified +data\.bin \(it is not text\)$/m);
});

test('uses nothing from an origin that changed the file, removed it, or is gone', async () => {
  await add('./skills', '--no-scripts');
  for (const path of ['SKILL.md', 'run.sh']) appendFileSync(installed(path), 'mine\n');
  appendFileSync(at('skills/tool/SKILL.md'), 'theirs\n');
  unlinkSync(at('skills/tool/run.sh'));
  expect(await differences()).toEqual({
    'SKILL.md': 'its origin serves other bytes now',
    'run.sh': 'its origin no longer has it',
  });
  rmSync(at('skills'), { recursive: true });
  expect((await differences())['SKILL.md']).toContain('its origin cannot be read: ');
});

test('finds the text in the copy of another agent', async () => {
  await add('./skills', '--no-scripts', '--copy');
  rmSync(at('skills'), { recursive: true });
  appendFileSync(installed('SKILL.md'), 'mine\n');
  expect(await differences()).toEqual({ 'SKILL.md': '+mine' });
});

test('reads a repository at the commit of the lock file', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', at(), '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'skills');
  git('commit', '--quiet', '-m', 'one');
  await add('git:.#main', '--no-scripts');
  appendFileSync(at('skills/tool/SKILL.md'), 'theirs\n');
  git('commit', '--quiet', '-am', 'two');
  appendFileSync(installed('SKILL.md'), 'mine\n');
  expect((await folder.run(['cache', 'clear'])).exitCode).toBe(0);
  expect(await differences()).toEqual({ 'SKILL.md': '+mine' });
});

test('requests text that is not cached from the server, and reports that it is unreachable', async () => {
  const served = await serveSkills(folder);
  await add(served.origin, '--no-scripts');
  appendFileSync(installed('SKILL.md'), 'mine\n');
  rmSync(at('no-home/cache'), { recursive: true });
  expect(await differences()).toEqual({ 'SKILL.md': '+mine' });
  await served.stop();
  rmSync(at('no-home/cache'), { recursive: true, force: true });
  expect((await differences())['SKILL.md']).toMatch(/^its origin cannot be read: Cannot reach/);
});
