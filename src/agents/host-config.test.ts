import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { type HostId, hostConfig, hostIds, shortHostHint } from './host-config.ts';

const remote = { name: 'skills', url: 'http://127.0.0.1:4711/mcp' };
const stdio = { name: 'skills', command: 'npx', args: ['-y', 'skillwire', 'serve', '--stdio', './my skills'] };
const args = ['-y', 'skillwire', 'serve', '--stdio', './my skills'];

type Golden = readonly [file: string, remote: unknown, stdio: unknown];

const jsonHosts: Readonly<Partial<Record<HostId, Golden>>> = {
  'claude-code': [
    '.mcp.json',
    { mcpServers: { skills: { type: 'http', url: remote.url } } },
    { mcpServers: { skills: { command: 'npx', args } } },
  ],
  cursor: [
    '.cursor/mcp.json',
    { mcpServers: { skills: { url: remote.url } } },
    { mcpServers: { skills: { command: 'npx', args } } },
  ],
  vscode: [
    '.vscode/mcp.json',
    { servers: { skills: { type: 'http', url: remote.url } } },
    { servers: { skills: { command: 'npx', args } } },
  ],
  'gemini-cli': [
    '.gemini/settings.json',
    { mcpServers: { skills: { type: 'http', url: remote.url } } },
    { mcpServers: { skills: { command: 'npx', args } } },
  ],
  windsurf: [
    '~/.codeium/windsurf/mcp_config.json',
    { mcpServers: { skills: { serverUrl: remote.url } } },
    { mcpServers: { skills: { command: 'npx', args } } },
  ],
  cline: [
    'cline_mcp_settings.json',
    { mcpServers: { skills: { type: 'streamableHttp', url: remote.url, disabled: false } } },
    { mcpServers: { skills: { command: 'npx', args, disabled: false } } },
  ],
  opencode: [
    'opencode.jsonc',
    { mcp: { skills: { type: 'remote', url: remote.url, enabled: true } } },
    { mcp: { skills: { type: 'local', command: ['npx', ...args], enabled: true } } },
  ],
  zed: [
    '.zed/settings.json',
    { context_servers: { skills: { source: 'custom', type: 'http', url: remote.url } } },
    { context_servers: { skills: { source: 'custom', command: 'npx', args } } },
  ],
  'copilot-cli': [
    '.mcp.json',
    { mcpServers: { skills: { type: 'http', url: remote.url, tools: ['*'] } } },
    { mcpServers: { skills: { type: 'stdio', command: 'npx', args, tools: ['*'] } } },
  ],
};

describe('hostConfig()', () => {
  test.each(Object.entries(jsonHosts))('writes the JSON of %s', (id, [file, expectedRemote, expectedStdio]) => {
    const forRemote = hostConfig(id as HostId, remote);
    const forStdio = hostConfig(id as HostId, stdio);
    expect(forRemote).toMatchObject({ file, language: 'json' });
    expect(forStdio).toMatchObject({ file, language: 'json' });
    expect(forRemote.text).toBe(`${JSON.stringify(expectedRemote, null, 2)}\n`);
    expect(forStdio.text).toBe(`${JSON.stringify(expectedStdio, null, 2)}\n`);
  });

  test('writes the JSON of claude-desktop for stdio and refuses a remote server', () => {
    const { file, text } = hostConfig('claude-desktop', stdio);
    expect(file).toBe('claude_desktop_config.json');
    expect(JSON.parse(text)).toEqual({ mcpServers: { skills: { command: 'npx', args } } });
    expect(() => hostConfig('claude-desktop', remote)).toThrow(SkillwireError);
    expect(() => hostConfig('claude-desktop', remote)).toThrow(/Settings > Connectors/);
  });

  test('writes the TOML of codex', () => {
    expect(hostConfig('codex', remote)).toEqual({
      file: '.codex/config.toml',
      language: 'toml',
      text: '[mcp_servers.skills]\nurl = "http://127.0.0.1:4711/mcp"\n',
    });
    expect(hostConfig('codex', stdio).text).toBe(
      '[mcp_servers.skills]\ncommand = "npx"\nargs = ["-y", "skillwire", "serve", "--stdio", "./my skills"]\n',
    );
  });

  test('quotes TOML keys and texts that need it', () => {
    expect(hostConfig('codex', { name: 'my.skills', command: 'C:\\x "y"', args: ['\x7f\n'] }).text).toBe(
      '[mcp_servers."my.skills"]\ncommand = "C:\\\\x \\"y\\""\nargs = ["\\u007f\\n"]\n',
    );
  });

  test('writes the YAML of goose', () => {
    expect(hostConfig('goose', remote)).toEqual({
      file: '.goose/config.yaml',
      language: 'yaml',
      text: [
        'extensions:',
        '  skills:',
        '    type: streamable_http',
        '    name: skills',
        '    uri: "http://127.0.0.1:4711/mcp"',
        '    enabled: true',
        '    timeout: 300',
        '',
      ].join('\n'),
    });
    expect(hostConfig('goose', stdio).text).toBe(
      [
        'extensions:',
        '  skills:',
        '    type: stdio',
        '    name: skills',
        '    cmd: npx',
        '    args:',
        '      - "-y"',
        '      - skillwire',
        '      - serve',
        '      - "--stdio"',
        '      - "./my skills"',
        '    enabled: true',
        '    timeout: 300',
        '',
      ].join('\n'),
    );
  });

  test('writes YAML that a reader takes for the same texts', () => {
    const awkward = {
      name: 'No',
      command: 'a: b',
      args: ['# x', 'true', '1e3', '- y', '"q"', 'é\x7f', '', '*z', 'ok'],
    };
    expect(load(hostConfig('goose', awkward).text)).toEqual({
      extensions: {
        No: { type: 'stdio', name: 'No', cmd: awkward.command, args: awkward.args, enabled: true, timeout: 300 },
      },
    });
    expect(load(hostConfig('goose', { ...awkward, args: [] }).text)).toMatchObject({
      extensions: { No: { args: [] } },
    });
  });

  test('knows every host of the list', () => {
    expect([...hostIds].sort()).toEqual([...Object.keys(jsonHosts), 'claude-desktop', 'codex', 'goose'].sort());
    for (const id of hostIds) expect(hostConfig(id, stdio).text).toContain('npx');
  });
});

describe('shortHostHint()', () => {
  test('gives the command and the JSON for a remote server', () => {
    expect(shortHostHint(remote)).toBe(`claude mcp add --transport http skills http://127.0.0.1:4711/mcp

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
    expect(shortHostHint({ ...stdio, args: ["it's", 'a b', '$x', '--y'] }).split('\n')[0]).toBe(
      "claude mcp add skills -- npx 'it'\\''s' 'a b' '$x' --y",
    );
    expect(shortHostHint({ name: 'skills', url: 'http://[::1]:80/mcp' }).split('\n')[0]).toBe(
      "claude mcp add --transport http skills 'http://[::1]:80/mcp'",
    );
  });
});
