/**
 * The `skills` program and ours in one project. Neither disturbs what the other installed, and ours imports the other's lock file.
 */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { treeOf } from '../../src/testing/sync-workloads.ts';
import { installedFile } from './installed.ts';
import { node24 } from './node24.ts';
import { runToEnd } from './process-group.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';
import { runSkillwire } from './skillwire-process.ts';

let scratch: ScratchFolder;
let project: string;

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\nBody of ${name}.\n`;

async function skills(...args: string[]): Promise<string> {
  const run = await runToEnd(node24(), [installedFile('skills/bin/cli.mjs'), ...args], {
    env: { ...scratch.env, DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1', CI: '1' },
    cwd: project,
    deadlineMs: 90_000,
  });
  expect(run.exitCode, `${run.stdout}\n${run.stderr}`).toBe(0);
  return run.stdout;
}

async function ours(...args: string[]): Promise<string> {
  const first = await runSkillwire([...args, '--json'], { cwd: project, env: scratch.env });
  if (first.exitCode === 0) return first.stdout;
  expect(first.exitCode, first.stderr).toBe(5);
  const { data, message } = JSON.parse(first.stderr).error;
  expect(data.planDigest, message).toMatch(/^sha256:/);
  const second = await runSkillwire([...args, '--json', '--approve', data.planDigest], {
    cwd: project,
    env: scratch.env,
  });
  expect(second.exitCode, second.stderr).toBe(0);
  return second.stdout;
}

beforeEach(async () => {
  scratch = await scratchFolder();
  project = join(scratch.path, 'project');
  write({
    'theirs/theirs/SKILL.md': skill('theirs'),
    'theirs/theirs/notes.md': 'notes\n',
    'ours/ours/SKILL.md': skill('ours'),
    'ours/ours/run.sh': '#!/bin/sh\n',
  });
  chmodSync(join(project, 'ours/ours/run.sh'), 0o755);
});
afterEach(() => scratch.remove());

test('each ignores what the other installed, and ours can adopt it', { timeout: 300_000 }, async () => {
  await skills('add', './theirs', '--yes', '--agent', 'claude-code', '--agent', 'codex');
  const theirLock = readFileSync(join(project, 'skills-lock.json'), 'utf8');
  const installed = (name: string) => treeOf(join(project, '.agents/skills', name));
  const theirs = installed('theirs');
  expect(Object.keys(theirs)).toContain('SKILL.md');

  await ours('add', './ours', '--agent', 'claude-code', '--agent', 'codex', '--no-scripts');
  expect(installed('theirs')).toEqual(theirs);
  expect(readFileSync(join(project, 'skills-lock.json'), 'utf8')).toBe(theirLock);
  const ownFiles = installed('ours');

  await skills('list', '--json');
  await skills('add', './theirs', '--yes', '--agent', 'claude-code', '--agent', 'codex');
  expect(installed('ours')).toEqual(ownFiles);
  expect((await runSkillwire(['ls'], { cwd: project, env: scratch.env })).exitCode).toBe(0);

  const taken = JSON.parse(await ours('add', './skills-lock.json', '--agent', 'claude-code', '--agent', 'codex'));
  expect(taken.skills).toMatchObject([{ name: 'theirs', saved: [] }]);
  expect(installed('theirs')).toEqual(theirs);
  expect(Object.keys(JSON.parse(readFileSync(join(project, 'skillwire.lock'), 'utf8')).skills)).toEqual([
    'ours',
    'theirs',
  ]);

  appendFileSync(join(project, 'theirs/theirs/notes.md'), 'more\n');
  await ours('update');
  expect(readFileSync(join(project, '.claude/skills/theirs/notes.md'), 'utf8')).toContain('more');
  expect((await runSkillwire(['remove', 'ours'], { cwd: project, env: scratch.env })).exitCode).toBe(0);
  expect(existsSync(join(project, '.agents/skills/theirs/SKILL.md'))).toBe(true);
});

test('add, update and remove of each keep every byte, link and lock file of the other', {
  timeout: 600_000,
}, async () => {
  const both = ['--agent', 'claude-code', '--agent', 'codex'] as const;
  const run = (...args: string[]) => runSkillwire(args, { cwd: project, env: scratch.env });
  /** The files of one of the programs: its skill in the folders of every agent, and its lock file. */
  const belongings = (name: string, lock: string) => ({
    shared: treeOf(join(project, '.agents/skills', name)),
    claude: treeOf(join(project, '.claude/skills', name)),
    lock: readFileSync(join(project, lock), 'utf8'),
  });
  const theirs = () => belongings('theirs', 'skills-lock.json');
  const ownBelongings = () => belongings('ours', 'skillwire.lock');
  const clean = async (): Promise<void> => {
    const { findings } = JSON.parse((await run('doctor', '--offline', '--json')).stdout) as {
      findings: { level: string; message: string }[];
    };
    expect(findings.filter(({ level }) => level !== 'note')).toEqual([]);
    expect((await run('ls')).exitCode).toBe(0);
  };

  await ours('add', './ours', ...both, '--no-scripts');
  const oursFirst = ownBelongings();
  await skills('add', './theirs', '--yes', ...both);
  expect(ownBelongings()).toEqual(oursFirst);
  await clean();

  const theirsFirst = theirs();
  appendFileSync(join(project, 'ours/ours/SKILL.md'), 'More.\n');
  await ours('update');
  expect(readFileSync(join(project, '.claude/skills/ours/SKILL.md'), 'utf8')).toContain('More.');
  expect(theirs()).toEqual(theirsFirst);

  const oursSecond = ownBelongings();
  appendFileSync(join(project, 'theirs/theirs/notes.md'), 'more\n');
  await skills('update', '--yes');
  await skills('add', './theirs', '--yes', ...both);
  expect(readFileSync(join(project, '.agents/skills/theirs/notes.md'), 'utf8')).toContain('more');
  expect(ownBelongings()).toEqual(oursSecond);
  await clean();

  write({ 'clash/theirs/SKILL.md': `${skill('theirs')}Another one.\n` });
  const theirsSecond = theirs();
  const question = await run('add', './clash', ...both, '--json');
  const { planDigest } = JSON.parse(question.stderr).error.data;
  const refused = await run('add', './clash', ...both, '--json', '--approve', planDigest);
  expect(JSON.parse(refused.stderr).error.code).toBe('NAME_TAKEN');
  expect(theirs()).toEqual(theirsSecond);
  expect(ownBelongings()).toEqual(oursSecond);

  await skills('remove', 'theirs', '--yes');
  expect(existsSync(join(project, '.agents/skills/theirs'))).toBe(false);
  expect(ownBelongings()).toEqual(oursSecond);
  await clean();

  await skills('add', './theirs', '--yes', ...both);
  const theirsThird = theirs();
  expect((await run('remove', 'ours')).exitCode).toBe(0);
  expect(existsSync(join(project, '.agents/skills/ours'))).toBe(false);
  expect(theirs()).toEqual(theirsThird);
  expect(await skills('list', '--json')).toContain('theirs');
});
