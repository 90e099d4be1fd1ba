import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientIds } from '../../agents/client-config.ts';
import { SkillwireError } from '../../errors.ts';
import type { Cli } from '../cli.ts';
import { runProgram } from '../program.ts';

let folder: string;
const homeBefore = process.env.HOME;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-connect-')));
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project/skills'), { recursive: true });
  process.env.HOME = join(folder, 'home');
});

afterEach(() => {
  if (homeBefore === undefined) delete process.env.HOME;
  else process.env.HOME = homeBefore;
  rmSync(folder, { recursive: true, force: true });
});

async function run(...argv: string[]): Promise<{ out: string; err: string; exit: number }> {
  let out = '';
  let err = '';
  const cli: Cli = {
    version: '1.2.3',
    cwd: join(folder, 'project'),
    env: { SKILLWIRE_HOME: join(folder, 'state'), SKILLS_TOKEN: 'the-secret' },
    stdin: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  };
  const exit = await runProgram(['connect', ...argv], cli);
  return { out, err, exit };
}

async function refusal(...argv: string[]): Promise<SkillwireError> {
  try {
    await run(...argv);
  } catch (error) {
    if (error instanceof SkillwireError) return error;
    throw error;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
}

const project = (name: string): string => join(folder, 'project', name);
const home = (name: string): string => join(folder, 'home', name);
const url = 'https://skills.example.com/mcp';

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('skillwire connect', () => {
  test('lists the clients, and marks the ones it finds', async () => {
    put(home('.cursor/mcp.json'), '{}');
    const { hosts } = JSON.parse((await run('--json')).out) as { hosts: { id: string; found: boolean }[] };
    expect(hosts.map(({ id }) => id)).toEqual(clientIds);
    expect(hosts.filter(({ found }) => found).map(({ id }) => id)).toEqual(['cursor']);
    expect((await run()).out).toMatch(/cursor +Cursor +yes +\.cursor\/mcp\.json, ~\/\.cursor\/mcp\.json/);
  });

  test('only prints by default', async () => {
    const { out, err } = await run('claude-code', './skills');
    expect(JSON.parse(out)).toEqual({
      mcpServers: { skills: { command: 'npx', args: ['-y', 'skillwire', 'serve', '--stdio', './skills'] } },
    });
    expect(err).toContain('add this to .mcp.json');
    expect(err).toContain('claude mcp add skills -- npx -y skillwire serve --stdio ./skills');
    expect(readdirSync(project(''))).toEqual(['skills']);
    expect((await run('claude-code', './skills', '--print')).out).toBe(out);
  });

  test('writes absolute folders into a file for all projects', async () => {
    const { out } = await run('windsurf', 'team=./skills');
    expect(JSON.parse(out).mcpServers.skills.args.at(-1)).toBe(`team=${project('skills')}`);
  });

  test('lets the client serve the origins of the configuration', async () => {
    put(project('skillwire.json'), '{"origins": {"team": "./skills"}}');
    expect(JSON.parse((await run('claude-code')).out).mcpServers.skills.args.slice(4)).toEqual([
      '--project-config',
      './skillwire.json',
    ]);
    const own = JSON.parse((await run('claude-code', '--config', 'skillwire.json')).out).mcpServers.skills;
    expect(own.args.slice(4)).toEqual(['--config', './skillwire.json']);
    expect(JSON.parse((await run('claude-code', 'team')).out).mcpServers.skills.args.slice(4)).toEqual([
      'team',
      '--project-config',
      './skillwire.json',
    ]);
  });

  test('writes a new file, shows the difference and does nothing the second time', async () => {
    const first = await run('cursor', '--url', url, '--write');
    expect(first.out).toBe('');
    expect(first.err).toContain('+++ .cursor/mcp.json');
    expect(first.err).toContain(`+      "url": "${url}"`);
    const text = readFileSync(project('.cursor/mcp.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({ mcpServers: { skills: { url } } });
    const second = await run('cursor', '--url', url, '--write');
    expect(second.err).toContain('is already in ');
    expect(readFileSync(project('.cursor/mcp.json'), 'utf8')).toBe(text);
    expect(readdirSync(project('.cursor'))).toEqual(['mcp.json']);
  });

  test.each(clientIds)(
    'writes for %s, keeps a copy of the old file, and does nothing the second time',
    async (host) => {
      const server = host === 'claude-desktop' ? ['./skills'] : ['--url', url];
      const { path } = JSON.parse((await run(host, ...server, '--write', '--dry-run', '--json')).out) as {
        path: string;
      };
      const before = /\.ya?ml$/.test(path)
        ? '# ours\nother: 1\n'
        : /\.toml$/.test(path)
          ? '# ours\nother = 1\n'
          : '{\n  // ours\n  "other": 1\n}\n';
      put(path, before);
      expect((await run(host, ...server, '--write')).err).toContain('+++ ');
      const after = readFileSync(path, 'utf8');
      expect(after).toContain('ours');
      expect(readFileSync(`${path}.before-skillwire`, 'utf8')).toBe(before);
      const files = readdirSync(dirname(path));
      expect((await run(host, ...server, '--write')).err).toContain('is already in ');
      expect(readFileSync(path, 'utf8')).toBe(after);
      expect(readdirSync(dirname(path))).toEqual(files);
    },
  );

  test('keeps comments, the mode and a copy of the old file', async () => {
    const before = '{\n  // ours\n  "mcpServers": {\n    "a": { "url": "https://a" } // a\n  }\n}\n';
    put(project('.cursor/mcp.json'), before);
    chmodSync(project('.cursor/mcp.json'), 0o640);
    const { err } = await run('cursor', '--url', url, '--write');
    const after = readFileSync(project('.cursor/mcp.json'), 'utf8');
    expect(after).toContain('// ours');
    expect(after).toContain('// a');
    expect(parse(after)).toEqual({ mcpServers: { a: { url: 'https://a' }, skills: { url } } });
    expect(statSync(project('.cursor/mcp.json')).mode & 0o777).toBe(0o640);
    expect(readFileSync(project('.cursor/mcp.json.before-skillwire'), 'utf8')).toBe(before);
    expect(err).toContain('Backup of the old file: .cursor/mcp.json.before-skillwire');
    await run('cursor', '--url', 'https://other.example.com/mcp', '--write', '--replace');
    expect(readFileSync(project('.cursor/mcp.json.before-skillwire-2'), 'utf8')).toBe(after);
  });

  test('writes nothing with --dry-run', async () => {
    const { err } = await run('cursor', '--url', url, '--write', '--dry-run');
    expect(err).toContain('+++ .cursor/mcp.json');
    expect(err).toContain('was not changed');
    expect(existsSync(project('.cursor'))).toBe(false);
    const { out } = await run('cursor', '--url', url, '--write', '--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({ change: 'would-be-added', path: project('.cursor/mcp.json') });
  });

  test("changes the user's own file with --global, and the existing one of several", async () => {
    await run('codex', '--url', url, '--write', '--global');
    expect(readFileSync(home('.codex/config.toml'), 'utf8')).toBe(`[mcp_servers.skills]\nurl = "${url}"\n`);
    put(project('opencode.json'), '{}\n');
    await run('opencode', '--url', url, '--write');
    expect(readFileSync(project('opencode.json'), 'utf8')).toContain(url);
    expect(existsSync(project('opencode.jsonc'))).toBe(false);
  });

  test('follows a link to the file and keeps the link', async () => {
    put(project('dotfiles/mcp.json'), '{}\n');
    mkdirSync(project('.cursor'));
    symlinkSync('../dotfiles/mcp.json', project('.cursor/mcp.json'));
    await run('cursor', '--url', url, '--write');
    expect(readFileSync(project('dotfiles/mcp.json'), 'utf8')).toContain(url);
    expect(existsSync(project('dotfiles/mcp.json.before-skillwire'))).toBe(true);
  });

  test('writes the variable of a token and never its value', async () => {
    const shown = await run('claude-code', '--url', url, '--token-env', 'SKILLS_TOKEN', '--header', 'X-Key=OTHER');
    expect(JSON.parse(shown.out).mcpServers.skills.headers).toEqual({
      Authorization: `Bearer $${'{SKILLS_TOKEN}'}`,
      'X-Key': `$${'{OTHER}'}`,
    });
    expect(shown.err).toContain('OTHER is not set here');
    expect(shown.err).not.toContain('SKILLS_TOKEN is not set here');
    const written = await run('claude-code', '--url', url, '--token-env', 'SKILLS_TOKEN', '--write');
    const text = readFileSync(project('.mcp.json'), 'utf8');
    for (const said of [shown.out, shown.err, written.out, written.err, text]) expect(said).not.toContain('the-secret');
  });

  test.each([
    ['claude-code', '"oauth": {\n        "clientId": "7f3a"\n      }'],
    ['vscode', '"oauth": {\n        "clientId": "7f3a"\n      }'],
    ['cursor', '"auth": {\n        "CLIENT_ID": "7f3a"\n      }'],
    ['codex', 'oauth = { client_id = "7f3a" }'],
  ])('writes the client id into the field of %s', async (client, field) => {
    const { out, err } = await run(client, '--url', url, '--client-id', '7f3a');
    expect(out).toContain(field);
    if (client === 'claude-code') expect(err).toContain('--client-id 7f3a');
  });

  test('passes variables to a server that the client starts', async () => {
    const { out } = await run('codex', './skills', '--pass-env', 'SKILLS_TOKEN');
    expect(out).toContain('env_vars = ["SKILLS_TOKEN"]');
    expect(out).toContain('"--pass-env", "SKILLS_TOKEN"');
  });

  test('does not change a file that it cannot edit safely', async () => {
    put(project('.cursor/mcp.json'), '{ "mcpServers": ');
    const error = await refusal('cursor', '--url', url, '--write');
    expect(error).toMatchObject({ code: 'HOST_FILE_UNUSABLE' });
    expect(error.message).toContain('Add this by hand');
    expect(readFileSync(project('.cursor/mcp.json'), 'utf8')).toBe('{ "mcpServers": ');
    writeFileSync(project('.cursor/mcp.json'), new Uint8Array([0x7b, 0xff, 0x7d]));
    expect(await refusal('cursor', '--url', url, '--write')).toMatchObject({ code: 'HOST_FILE_UNUSABLE' });
    expect(readdirSync(project('.cursor'))).toEqual(['mcp.json']);
  });

  test('reports a file that cannot be written', async () => {
    put(project('.cursor'), 'a file where the folder should be');
    expect(await refusal('cursor', '--url', url, '--write')).toMatchObject({ code: 'WRITE_FAILED' });
  });

  test.each([
    [['emacs'], 'Unknown client "emacs". Use one of claude-code'],
    [['cursor'], 'Nothing to serve: no folder'],
    [['cursor', './skills', '--url', url], '--url excludes origins'],
    [['cursor', '--url', url, '--pass-env', 'X'], '--pass-env has no effect with --url'],
    [['cursor', '--url', 'ftp://x'], 'ftp'],
    [['cursor', '--url', 'http://skills.example.com/mcp'], '--insecure-http'],
    [['cursor', '--url', `${url}?api_key=abc`], 'looks like a secret'],
    [['cursor', '--url', 'https://ana:pw@skills.example.com/mcp'], 'a user or a password in an address'],
    [['cursor', '--url', url, '--name', 'a b'], 'is not a server name'],
    [['cursor', '--url', url, '--dry-run'], 'need --write'],
    [['cursor', '--url', url, '--replace'], 'need --write'],
    [['cursor', '--url', url, '--global', '--project'], 'cannot be used with'],
    [['cursor', '--url', url, '--print', '--write'], 'cannot be used with'],
    [['windsurf', '--url', url, '--project'], 'has no project file'],
    [['claude-desktop', '--url', url], 'Settings > Connectors'],
    [['goose', '--url', url, '--client-id', '7f3a'], 'has no field for a client id'],
    [['cursor', './skills', '--client-id', '7f3a'], 'with --url only'],
    [['zed', '--url', url, '--token-env', 'SKILLS_TOKEN'], 'reads no variables'],
    [['cursor', '--url', url, '--token-env', 'sk-live-123'], 'the name of an environment variable, not its value'],
  ])('refuses %j', async (argv, message) => {
    const error = await refusal(...argv);
    expect(error.code).toBe('USAGE');
    expect(error.message).toContain(message);
  });

  test('refuses to change another server of that name without --replace', async () => {
    put(project('.cursor/mcp.json'), '{"mcpServers": {"skills": {"url": "https://theirs"}}}');
    expect((await refusal('cursor', '--url', url, '--write')).message).toContain('--replace');
    await run('cursor', '--url', url, '--write', '--name', 'ours');
    expect(Object.keys(JSON.parse(readFileSync(project('.cursor/mcp.json'), 'utf8')).mcpServers)).toEqual([
      'skills',
      'ours',
    ]);
  });
});
