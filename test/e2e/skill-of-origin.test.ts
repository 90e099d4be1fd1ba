/** `owner/repo@skill` and `LABEL@skill` in every command about a skill. Commands about whole origins refuse them. */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GitHosts, gitHosts } from '../git-hosts.ts';
import { gitRepository } from '../git-server.ts';
import { type CliFolder, type CliResult, cliFolder, skillText } from './cli-process.ts';

let hub: CliFolder;
let folder: CliFolder;
let hosts: GitHosts;
const folders: CliFolder[] = [];

beforeAll(() => {
  hub = cliFolder();
  hosts = gitHosts(join(hub.path, 'hosts'));
  const files = { 'pdf/SKILL.md': skillText('pdf'), 'pdf/a.md': 'A\n', 'notes/SKILL.md': skillText('notes') };
  gitRepository(hosts.folder('github.com/acme/skills'), files);
});
beforeEach(() => {
  folder = cliFolder();
  folders.push(folder);
});
afterAll(() => {
  for (const { remove } of [hub, ...folders]) remove();
});

const run = (...argv: readonly string[]): Promise<CliResult> => folder.run(argv, hosts.env);

describe.each([
  ['a repository', 'acme/skills'],
  ['a label', 'docs'],
])('the skill of %s', (_, origin) => {
  const word = `${origin}@pdf`;
  const done = async (...argv: readonly string[]): Promise<CliResult> => {
    const result = await run(...argv);
    expect(result, argv.join(' ')).toMatchObject({ exitCode: 0 });
    return result;
  };
  beforeEach(async () => {
    if (origin === 'docs') await done('origins', 'add', 'docs=acme/skills');
  });

  test('is shown, read, approved, compared and revoked', async () => {
    expect((await done('show', word)).stdout).toContain('skill://pdf/SKILL.md');
    expect((await done('read', word)).stdout).toBe(skillText('pdf'));
    expect((await done('read', word, 'a.md')).stdout).toBe('A\n');
    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec((await run('approve', word, '--json')).stdout) ?? [];
    await done('approve', word, '--yes', digest);
    expect((await done('diff', word)).stderr).toContain('unchanged');
    expect((await done('revoke', word)).stderr).toContain('revoked: pdf');
  });

  test('is disabled and enabled', async () => {
    expect((await done('disable', word)).stderr).toContain('disabled: skill://pdf/SKILL.md of ');
    expect((await done('enable', word)).stderr).toContain('enabled: skill://pdf/SKILL.md of ');
  });

  test('is installed', async () => {
    const { stderr } = await done('add', word, '-y', '--agent', 'claude-code');
    expect(stderr).toContain('pdf');
    expect(stderr).not.toContain('notes');
  });

  test.each(['list', 'verify', 'serve', 'build'])('is refused by %s, which takes whole origins', async (command) => {
    folder.write({ 'skillwire.json': '{"origins": {"docs": {"folder": "./skills"}}}', 'skills/pdf/SKILL.md': '' });
    if (origin === 'docs') await run('origins', 'remove', 'docs');
    const more = command === 'build' ? ['--out', 'site'] : [];
    expect(await run(command, word, ...more)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`names one skill, and this takes whole origins. Write "${origin}".`),
    });
  });
});

test.each([
  ['two skills', ['show', 'acme/skills@pdf', 'notes'], 'Too many arguments'],
  ['no skill', ['show', 'acme/skills'], "Missing required argument 'skill'"],
  ['an address with a user, without a skill', ['show', 'git@github.com:acme/skills.git'], "'skill'"],
  ['an empty skill', ['show', 'docs@'], 'is not the name of a skill'],
  ['a second skill to disable', ['disable', 'docs@pdf', 'notes'], 'Two skills are named'],
])('%s is a mistake of the command line', async (_, argv, said) => {
  await run('origins', 'add', 'docs=acme/skills');
  expect(await run(...argv)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) });
});

test('a folder whose name has an "@" stays a folder', async () => {
  folder.write({
    'skillwire.json': '{"origins": {"docs": "./other"}}',
    'docs@pdf/mine/SKILL.md': skillText('mine'),
    'other/pdf/SKILL.md': skillText('pdf'),
  });
  expect((await run('show', 'docs@pdf', 'mine')).stdout).toContain('mine');
});
