import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { type InstallPlace, installPlace, transactionFolder } from '../../sync/install-place.ts';
import { nodeSyncDisk } from '../../sync/sync-disk.ts';
import { writeJournal } from '../../sync/transaction-journal.ts';
import type { Cli } from '../cli.ts';
import { runProgram } from '../program.ts';

let folder: string;
const homeBefore = process.env.HOME;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-doctor-')));
  process.env.HOME = join(folder, 'home');
  put('home/.claude/settings.json', '{}');
  put('project/skills/on-call/SKILL.md', '---\nname: on-call\ndescription: Does it.\n---\nDo it.\n');
  const adding = ['add', './skills', 'on-call', '--agent', 'claude-code'];
  const refused = await run(...adding).catch((error: unknown) => error);
  if (!(refused instanceof SkillwireError)) throw new Error('it was installed without a question');
  expect((await run(...adding, '--approve', String(refused.data.planDigest))).exit).toBe(0);
});

afterEach(() => {
  if (homeBefore === undefined) delete process.env.HOME;
  else process.env.HOME = homeBefore;
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const project = (path: string): string => join(folder, 'project', path);

async function run(...argv: string[]): Promise<{ out: string; err: string; exit: number }> {
  let out = '';
  let err = '';
  const cli: Cli = {
    version: '1.2.3',
    cwd: join(folder, 'project'),
    env: { SKILLWIRE_HOME: join(folder, 'state') },
    stdin: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  };
  const exit = await runProgram(argv, cli);
  return { out, err, exit };
}

interface DoctorReport {
  readonly exit: number;
  readonly findings: readonly { readonly check: string; readonly level: string; readonly message: string }[];
}

async function doctor(...argv: string[]): Promise<DoctorReport> {
  const { out, exit } = await run('doctor', '--offline', '--json', ...argv);
  const { findings } = JSON.parse(out) as Pick<DoctorReport, 'findings'>;
  return { exit, findings: findings.filter(({ check }) => check !== 'node') };
}

function place(): InstallPlace {
  const where = { home: join(folder, 'home'), project: project('').replace(/\/$/, ''), env: {} };
  return installPlace({
    ...where,
    scope: 'project',
    platform: process.platform,
    stateFolder: join(folder, 'state/state'),
  });
}

describe('skillwire doctor, on installed skills,', () => {
  test('finds nothing if the installation is unchanged', async () => {
    expect(await doctor()).toEqual({ exit: 0, findings: [] });
    expect((await run('doctor', '--offline')).out).toContain('lock     skillwire.lock: 1 skill');
  });

  test('names every changed, added and removed file', async () => {
    put('project/.agents/skills/on-call/SKILL.md', 'other');
    put('project/.agents/skills/on-call/mine.md', 'mine');
    const { exit, findings } = await doctor('--fix');
    expect(findings).toMatchObject([
      {
        check: 'installed',
        level: 'warning',
        message: expect.stringContaining('was edited: SKILL.md (modified), mine.md (added)'),
        fixable: false,
      },
    ]);
    expect(exit).toBe(1);
  });

  test('finds a missing link, and restores it with --fix', async () => {
    rmSync(project('.claude/skills/on-call'));
    const found = await doctor();
    expect(found.findings).toMatchObject([{ check: 'installed', level: 'problem', fixable: true }]);
    expect(found.exit).toBe(1);
    const fixed = await doctor('--fix');
    expect(fixed.findings).toMatchObject([{ check: 'installed', fixed: 'restored' }]);
    expect(fixed.exit).toBe(0);
    expect(await doctor()).toEqual({ exit: 0, findings: [] });
    expect(readdirSync(project('.claude/skills'))).toEqual(['on-call']);
  });

  test('finds a missing skill, and does not fetch it', async () => {
    rmSync(project('.agents/skills/on-call'), { recursive: true });
    const { exit, findings } = await doctor('--fix');
    expect(findings.filter(({ check }) => check === 'installed').length).toBeGreaterThan(0);
    expect(findings.some(({ message }) => message.includes('is missing at'))).toBe(true);
    expect(exit).toBe(1);
    expect(readdirSync(project('.agents/skills'))).toEqual([]);
  });

  test('finds something else at the path of a link, and does not touch it', async () => {
    rmSync(project('.claude/skills/on-call'));
    symlinkSync(project('skills/on-call'), project('.claude/skills/on-call'));
    const { findings } = await doctor('--fix');
    expect(findings).toMatchObject([{ check: 'installed', level: 'warning', fixable: false }]);
  });

  test('finds an interrupted run, and completes it with --fix', async () => {
    mkdirSync(transactionFolder(place()), { recursive: true });
    const staged = project('.skillwire-000000000000.lock');
    const lock = { staged, target: project('skillwire.lock') };
    await writeJournal(nodeSyncDisk, place(), { phase: 'staging', stages: [], made: [], moves: [], lock });
    expect((await doctor()).findings).toMatchObject([
      { level: 'problem', message: expect.stringContaining('was interrupted'), fixable: true },
    ]);
    expect((await doctor('--fix')).findings).toMatchObject([{ fixed: 'undone' }]);
    expect(await doctor()).toEqual({ exit: 0, findings: [] });
  });

  test('finds an unreadable lock file', async () => {
    put('project/skillwire.lock', '{');
    const { exit, findings } = await doctor();
    expect(findings).toMatchObject([{ check: 'installed', level: 'problem' }]);
    expect(exit).toBe(1);
  });
});
