/** Network access of `git:` origins by the command: redirects, and a project that tries to influence it. */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gitRepository, gitServer } from '../git-server.ts';
import { type CliFolder, type CliResult, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
const at = (...path: string[]): string => join(folder.path, ...path);

beforeEach(() => {
  folder = cliFolder();
  gitRepository(at('elsewhere/repo'), { 'skills/tool/SKILL.md': skillText('tool') });
});
afterEach(() => folder.remove());

const namesOf = ({ stdout }: CliResult): readonly string[] =>
  JSON.parse(stdout).skills.map(({ name }: { name: string }) => name);

describe('a redirect', () => {
  test('into this machine is refused before anything is sent there', async () => {
    const inside = await gitServer({ repositories: { '/admin/x': at('elsewhere/repo') } });
    const named = await gitServer({ redirect: () => `http://localhost:${inside.port}/admin/x` });
    const listed = await folder.run(['list', `git:${named.origin}/skills.git`, '--json']);
    expect(inside.requests).toEqual([]);
    expect(listed.exitCode, listed.stdout).toBe(5);
    expect(listed.stdout).toContain('ADDRESS_BLOCKED');
  });

  test('to the new name of a repository is followed and reported', async () => {
    const server = await gitServer({
      repositories: { '/new.git': at('elsewhere/repo') },
      redirect: (path) => (path.startsWith('/old.git/') ? path.replace('/old.git/', '/new.git/') : undefined),
    });
    const listed = await folder.run(['list', `git:${server.origin}/old.git`, '--json']);
    expect(namesOf(listed), listed.stdout).toEqual(['tool']);
    expect(listed.stdout).toContain('repository-elsewhere');
    expect(listed.stdout).toContain(`${server.origin}/new.git`);
  });

  test("is not followed by git itself, whatever the user's configuration says", async () => {
    const inside = await gitServer({ repositories: { '/x': at('elsewhere/repo') } });
    const named = await gitServer({
      redirect: (path) => `http://localhost:${inside.port}/x${path.slice(path.indexOf('/info'))}`,
    });
    folder.write({ '.gitconfig': `[http "${named.origin}/skills.git"]\n\tfollowRedirects = true\n` });
    const listed = await folder.run(['list', `git:${named.origin}/skills.git`, '--json']);
    expect(inside.requests).toEqual([]);
    expect(listed.exitCode, listed.stdout).toBe(5);
  });
});

describe.skipIf(process.platform === 'win32')('a project', () => {
  test('is not the folder where git runs, and its configuration has no effect', async () => {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    mkdirSync(at('bin'));
    writeFileSync(at('bin/git'), `#!/bin/sh\npwd -P >> "${at('log')}"\nexec "${real}" "$@"\n`);
    chmodSync(at('bin/git'), 0o755);
    const server = await gitServer({ repositories: { '/repo.git': at('elsewhere/repo') } });
    const command = `touch ${at('ran')}`;
    execFileSync('git', ['init', '--quiet', at('project')]);
    folder.write({
      'project/.git/config': `[core]
	repositoryformatversion = 0
	fsmonitor = "${command}"
	sshCommand = "${command}"
	pager = "${command}"
	hooksPath = ${at('hooks')}
[credential]
	helper = "!${command}"
[url "http://127.0.0.1:1/"]
	insteadOf = ${server.origin}/
[include]
	path = ${at('more')}
`,
      more: `[alias]\n\tfetch = "!${command}"\n`,
    });
    const listed = await folder.startIn(at('project'), ['list', `git:${server.origin}/repo.git`, '--json'], {
      PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
      HOME: at('nobody'),
      SKILLWIRE_HOME: at('state'),
    }).ended;
    expect(namesOf(listed), listed.stderr).toEqual(['tool']);
    expect(existsSync(at('ran'))).toBe(false);
    const folders = new Set(readFileSync(at('log'), 'utf8').trim().split('\n'));
    expect([...folders]).toEqual([realpathSync(at('state/cache/git'))]);
  });
});
