/** Short forms of repositories through the real command and a real git, with repositories of this machine as GitHub and GitLab. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GitHosts, gitHosts } from '../git-hosts.ts';
import { gitRepository } from '../git-server.ts';
import { type CliFolder, type CliResult, cliFolder, skillText } from './cli-process.ts';

let hub: CliFolder;
let folder: CliFolder;
let hosts: GitHosts;
const folders: CliFolder[] = [];
const commit: Record<string, string> = {};

beforeAll(() => {
  hub = cliFolder();
  hosts = gitHosts(join(hub.path, 'hosts'));
  commit['main'] = gitRepository(hosts.folder('github.com/acme/skills'), {
    'skills/pdf/SKILL.md': skillText('pdf', 'main\n'),
    'skills/notes/SKILL.md': skillText('notes'),
    'more/style/SKILL.md': skillText('style'),
    'README.md': '# Skills\n',
  });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', hosts.folder('github.com/acme/skills'), ...words], { encoding: 'utf8' }).trim();
  git('tag', 'v1.0.0');
  git('tag', 'same');
  git('branch', 'same');
  git('checkout', '--quiet', '-b', 'feature/x');
  commit['feature'] = gitRepository(hosts.folder('github.com/acme/skills'), {
    'skills/pdf/SKILL.md': skillText('pdf', 'feature\n'),
  });
  git('checkout', '--quiet', 'main');
  // As large repositories do: each plugin has a copy of its skills.
  gitRepository(hosts.folder('github.com/acme/plugins'), {
    'plugins/office/skills/pdf/SKILL.md': skillText('pdf'),
    'skills/pdf/SKILL.md': skillText('pdf'),
    'plugins/office/skills/style/SKILL.md': skillText('style', 'For the office.\n'),
    'skills/style/SKILL.md': skillText('style'),
    'skills/long/SKILL.md': `---\nname: long\ndescription: ${'x'.repeat(1_025)}\n---\n`,
  });
  gitRepository(hosts.folder('gitlab.com/group/sub/skills'), { 'lab/SKILL.md': skillText('lab') });
});

beforeEach(() => {
  folder = cliFolder();
  folders.push(folder);
});
afterAll(() => {
  for (const { remove } of [hub, ...folders]) remove();
});

const run = (...argv: string[]): Promise<CliResult> => folder.run(argv, hosts.env);

async function names(origin: string): Promise<readonly string[]> {
  const { stdout, stderr, exitCode } = await run('list', origin, '--json');
  expect(exitCode, stderr).toBe(0);
  return (JSON.parse(stdout) as { skills: { name: string }[] }).skills.map(({ name }) => name).sort();
}

describe('a repository with copies', () => {
  const skillsOfLock = (): object => JSON.parse(readFileSync(join(folder.path, 'skillwire.lock'), 'utf8')).skills;

  test('list names different skills one by one, and counts copies', async () => {
    const { stderr } = await run('list', 'acme/plugins');
    expect(stderr).toContain(
      '* 2 skills named style: skill://plugins/office/skills/style/SKILL.md, skill://skills/style/SKILL.md\n',
    );
    expect(stderr).toContain('* 1 name of copies: the same files at several paths\n');
    expect(stderr).not.toContain('named pdf');
    expect(stderr).toContain('https://github.com/acme/plugins.git/skills/long/SKILL.md:3  problem');
  });

  test('add takes the copy with the shortest path', async () => {
    const { stderr, exitCode } = await run('add', 'acme/plugins', 'pdf', '-y');
    expect(exitCode, stderr).toBe(0);
    expect(skillsOfLock()).toMatchObject({ pdf: { uri: 'skill://skills/pdf/SKILL.md' } });
    const all = await run('add', 'acme/plugins', '--all', '--dry-run');
    expect(all.stderr).toContain('1 copy with the same files at another path left out.\n');
    expect(all.stderr).toContain('Cannot install two skills named "style".');
  });

  test('add refuses a name of different skills, and prints paths to copy', async () => {
    const { stderr, exitCode } = await run('add', 'acme/plugins', 'style', '-y');
    expect(exitCode).toBe(2);
    const [, path = ''] =
      /"style" matches 2 skills: "plugins\/office\/skills\/style", "(.*?)"\. Use its path\./.exec(stderr) ?? [];
    expect((await run('add', 'acme/plugins', path, '-y')).exitCode).toBe(0);
    expect(skillsOfLock()).toMatchObject({ style: { uri: 'skill://skills/style/SKILL.md' } });
  });
});

describe('list', () => {
  test.each([
    ['acme/skills', ['notes', 'pdf', 'style']],
    ['acme/skills/skills', ['notes', 'pdf']],
    ['acme/skills/skills/pdf', ['pdf']],
    ['acme/skills#v1.0.0', ['notes', 'pdf', 'style']],
    ['github:acme/skills', ['notes', 'pdf', 'style']],
    ['github.com/acme/skills', ['notes', 'pdf', 'style']],
    ['https://github.com/acme/skills', ['notes', 'pdf', 'style']],
    ['https://github.com/acme/skills/tree/feature/x/more', ['style']],
    ['https://github.com/acme/skills/blob/main/skills/notes/SKILL.md', ['notes']],
    ['gitlab:group/sub/skills', ['lab']],
    ['https://gitlab.com/group/sub/skills/-/tree/main/lab', ['lab']],
  ])('reads %s', async (origin, expected) => {
    expect(await names(origin)).toEqual(expected);
  });

  test('prints the interpretation, and only data with --json', async () => {
    const { stderr } = await run('list', 'https://github.com/acme/skills/tree/feature/x/skills/pdf');
    expect(stderr).toContain(
      'https://github.com/acme/skills/tree/feature/x/skills/pdf → git:https://github.com/acme/skills.git#feature/x:skills/pdf\n',
    );
    expect((await run('list', 'acme/skills', '--json')).stderr).toBe('');
  });

  test.each([
    ['acme/none', 2, 'Cannot read "https://github.com/acme/none.git"'],
    ['acme/skills/none', 2, 'has no folder "none"'],
    ['https://github.com/acme/skills/tree/same/skills', 2, '"same" is a branch and a tag'],
    ['acme/skills@pdf', 2, 'names one skill, and this takes whole origins. Write "acme/skills".'],
  ])('refuses %s', async (origin, exitCode, words) => {
    const result = await run('list', origin);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stdout + result.stderr).toContain(words);
  });
});

describe('add', () => {
  const lock = () =>
    JSON.parse(readFileSync(join(folder.path, 'skillwire.lock'), 'utf8')) as { skills: Record<string, object> };
  const approved = async (...argv: string[]): Promise<CliResult> => {
    const shown = await run('add', ...argv, '--json');
    const digest = /"planDigest":\s*"([^"]+)"/.exec(shown.stderr + shown.stdout)?.[1] ?? '';
    return run('add', ...argv, '--approve', digest);
  };

  test('installs one skill, and pins repository, commit and path', async () => {
    expect((await approved('acme/skills@pdf', '--agent', 'claude-code')).exitCode).toBe(0);
    expect(lock().skills).toEqual({
      pdf: expect.objectContaining({
        origin: { kind: 'git', repository: 'https://github.com/acme/skills.git' },
        revision: commit['main'],
      }),
    });
    expect((await approved('acme/skills/more#feature/x', '--agent', 'claude-code')).exitCode).toBe(0);
    expect(lock().skills['style']).toMatchObject({
      origin: { kind: 'git', repository: 'https://github.com/acme/skills.git', ref: 'feature/x', path: 'more' },
      revision: commit['feature'],
    });
    expect(await run('install')).toMatchObject({ exitCode: 0 });
    // With the git configuration of the user, which an unknown lock file must not use.
    expect(await run('update', '--check')).toMatchObject({ exitCode: 0 });
  });

  test('reads "@" as a skill, and explains how to write a tag', async () => {
    const { exitCode, stderr } = await run('add', 'acme/skills@v1.0.0');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('No skill named "v1.0.0". It is a tag: write "#v1.0.0" instead of "@v1.0.0".');
  });
});

describe('a label and a folder of the same name', () => {
  beforeEach(() =>
    folder.write({
      'platform/skills/a/SKILL.md': skillText('a'),
      'other/b/SKILL.md': skillText('b'),
    }),
  );

  test('the name of a folder is its default label', async () => {
    folder.write({ 'skillwire.json': '{ "origins": { "platform": "./platform/skills" } }' });
    expect(await names('platform')).toEqual(['a']);
    const { stdout } = await run('approve', 'platform', 'a', '--json');
    expect(stdout).toContain('"origin": "platform"');
  });

  test('an untrusted file never shadows a path; a trusted one does', async () => {
    folder.write({ 'skillwire.json': '{ "origins": { "platform": "./other" } }' });
    expect(await names('platform')).toEqual(['a']);
    expect((await run('list', 'platform')).stderr).toContain('"platform" is the folder ./platform.');
    expect((await run('validate', 'platform')).stderr).toContain('"platform" is the folder ./platform.');
    expect(await names('./platform')).toEqual(['a']);
    const { stdout } = await run('list', 'platform', '--config', 'skillwire.json', '--json');
    expect(stdout).toContain('"name": "b"');
  });
});
