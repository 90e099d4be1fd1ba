/** `skillwire add owner/repo` as a person types it: a list to choose from, a short plan, a short summary. Repositories of this machine are GitHub. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GitHosts, gitHosts } from '../git-hosts.ts';
import { gitRepository } from '../git-server.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { type Answer, atTerminalWith, controlC, hasTerminal, type Shown, type TerminalOptions } from './terminal.ts';

let folder: CliFolder;
let hosts: GitHosts;
const at = (...path: string[]): string => join(folder.path, ...path);
const list = (text: string): Answer => ({ to: 'Install which skills?', text });
const plan = (answer: string): Answer => ({ to: '[y/N/v for details] ', text: answer });
const executable = (answer: string): Answer => ({ to: 'Keep executable bits? [y/N]', text: answer });

async function shown(size: TerminalOptions, argv: readonly string[], ...answers: readonly Answer[]): Promise<Shown> {
  const done = await atTerminalWith({ ...size, env: { ...hosts.env } }, folder, argv, ...answers);
  return { ...done, screen: stripVTControlCharacters(done.screen) };
}

/** The lines after the last answer. */
function after(screen: string, text: string): readonly string[] {
  return screen
    .slice(screen.lastIndexOf(text) + text.length)
    .trimEnd()
    .split('\r\n')
    .slice(1);
}

beforeEach(() => {
  folder = cliFolder();
  hosts = gitHosts(at('hosts'));
  mkdirSync(at('.claude'));
  const repository = hosts.folder('github.com/acme/skills');
  mkdirSync(repository, { recursive: true });
  const files: Record<string, string> = {
    'skills/pdf/SKILL.md': skillText('pdf', 'See https://api.example.com and https://cdn.example.com.\n'),
    'skills/pdf/scripts/run.sh': '#!/bin/sh\necho hi\n',
    'skills/notes/SKILL.md': skillText('notes'),
  };
  for (let index = 0; index < 30; index++) files[`more/style-${index}/SKILL.md`] = skillText(`style-${index}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(repository, path, '..'), { recursive: true });
    folder.write({ [join('hosts/github.com/acme/skills.git', path)]: text });
  }
  chmodSync(join(repository, 'skills/pdf/scripts/run.sh'), 0o755);
  gitRepository(repository, {});
});
afterEach(() => folder.remove());

describe.skipIf(!hasTerminal)('add owner/repo', () => {
  test.each([
    { columns: 80, rows: 24 },
    { columns: 34, rows: 8 },
  ])('lets a person search, choose and install, at $columns columns', async (size) => {
    const { exitCode, screen, answered } = await shown(
      size,
      ['add', 'acme/skills'],
      list('pdf '),
      { to: '1 chosen', text: '\x15notes ' },
      { to: '2 chosen', text: '\r' },
      plan('y\r'),
      executable('n\r'),
    );
    expect({ exitCode, answered }, screen).toEqual({ exitCode: 0, answered: 5 });
    expect(screen).toContain('acme/skills → git:https://github.com/acme/skills.git');
    const summary = after(screen, 'Keep executable bits? [y/N] n');
    expect(summary[0]).toBe('Installed 2 skills for claude-code: notes, pdf.');
    expect(summary.length).toBeLessThanOrEqual(6);
    expect(Object.keys(JSON.parse(readFileSync(at('skillwire.lock'), 'utf8')).skills).sort()).toEqual(['notes', 'pdf']);
    expect(existsSync(at('.claude/skills/pdf/SKILL.md'))).toBe(true);
    expect(statSync(at('.agents/skills/pdf/scripts/run.sh')).mode & 0o111).toBe(0);
  });

  test('uses the marked skill on Enter, and shows a line for it', async () => {
    const { exitCode, screen } = await shown({}, ['add', 'acme/skills', '--no-scripts'], list('pd\r'), plan('y\r'));
    expect(exitCode, screen).toBe(0);
    expect(screen).toMatch(
      /^ {2}pdf {2}2 files, \d+ B · 1 script \(1 executable at the origin\) · mentions\r\n {7}api\.example\.com, cdn\.example\.com\r$/m,
    );
    expect(screen).not.toContain('sha256:');
    expect(Object.keys(JSON.parse(readFileSync(at('skillwire.lock'), 'utf8')).skills)).toEqual(['pdf']);
  });

  test('v shows everything, with short digests and whole words', async () => {
    const { exitCode, screen } = await shown({ columns: 60 }, ['add', 'acme/skills@pdf'], plan('v\r'), {
      to: 'Install for claude-code: pdf? [y/N] ',
      text: 'n\r',
    });
    expect(exitCode, screen).toBe(5);
    for (const said of ['scripts/run.sh', 'asks for', 'api.example.com', 'skill://skills/pdf/SKILL.md'])
      expect(screen).toContain(said);
    expect(screen).toMatch(/sha256:[0-9a-f]{12}\r?\n/);
    expect(screen).not.toMatch(/sha256:[0-9a-f]{13}/);
  });

  test('Ctrl-C at the list or the plan installs nothing', async () => {
    for (const answers of [[list(controlC)], [list('pdf\r'), plan(controlC)]]) {
      const { exitCode, screen } = await shown({}, ['add', 'acme/skills'], ...answers);
      expect(exitCode, screen).toBe(130);
    }
    expect(existsSync(at('skillwire.lock'))).toBe(false);
  });

  test('the terminal is restored afterwards: typed words are echoed once', async () => {
    const { screen } = await atTerminalWith(
      { env: { ...hosts.env } },
      folder,
      ['add', 'acme/skills'],
      list('pdf\r'),
      plan('no\r'),
    );
    expect(stripVTControlCharacters(screen)).toMatch(/\[y\/N\/v for details\] no\r+\n/);
    expect(screen.lastIndexOf('\x1b[?25h')).toBeGreaterThan(screen.lastIndexOf('\x1b[?25l'));
  });

  test('--all and -y show no list, and two skills take at most ten lines', async () => {
    const all = await shown({}, ['add', 'acme/skills/more', '--all'], plan('y\r'));
    expect(all.exitCode, all.screen).toBe(0);
    expect(all.screen).not.toContain('Install which skills?');
    expect(after(all.screen, '[y/N/v for details] y').length).toBeLessThanOrEqual(6);
    const two = await shown({}, ['add', 'acme/skills/skills', '-y']);
    expect(two.exitCode, two.screen).toBe(0);
    expect(two.screen.trimEnd().split('\r\n').length).toBeLessThanOrEqual(10);
    expect(two.screen).toContain('Not executable: pdf/scripts/run.sh. Change it with --scripts.');
    expect(statSync(at('.agents/skills/pdf/scripts/run.sh')).mode & 0o111).toBe(0);
  });

  test('--no-input asks nothing and prints the command that approves exactly this plan', async () => {
    const { exitCode, screen } = await shown({ columns: 200 }, ['add', 'acme/skills/skills', '--no-input']);
    expect(exitCode, screen).toBe(5);
    const command =
      /run:\s+skillwire (add acme\/skills\/skills --approve sha256:[0-9a-f]{64})\s/.exec(screen)?.[1] ?? '';
    const done = await shown({}, command.split(' '));
    expect(done.exitCode, done.screen).toBe(0);
  });
});
