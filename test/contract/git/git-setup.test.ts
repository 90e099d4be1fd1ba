/**
 * The source for Git repositories and the user's setup, the environment and a repository. It uses credentials only if they are
 * allowed and the user's configuration unchanged, and nothing that runs a program. Real servers, the system's git.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { gitRepository } from '../../git-server.ts';
import { at, blocked, env, found, list, newUser, program, serve, windows } from './reading-git.ts';

beforeEach(newUser);

describe('without credentials', () => {
  const none = { credentials: 'none' } as const;

  test('a public repository is read without anything of the user', async () => {
    const server = await serve();
    writeFileSync(
      at('home/.gitconfig'),
      `[http]\n\textraHeader = X-Secret: 1\n[url "http://127.0.0.1:1/"]\n\tinsteadOf = ${server.origin}/\n`,
    );
    expect((await list({ ...none, repository: `${server.origin}/repo.git` })).skills).toEqual(found);
    for (const { headers } of server.requests) expect(headers['x-secret']).toBeUndefined();
  });

  test.skipIf(windows)('no helper, netrc file or prompt answers a server that wants credentials', async () => {
    const server = await serve({ password: 'joe:secret' });
    const helper = program('helper', 'username=joe\\npassword=secret\\n');
    const askpass = program('askpass', 'secret');
    const netrc = `machine 127.0.0.1 login joe password secret\n`;
    writeFileSync(at('home/.netrc'), netrc);
    writeFileSync(
      at('home/.gitconfig'),
      `[credential]\n\thelper = ${helper.path}\n[core]\n\taskPass = ${askpass.path}\n`,
    );
    mkdirSync(at('home/.config/git'), { recursive: true });
    writeFileSync(at('home/.config/git/config'), `[credential]\n\thelper = ${helper.path}\n`);
    const repository = `${server.origin}/repo.git`;
    const variables = { GIT_ASKPASS: askpass.path, SSH_ASKPASS: askpass.path, XDG_CONFIG_HOME: at('home/.config') };
    await expect(list({ ...none, repository, env: env(variables) })).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    expect([helper.ran(), askpass.ran()]).toEqual([false, false]);
    for (const { authorization } of server.requests) expect(authorization).toBeUndefined();
    // The same things are used where the user's credentials may be.
    expect((await list({ repository, env: env(variables) })).skills).toEqual(found);
  });

  test.each(['ssh://git@127.0.0.1/x.git', 'git@127.0.0.1:x.git'])('ssh is refused: %s', async (repository) => {
    const ssh = program('ssh');
    const options = { ...none, repository, env: env({ GIT_SSH_COMMAND: ssh.path }) };
    await expect(list(options)).rejects.toMatchObject(blocked);
    expect(ssh.ran()).toBe(false);
  });

  test('a repository on this machine is read', async () => {
    expect((await list({ ...none, repository: at('repo') })).skills).toEqual(found);
  });
});

test('hidden folders with skills that are not read are reported', async () => {
  const skill = '---\nname: a\ndescription: Does something.\n---\nDo it.\n';
  gitRepository(at('hidden'), { '.claude/skills/a/SKILL.md': skill, '.other/a/SKILL.md': skill });
  const closed = await list({ repository: at('hidden') });
  expect(closed.skills).toEqual([]);
  expect(closed.findings.map(({ rule }) => rule)).toEqual([
    'root-empty',
    'agent-folder-left-out',
    'hidden-folder-left-out',
  ]);
  const open = await list({ repository: at('hidden'), agentFolders: true });
  expect(open.skills).toEqual(['skill://.claude/skills/a/SKILL.md']);
  expect(open.findings.map(({ rule }) => rule)).toEqual(['hidden-folder-left-out']);
});

describe("the user's Git configuration", () => {
  test('may replace an address, and the new one is judged', async () => {
    const server = await serve();
    const config = `[url "${server.origin}/"]\n\tinsteadOf = https://repo.example/\n`;
    writeFileSync(at('home/.gitconfig'), config);
    const repository = 'https://repo.example/repo.git';
    expect((await list({ repository, addresses: { trustedHost: 'repo.example' } })).skills).toEqual(found);
    const before = server.requests.length;
    await expect(list({ repository, addresses: {} })).rejects.toMatchObject(blocked);
    expect(server.requests.length).toBe(before);
  });

  test.skipIf(windows)('may not replace it with a command', async () => {
    const command = program('command');
    writeFileSync(at('home/.gitconfig'), `[url "ext::${command.path} "]\n\tinsteadOf = https://repo.example/\n`);
    const options = { repository: 'https://repo.example/x', addresses: { trustedHost: 'repo.example' } };
    await expect(list(options)).rejects.toMatchObject(blocked);
    expect(command.ran()).toBe(false);
  });
});

describe.skipIf(windows)('git variables', () => {
  test('that redirect it or run programs have no effect', async () => {
    const server = await serve();
    const command = program('command');
    mkdirSync(at('template/hooks'), { recursive: true });
    writeFileSync(at('template/hooks/reference-transaction'), `#!/bin/sh\n"${command.path}"\n`);
    chmodSync(at('template/hooks/reference-transaction'), 0o755);
    const variables = {
      GIT_DIR: at('repo/.git'),
      GIT_WORK_TREE: at('repo'),
      GIT_OBJECT_DIRECTORY: at('repo/.git/objects'),
      GIT_INDEX_FILE: at('index'),
      GIT_NAMESPACE: 'x',
      GIT_TEMPLATE_DIR: at('template'),
      GIT_EXEC_PATH: at('nowhere'),
      GIT_ALLOW_PROTOCOL: 'ext',
      GIT_PROXY_COMMAND: command.path,
      GIT_TRACE: at('trace'),
      GIT_TRACE2_EVENT: at('trace2'),
      GIT_CURL_VERBOSE: '1',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: command.path,
      GIT_CONFIG_KEY_1: 'url.http://127.0.0.1:1/.insteadOf',
      GIT_CONFIG_VALUE_1: `${server.origin}/`,
      GIT_CONFIG_PARAMETERS: `'core.hooksPath=${at('template/hooks')}'`,
      GIT_CONFIG: at('config'),
    };
    const options = { repository: `${server.origin}/repo.git`, env: env(variables) };
    expect((await list(options)).skills).toEqual(found);
    expect(command.ran()).toBe(false);
    expect(readdirSync(at())).not.toEqual(expect.arrayContaining(['trace']));
    expect(readdirSync(at())).not.toEqual(expect.arrayContaining(['trace2']));
  });

  test("that name the user's configuration are followed", async () => {
    const server = await serve();
    writeFileSync(at('home/.gitconfig'), `[url "http://127.0.0.1:1/"]\n\tinsteadOf = ${server.origin}/\n`);
    const options = { repository: `${server.origin}/repo.git`, env: env({ GIT_CONFIG_GLOBAL: '/dev/null' }) };
    expect((await list(options)).skills).toEqual(found);
  });
});

describe.skipIf(windows)('a repository on this machine', () => {
  test('runs no program of its configuration', async () => {
    const command = program('command');
    writeFileSync(
      at('repo/.git/config'),
      `[core]
	repositoryformatversion = 1
	fsmonitor = ${command.path}
	sshCommand = ${command.path}
	alternateRefsCommand = ${command.path}
	hooksPath = ${at('hooks')}
[uploadpack]
	packObjectsHook = ${command.path}
[extensions]
	partialClone = origin
[remote "origin"]
	url = ${at('repo')}
	promisor = true
	uploadpack = ${command.path}
[include]
	path = ${at('more')}
`,
    );
    expect((await list({ repository: at('repo') })).skills).toEqual(found);
    // One object is missing, which the repository would fetch by its own setting.
    const blob = execFileSync('git', ['-C', at('repo'), 'rev-parse', 'HEAD:skills/tool/SKILL.md'], {
      encoding: 'utf8',
    });
    rmSync(at('repo/.git/objects', blob.slice(0, 2)), { recursive: true });
    await expect(list({ repository: at('repo'), cacheFolder: at('other') })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:ORIGIN_FAILED|UNREACHABLE)$/),
    });
    expect(command.ran()).toBe(false);
  });
});
