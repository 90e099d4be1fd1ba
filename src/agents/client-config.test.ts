import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import {
  type ClientId,
  clientConfig,
  clientFilePath,
  clientFiles,
  clientIds,
  clientTitle,
  type McpServer,
  ownKeys,
  shortClientHint,
} from './client-config.ts';

const remote = { name: 'skills', url: 'http://127.0.0.1:4711/mcp' };
const stdio = { name: 'skills', command: 'npx', args: ['-y', 'skillwire', 'serve', '--stdio', './my skills'] };
const args = ['-y', 'skillwire', 'serve', '--stdio', './my skills'];

const cases: Readonly<Record<string, McpServer>> = {
  remote,
  stdio,
  'remote-with-secrets': {
    ...remote,
    url: 'https://skills.example.com/mcp',
    tokenEnv: 'SKILLS_TOKEN',
    headers: [{ name: 'X-Team', variable: 'TEAM_KEY' }],
  },
  'stdio-with-secrets': { ...stdio, env: ['SKILLS_TOKEN'] },
};

/** Written by hand from the documentation of the clients: where the entry is and how it is spelled. */
const expected: Readonly<Record<ClientId, readonly [root: string, remote: object | undefined, stdio: object]>> = {
  'claude-code': ['mcpServers', { type: 'http', url: remote.url }, { command: 'npx', args }],
  'claude-desktop': ['mcpServers', undefined, { command: 'npx', args }],
  cursor: ['mcpServers', { url: remote.url }, { command: 'npx', args }],
  vscode: ['servers', { type: 'http', url: remote.url }, { command: 'npx', args }],
  codex: ['mcp_servers', { url: remote.url }, { command: 'npx', args }],
  'gemini-cli': ['mcpServers', { type: 'http', url: remote.url }, { command: 'npx', args }],
  windsurf: ['mcpServers', { serverUrl: remote.url }, { command: 'npx', args }],
  cline: [
    'mcpServers',
    { type: 'streamableHttp', url: remote.url, disabled: false },
    { command: 'npx', args, disabled: false },
  ],
  goose: [
    'extensions',
    { type: 'streamable_http', name: 'skills', uri: remote.url, enabled: true, timeout: 300 },
    { type: 'stdio', name: 'skills', cmd: 'npx', args, enabled: true, timeout: 300 },
  ],
  opencode: [
    'mcp',
    { type: 'remote', url: remote.url, enabled: true },
    { type: 'local', command: ['npx', ...args], enabled: true },
  ],
  zed: [
    'context_servers',
    { source: 'custom', type: 'http', url: remote.url },
    { source: 'custom', command: 'npx', args },
  ],
  'copilot-cli': [
    'mcpServers',
    { type: 'http', url: remote.url, tools: ['*'] },
    { type: 'stdio', command: 'npx', args, tools: ['*'] },
  ],
};

function read(id: ClientId, text: string): unknown {
  const { language } = clientConfig(id, stdio);
  if (language === 'toml') return parseToml(text);
  return language === 'yaml' ? load(text) : JSON.parse(text);
}

function attempt(id: ClientId, server: McpServer): string {
  try {
    const { file, text, command, link, variables, notes } = clientConfig(id, server);
    const more = [
      variables.length === 0 ? [] : [`variables: ${variables.join(', ')}`],
      notes.map((note) => `note: ${note}`),
      command === undefined ? [] : [`command: ${command}`],
      link === undefined ? [] : [`link: ${link}`],
    ];
    return [`${clientTitle(id)}: ${file}`, '', text, ...more.flat()].join('\n').trimEnd().concat('\n');
  } catch (error) {
    if (error instanceof SkillwireError) return `${clientTitle(id)}: ${error.message}\n`;
    throw error;
  }
}

describe('clientConfig()', () => {
  test.each(clientIds)('writes the format that %s reads', (id) => {
    const [root, forRemote, forStdio] = expected[id];
    expect(read(id, clientConfig(id, stdio).text)).toEqual({ [root]: { skills: forStdio } });
    if (forRemote === undefined) {
      expect(() => clientConfig(id, remote)).toThrow(SkillwireError);
      expect(() => clientConfig(id, remote)).toThrow(/Settings > Connectors/);
    } else expect(read(id, clientConfig(id, remote).text)).toEqual({ [root]: { skills: forRemote } });
  });

  test.each(clientIds)('writes the text of the golden file for %s', async (id) => {
    for (const [name, server] of Object.entries(cases))
      await expect(attempt(id, server)).toMatchFileSnapshot(`../../test/golden/hosts/${id}.${name}.txt`);
  });

  test.each(clientIds)('writes the name of a variable for %s, never its value', (id) => {
    process.env.SKILLS_TOKEN = 'very-secret-value';
    try {
      for (const server of Object.values(cases)) expect(attempt(id, server)).not.toContain('very-secret-value');
    } finally {
      delete process.env.SKILLS_TOKEN;
    }
  });

  test('refuses variables if the client sends them literally', () => {
    for (const id of ['zed', 'claude-desktop'] as const) {
      const server = { ...stdio, env: ['SKILLS_TOKEN'] };
      expect(() => clientConfig(id, server)).toThrow(
        /reads no variables, so its file would contain the value of "SKILLS_TOKEN"/,
      );
    }
  });

  test('quotes TOML keys and texts that need it', () => {
    expect(clientConfig('codex', { name: 'my.skills', command: 'C:\\x "y"', args: ['\x7f\n'] }).text).toBe(
      '[mcp_servers."my.skills"]\ncommand = "C:\\\\x \\"y\\""\nargs = ["\\u007f\\n"]\n',
    );
  });

  test('writes YAML that reads back as the same texts', () => {
    const awkward = {
      name: 'No',
      command: 'a: b',
      args: ['# x', 'true', '1e3', '- y', '"q"', 'é\x7f', '', '*z', 'ok'],
    };
    expect(load(clientConfig('goose', awkward).text)).toEqual({
      extensions: {
        No: { type: 'stdio', name: 'No', cmd: awkward.command, args: awkward.args, enabled: true, timeout: 300 },
      },
    });
    expect(load(clientConfig('goose', { ...awkward, args: [] }).text)).toMatchObject({
      extensions: { No: { args: [] } },
    });
  });

  test('makes links that contain the server', () => {
    const { link = '' } = clientConfig('vscode', remote);
    expect(JSON.parse(decodeURIComponent(link.slice(link.indexOf('?') + 1)))).toEqual({
      name: 'skills',
      type: 'http',
      url: remote.url,
    });
    const config =
      new URL(clientConfig('cursor', { ...stdio, args: ['é'] }).link ?? '').searchParams.get('config') ?? '';
    expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ command: 'npx', args: ['é'] });
  });
});

describe('hostFiles()', () => {
  test("lists the file of the project first, then the user's file if wanted", () => {
    expect(clientFiles('cursor')).toEqual(['.cursor/mcp.json']);
    expect(clientFiles('cursor', { scope: 'user' })).toEqual(['~/.cursor/mcp.json']);
    expect(clientFiles('windsurf')).toEqual(['~/.codeium/windsurf/mcp_config.json']);
    expect(clientFiles('goose')).toEqual(['~/.config/goose/config.yaml']);
    expect(clientFiles('vscode', { scope: 'user', platform: 'darwin' })[0]).toMatch(
      /^~\/Library\/Application Support\//,
    );
    expect(clientFiles('vscode', { scope: 'user', platform: 'win32' })[0]).toMatch(/^%APPDATA%\/Code\//);
  });

  test('refuses the file of a project if the client has none', () => {
    expect(() => clientFiles('windsurf', { scope: 'project' })).toThrow(/has no project file/);
  });
});

test('hostFilePath() returns full paths and follows the variables that move files', () => {
  const place = { home: '/home/ana', project: '/work/app', env: {} };
  expect(clientFilePath('cursor', '.cursor/mcp.json', place)).toBe('/work/app/.cursor/mcp.json');
  expect(clientFilePath('claude-code', '~/.claude.json', place)).toBe('/home/ana/.claude.json');
  expect(clientFilePath('claude-code', '~/.claude.json', { ...place, env: { CLAUDE_CONFIG_DIR: '/c' } })).toBe(
    '/c/.claude.json',
  );
  expect(clientFilePath('codex', '~/.codex/config.toml', { ...place, env: { CODEX_HOME: '/x' } })).toBe(
    '/x/config.toml',
  );
  expect(clientFilePath('goose', '~/.config/goose/config.yaml', { ...place, env: { XDG_CONFIG_HOME: '/g' } })).toBe(
    '/g/goose/config.yaml',
  );
  expect(clientFilePath('zed', '%APPDATA%/Zed/settings.json', { ...place, env: { APPDATA: 'C:/A' } })).toBe(
    'C:/A/Zed/settings.json',
  );
});

test('docs/guides/connect-a-client.md has a row for every client, with its files', () => {
  const text = readFileSync(new URL('../../docs/guides/connect-a-client.md', import.meta.url), 'utf8');
  for (const id of clientIds) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${id}\` |`));
    expect(row, id).toBeDefined();
    const names = [...clientFiles(id), ...clientFiles(id, { scope: 'user' })].map(
      (file) => file.split('/').at(-1) ?? '',
    );
    expect(
      names.some((name) => row?.includes(name)),
      id,
    ).toBe(true);
    expect(row).toContain(clientConfig(id, stdio).root);
  }
});

test('ownKeys() lists every key that is ever written', () => {
  for (const id of clientIds) {
    const servers = Object.entries(cases).filter(([name]) => id !== 'claude-desktop' || name === 'stdio');
    for (const [name, server] of servers)
      if (id !== 'zed' || !name.includes('secrets'))
        expect(ownKeys(id)).toEqual(expect.arrayContaining(Object.keys(clientConfig(id, server).entry)));
  }
});

describe('shortHostHint()', () => {
  test('returns the command and the JSON for a remote server', () => {
    expect(shortClientHint(remote)).toBe(`claude mcp add --transport http skills http://127.0.0.1:4711/mcp

{
  "mcpServers": {
    "skills": {
      "type": "http",
      "url": "http://127.0.0.1:4711/mcp"
    }
  }
}
`);
  });

  test('quotes words for the shell', () => {
    expect(shortClientHint({ ...stdio, args: ["it's", 'a b', '$x', '--y'] }).split('\n')[0]).toBe(
      "claude mcp add skills -- npx 'it'\\''s' 'a b' '$x' --y",
    );
    expect(shortClientHint({ name: 'skills', url: 'http://[::1]:80/mcp' }).split('\n')[0]).toBe(
      "claude mcp add --transport http skills 'http://[::1]:80/mcp'",
    );
  });
});
