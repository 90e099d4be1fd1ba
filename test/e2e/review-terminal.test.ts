/**
 * A platform team's first day: a folder with 15 skills, from `init` to a reviewed queue, in fewer than ten commands. A person
 * types the answers in a real pseudo-terminal, while the server runs in another process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { listedUris } from '../served-folder.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';
import { type Answer, atTerminal, controlC, hasTerminal, type Shown } from './terminal.ts';

const skills = Array.from({ length: 15 }, (_, at) => `skill-${String(at + 1).padStart(2, '0')}`);
const question = '[q]uit? ';
const answers = (...texts: readonly string[]): Answer[] => texts.map((text) => ({ to: question, text: `${text}\r` }));

let folder: CliFolder;
let server: CliProcess;
let url = '';
let commands = 0;

/** Counts what a person has to type. */
const typed = (argv: readonly string[], ...given: readonly Answer[]): Promise<Shown> => {
  commands++;
  return atTerminal(folder, argv, ...given);
};
const listed = (): Promise<readonly string[] | number> => listedUris(`${url}/mcp`);

beforeAll(() => {
  folder = cliFolder();
  folder.write({ 'team/skill-02/scripts/run.sh': '#!/bin/sh\n', 'team/skill-02/LICENSE.txt': 'Terms\n' });
  for (const name of skills) folder.write({ [`team/${name}/SKILL.md`]: skillText(name, `# ${name}\n\nFirst.\n`) });
});

afterAll(async () => {
  server?.child.kill();
  await server?.ended;
  folder.remove();
});

describe.skipIf(!hasTerminal)('a team gateway', () => {
  test('is configured by three answers', { timeout: 120_000 }, async () => {
    const shown = await typed(
      ['init'],
      { to: 'Folder with your skills? [./skills] ', text: 'team\r' },
      { to: '[none] ', text: '\r' },
      { to: 'Must somebody approve new versions? [y/N] ', text: 'y\r' },
    );
    expect(shown.exitCode, shown.screen).toBe(0);
    expect(shown.screen).toContain('Next: skillwire config check, then skillwire serve');
    expect(JSON.parse(readFileSync(join(folder.path, 'skillwire.json'), 'utf8'))).toEqual({
      origins: { team: './team' },
      policy: { mode: 'approved-only' },
    });
  });

  test('reports waiting skills at its first start, and in status', { timeout: 120_000 }, async () => {
    commands++;
    server = folder.start(['serve', '--http', '127.0.0.1:0']);
    const said = await server.seen('stderr', /MCP {3}http:\/\/\S+/);
    url = /MCP {3}(http:\/\/[^/]+)/.exec(said)?.[1] ?? '';
    const waiting = `Serving 0 of 15 skills. 15 are waiting: run \`skillwire review\`, or open ${url}/#/review`;
    expect(said).toContain(`${waiting}\n`);
    const status = await typed(['status', url]);
    expect(status.exitCode).toBe(1);
    expect(status.screen.replace(/\r?\n/g, ' ')).toContain(waiting);
  });

  test('is reviewed one skill at a time; Ctrl-C keeps earlier decisions', { timeout: 120_000 }, async () => {
    const shown = await typed(
      ['review'],
      ...answers('a', 'v', 'a', 'what', 'd'),
      { to: 'Reason (Enter for none): ', text: 'not ours\r' },
      ...answers('s'),
      { to: question, text: controlC },
    );
    expect(shown.answered).toBe(8);
    expect(shown.exitCode).toBe(130);
    // The text that decides comes first.
    const viewed = [...shown.screen.matchAll(/^--- (\S+) \(/gm)].map(([, path]) => path);
    expect(viewed).toEqual(['SKILL.md', 'scripts/run.sh', 'LICENSE.txt']);
    for (const part of [
      '[1 of 15] skill-01 of team: new, 1 file,',
      'scripts: scripts/run.sh',
      '--- scripts/run.sh',
      'Type a, d, v, s or q, then Enter.',
      'Approved 2, denied 1, skipped 1. 12 skills are still waiting: skillwire review',
    ])
      expect(shown.screen).toContain(part);
    await eventually(async () =>
      expect(await listed()).toEqual(['skill://team/skill-01/SKILL.md', 'skill://team/skill-02/SKILL.md']),
    );
    const { stdout } = await folder.run(['waiting', '--all', '--json']);
    expect(JSON.parse(stdout).waiting).toContainEqual(
      expect.objectContaining({ name: 'skill-03', state: 'denied', reason: 'not ours', command: null }),
    );
    const audit = await folder.run(['audit', '--json']);
    expect(audit.stdout).toMatch(/"action":"deny".*skill-03.*not ours/);
  });

  test('approves the rest with one question', { timeout: 120_000 }, async () => {
    const refused = await typed(['approve', 'team', '--all'], { to: '[y/N] ', text: 'n\r' });
    expect(refused.exitCode).toBe(5);
    const shown = await typed(['approve', 'team', '--all'], { to: '[y/N] ', text: 'y\r' });
    expect(shown.screen).toContain('Approve 12 skills? Agents will be able to load them. [y/N]');
    expect(shown.screen).toContain('Approved 12 of 12 skills.');
    expect(shown.exitCode).toBe(0);
    await eventually(async () => expect(await listed()).toHaveLength(14));
  });

  test('shows the change since the approval', { timeout: 120_000 }, async () => {
    folder.write({ 'team/skill-05/SKILL.md': skillText('skill-05', '# skill-05\n\nSecond.\n') });
    await eventually(async () => expect((await folder.run(['waiting'])).stdout).toContain('waiting (changed)'), 200);
    const shown = await typed(['review', 'team'], ...answers('q'));
    expect(shown.exitCode).toBe(1);
    for (const part of ['skill-05 of team: changed since approval', '-First.', '+Second.', '1 skill is still waiting'])
      expect(shown.screen).toContain(part);
    const done = await typed(['review'], ...answers('a'));
    expect(done.screen).toContain('Approved 1. Nothing is waiting any more.');
    expect(done.exitCode).toBe(0);
    const status = await typed(['status', url]);
    expect(status.exitCode).toBe(0);
    expect(commands).toBeLessThan(10);
  });
});
