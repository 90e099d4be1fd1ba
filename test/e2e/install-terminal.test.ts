/** Questions at a terminal before skills are installed, changed or removed. Ctrl-C at any question leaves nothing behind. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { serveSkills } from './served-skills.ts';
import { type Answer, atTerminal, controlC, hasTerminal, type Shown } from './terminal.ts';
import { treeDigests } from './tree-digests.ts';

let folder: CliFolder;
const at = (...path: string[]): string => join(folder.path, ...path);
const text = (...path: string[]): string => readFileSync(at(...path), 'utf8');
const shown = (argv: readonly string[], ...answers: readonly Answer[]): Promise<Shown> =>
  atTerminal(folder, argv, ...answers);
/** Everything of the project; the state of the command is beside it. */
const project = () => treeDigests(folder.path, ['no-home']);

const install = (answer: string): Answer => ({ to: 'Install for claude-code: ', text: answer });
const update = (answer: string): Answer => ({ to: 'Update: ', text: answer });
const scripts = (answer: string): Answer => ({ to: 'Keep executable bits? [y/N]', text: answer });
const edits = (answer: string): Answer => ({ to: 'or save them aside first? [K/o/s]', text: answer });

beforeEach(() => {
  folder = cliFolder();
  mkdirSync(at('.claude'));
  folder.write({
    'origin/pdf/SKILL.md': skillText('pdf'),
    'origin/pdf/run.sh': '#!/bin/sh\necho hi\n',
    'origin/notes/SKILL.md': skillText('notes'),
  });
  chmodSync(at('origin/pdf/run.sh'), 0o755);
});
afterEach(() => folder.remove());

describe.skipIf(!hasTerminal)('add at a terminal', () => {
  test('shows the plan, and installs only after yes', async () => {
    const before = project();
    for (const [answer, exitCode] of [
      ['\r', 5],
      ['no\r', 5],
      [controlC, 130],
    ] as const) {
      const { exitCode: code, screen } = await shown(['add', './origin', '--all'], install(answer));
      expect(code, screen).toBe(exitCode);
      for (const said of ['2 files, ', '1 script (1 executable at the origin)', '2 skills? [y/N/v for details]'])
        expect(screen).toContain(said);
      expect(screen).not.toContain('sha256:');
      expect(project()).toEqual(before);
    }
  });

  test('asks separately about executable files, and Ctrl-C there installs nothing', async () => {
    const before = project();
    expect(await shown(['add', './origin', 'pdf'], install('y\r'), scripts(controlC))).toMatchObject({
      exitCode: 130,
      answered: 2,
    });
    expect(project()).toEqual(before);
    expect((await shown(['add', './origin', 'pdf'], install('y\r'), scripts('n\r'))).exitCode).toBe(0);
    expect(statSync(at('.agents/skills/pdf/run.sh')).mode & 0o111).toBe(0);
    expect((await shown(['remove', 'pdf'])).exitCode).toBe(0);
    expect((await shown(['add', './origin', 'pdf'], install('yes\r'), scripts('y\r'))).exitCode).toBe(0);
    expect(statSync(at('.agents/skills/pdf/run.sh')).mode & 0o111).not.toBe(0);
  });

  test('asks about edits before it asks about the rest', async () => {
    await shown(['add', './origin', 'notes'], install('y\r'));
    appendFileSync(at('.agents/skills/notes/SKILL.md'), 'mine\n');
    appendFileSync(at('origin/notes/SKILL.md'), 'theirs\n');
    const before = project();
    const stopped = await shown(['add', './origin', 'notes'], edits(controlC));
    expect(stopped.exitCode, stopped.screen).toBe(130);
    expect(project()).toEqual(before);
    const { exitCode, screen } = await shown(['add', './origin', 'notes'], edits('o\r'), install('y\r'));
    expect(exitCode, screen).toBe(0);
    expect(text('.agents/skills/notes/SKILL.md')).toBe(text('origin/notes/SKILL.md'));
  });
});

describe.skipIf(!hasTerminal)('update at a terminal', () => {
  beforeEach(async () => {
    await shown(['add', './origin', 'notes'], install('y\r'));
    appendFileSync(at('origin/notes/SKILL.md'), 'See https://new.example.org.\n');
  });

  test('shows the difference and asks once', async () => {
    const before = project();
    for (const [answer, exitCode] of [
      ['\r', 5],
      [controlC, 130],
    ] as const) {
      const { exitCode: code, screen } = await shown(['update'], update(answer));
      expect(code, screen).toBe(exitCode);
      expect(screen).toContain('changed since installation');
      expect(screen).toContain('+See https://new.example.org.');
      expect(project()).toEqual(before);
    }
    const done = await shown(['update'], update('y\r'));
    expect(done, done.screen).toMatchObject({ exitCode: 0, answered: 1 });
    expect(text('.claude/skills/notes/SKILL.md')).toContain('new.example.org');
  });

  test.each([
    ['keep', '\r', 1],
    ['keep', 'k\r', 1],
    ['overwrite', 'o\r', 0],
    ['save', 's\r', 0],
  ])('can %s edited files (%j)', async (what, answer, exitCode) => {
    appendFileSync(at('.agents/skills/notes/SKILL.md'), 'mine\n');
    const done = await shown(['update'], edits(answer), update('y\r'));
    expect(done, done.screen).toMatchObject({ exitCode, answered: what === 'keep' ? 1 : 2 });
    if (what === 'keep') {
      expect(done.screen.trimEnd()).toMatch(/Kept your edits to notes\. A newer version is available\.$/);
      expect(done.screen).not.toContain('up to date');
    }
    expect(done.screen).toMatch(/"notes" was edited in .*"SKILL.md" was changed/);
    expect(text('.agents/skills/notes/SKILL.md').includes('mine')).toBe(what === 'keep');
    const saved = existsSync(at('.agents/saved-skills')) ? readdirSync(at('.agents/saved-skills')) : [];
    expect(saved).toHaveLength(what === 'save' ? 1 : 0);
    if (what === 'save') expect(text('.agents/saved-skills', saved[0] ?? '', 'SKILL.md')).toContain('mine');
  });

  test('does not ask about edits of unchanged skills', async () => {
    await shown(['add', './origin', 'pdf', '--no-scripts'], install('y\r'));
    appendFileSync(at('.agents/skills/pdf/SKILL.md'), 'mine\n');
    const { exitCode, screen } = await shown(['update', 'pdf']);
    expect(screen).not.toContain('[K/o/s]');
    expect(exitCode, screen).toBe(1);
  });
});

describe.skipIf(!hasTerminal)('install and remove at a terminal', () => {
  beforeEach(async () => {
    await shown(['add', './origin', 'notes'], install('y\r'));
    appendFileSync(at('.agents/skills/notes/SKILL.md'), 'mine\n');
  });

  test.each(['install', 'remove'])('%s asks about edits, and Ctrl-C changes nothing', async (command) => {
    const argv = command === 'remove' ? ['remove', 'notes'] : ['install'];
    const before = project();
    expect(await shown(argv, edits(controlC))).toMatchObject({ exitCode: 130, answered: 1 });
    expect(await shown(argv, edits('\r'))).toMatchObject({ exitCode: 1, answered: 1 });
    expect(project()).toEqual(before);
    const done = await shown(argv, edits('s\r'));
    expect(done.exitCode, done.screen).toBe(0);
    const [saved = ''] = readdirSync(at('.agents/saved-skills'));
    expect(text('.agents/saved-skills', saved, 'SKILL.md')).toContain('mine');
    expect(existsSync(at('.agents/skills/notes/SKILL.md'))).toBe(command === 'install');
  });

  test('nobody is asked if the answer is an option, or without a terminal', async () => {
    for (const argv of [
      ['install', '--edits', 'keep'],
      ['install', '--json'],
      ['remove', 'notes', '--dry-run'],
    ]) {
      const { screen } = await shown(argv);
      expect(screen, argv.join(' ')).not.toContain('[K/o/s]');
    }
  });
});

test.skipIf(!hasTerminal)('Ctrl-C at a question stops a server that was started for it', async () => {
  folder.write({ 'skills/far/SKILL.md': skillText('far') });
  const served = await serveSkills(folder);
  const before = project();
  const { exitCode } = await shown(['add', served.origin], install(controlC));
  expect(exitCode).toBe(130);
  expect(project()).toEqual(before);
  expect((await folder.run(['approvals', '--json'])).stdout).toContain('"approvals": []');
  await served.stop();
});
