import fc from 'fast-check';
import { load } from 'js-yaml';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { type ClientId, clientConfig, type McpServer, ownKeys } from './client-config.ts';
import { type ClientEdit, editClientText } from './client-edit.ts';

const remote: McpServer = { name: 'skills', url: 'http://127.0.0.1:4711/mcp' };
/** Begins a placeholder. */
const dollar = '$';
const withToken: McpServer = { ...remote, tokenEnv: 'SKILLS_TOKEN' };

function edit(id: ClientId, before: string, server: McpServer = remote, replace = false): ClientEdit {
  return editClientText(before, clientConfig(id, server), { file: 'the file', own: ownKeys(id), replace });
}

function failure(run: () => unknown): SkillwireError {
  try {
    run();
  } catch (error) {
    if (error instanceof SkillwireError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Every line of the old text is in the new one, in order: nothing was lost, moved or written differently. */
function keepsLines(before: string, after: string): void {
  const lines = after.split('\n');
  let from = 0;
  for (const line of before.split('\n')) {
    const found = lines.findIndex(
      (other, index) =>
        index >= from && other.replace(/,(?=\s*(?:\/\/.*)?$)/, '') === line.replace(/,(?=\s*(?:\/\/.*)?$)/, ''),
    );
    expect(found, `the line ${JSON.stringify(line)} in\n${after}`).not.toBe(-1);
    from = found + 1;
  }
}

describe('editHostText() on JSON', () => {
  const before = `{
  // who we are
  "mcpServers": {
    "github": { "url": "https://x" } // keep me
    /* and me */
  },
  "other": [1, 2,], // trailing
}
`;

  test('adds a server and keeps every comment, comma and line', () => {
    const { text, change } = edit('cursor', before);
    expect(change).toBe('added');
    keepsLines(before, text);
    expect(text).toContain('"github": { "url": "https://x" }, // keep me\n');
    expect(parseJsonc(text, [], { allowTrailingComma: true })).toEqual({
      mcpServers: { github: { url: 'https://x' }, skills: { url: remote.url } },
      other: [1, 2],
    });
  });

  test.each([
    ['no servers yet', '{\n\t"theme": "dark"\n}\n'],
    ['an empty object', '{}'],
    ['an empty object with a comment', '{\n  // nothing here\n}\n'],
    ['no servers in the list', '{ "mcpServers": {} }'],
    ['only a comment in the list', '{\n  "mcpServers": {\n    // none\n  }\n}\n'],
    ['one line', '{"mcpServers":{"a":{"url":"https://a"}}}'],
    ['a comma after the last server', '{\n  "mcpServers": {\n    "a": { "url": "https://a" },\n  },\n}'],
    ['a comma on a line of its own', '{\n  "mcpServers": {\n    "a": { "url": "https://a" }\n    ,\n  }\n}'],
    ['lines that end as on Windows', '{\r\n  "mcpServers": {\r\n    "a": { "url": "https://a" } // x\r\n  }\r\n}\r\n'],
    ['a byte-order mark', '\uFEFF{ "mcpServers": {} }'],
    ['null for the servers', '{ "mcpServers": null }'],
  ])('adds a server if there is %s', (_, text) => {
    const result = edit('cursor', text);
    const strip = (source: string): string => source.replace(/^\uFEFF/, '');
    const value = parseJsonc(strip(result.text), [], { allowTrailingComma: true }) as { mcpServers: object };
    const old = parseJsonc(strip(text), [], { allowTrailingComma: true }) as { mcpServers?: object | null };
    expect(value).toEqual({ ...old, mcpServers: { ...old.mcpServers, skills: { url: remote.url } } });
    expect(result.text.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    expect(/[^\r]\n/.test(result.text)).toBe(!text.includes('\r\n') && result.text.includes('\n'));
    for (const comment of text.match(/(?<!:)\/\/.*|\/\*.*?\*\//g) ?? []) expect(result.text).toContain(comment.trim());
  });

  test('indents as the file does', () => {
    expect(edit('cursor', '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n').text).toBe(
      `{\n\t"mcpServers": {\n\t\t"a": {},\n\t\t"skills": {\n\t\t\t"url": "${remote.url}"\n\t\t}\n\t}\n}\n`,
    );
  });

  test('lists the inputs of VS Code, each once', () => {
    const one = edit(
      'vscode',
      '{\n  "inputs": [\n    { "id": "mine" } // mine\n  ],\n  "servers": {}\n}\n',
      withToken,
    ).text;
    expect(parseJsonc(one)).toMatchObject({
      inputs: [{ id: 'mine' }, { id: 'skills-token', password: true }],
      servers: { skills: { headers: { Authorization: `Bearer ${dollar}{input:skills-token}` } } },
    });
    expect(one).toContain('// mine');
    expect(edit('vscode', one, withToken)).toEqual({ text: one, change: 'unchanged' });
    const two = edit('vscode', one, { ...withToken, name: 'more' }).text;
    expect((parseJsonc(two) as { inputs: unknown[] }).inputs).toHaveLength(2);
  });

  test('does nothing if the server is already there', () => {
    const { text } = edit('cursor', before);
    expect(edit('cursor', text)).toEqual({ text, change: 'unchanged' });
  });

  test("changes a server of that name only if asked to, and keeps the user's additions", () => {
    const there =
      '{\n  "mcpServers": {\n    "skills": {\n      // mine\n      "command": "old",\n      "timeout": 5\n    }\n  }\n}\n';
    expect(failure(() => edit('cursor', there))).toMatchObject({ code: 'USAGE' });
    const { text, change } = edit('cursor', there, remote, true);
    expect(change).toBe('replaced');
    expect(parseJsonc(text)).toEqual({ mcpServers: { skills: { timeout: 5, url: remote.url } } });
  });

  test.each([
    ['broken JSON', '{ "mcpServers": '],
    ['a list', '[]'],
    ['servers that are a list', '{ "mcpServers": [] }'],
    ['a server that is a text', '{ "mcpServers": { "skills": "x" } }'],
    ['keys that appear twice', '{ "mcpServers": { "a": {} }, "mcpServers": { "b": {} } }'],
  ])('refuses %s and explains what to add by hand', (_, text) => {
    const error = failure(() => edit('cursor', text, remote, true));
    expect(error.code).toBe('HOST_FILE_UNUSABLE');
    expect(error.message).toContain(remote.url);
  });
});

describe('editHostText() on TOML', () => {
  const before =
    '# my settings\nmodel = "x" # why\n\n[mcp_servers.github] # theirs\nurl = "https://x"\n\n[tui]\ntheme = "dark"\n';

  test('adds a table at the end and keeps every line', () => {
    const { text, change } = edit('codex', before, withToken);
    expect(change).toBe('added');
    expect(text.startsWith(before)).toBe(true);
    expect(parseToml(text)).toEqual({
      model: 'x',
      mcp_servers: { github: { url: 'https://x' }, skills: { url: remote.url, bearer_token_env_var: 'SKILLS_TOKEN' } },
      tui: { theme: 'dark' },
    });
  });

  test('adds a table if the file does not end with a newline', () => {
    const { text } = edit('codex', 'model = "x"');
    expect(parseToml(text)).toEqual({ model: 'x', mcp_servers: { skills: { url: remote.url } } });
  });

  const there = [
    '[mcp_servers."skills"] # ours',
    'command = "npx"',
    'args = [',
    '  "a", # first',
    '  "[mcp_servers.skills]",',
    ']',
    '# how long we wait',
    'startup_timeout_sec = 20',
    '[mcp_servers.skills.env]',
    'A = "1"',
    '',
    '# the screen',
    '[tui]',
    'theme = "dark"',
    '',
  ].join('\n');

  test("changes only the keys that differ, and keeps the user's additions", () => {
    expect(failure(() => edit('codex', there)).code).toBe('USAGE');
    const { text } = edit('codex', there, remote, true);
    expect(parseToml(text)).toEqual({
      mcp_servers: { skills: { url: remote.url, startup_timeout_sec: 20, env: { A: '1' } } },
      tui: { theme: 'dark' },
    });
    expect(text).toBe(
      [
        '[mcp_servers."skills"] # ours',
        `url = "${remote.url}"`,
        '# how long we wait',
        'startup_timeout_sec = 20',
        '[mcp_servers.skills.env]',
        'A = "1"',
        '',
        '# the screen',
        '[tui]',
        'theme = "dark"',
        '',
      ].join('\n'),
    );
    expect(edit('codex', text, remote, true)).toEqual({ text, change: 'unchanged' });
  });

  test.each([
    ['broken TOML', 'model = '],
    ['servers in one line, which no table can follow', 'mcp_servers = { github = { url = "https://x" } }\n'],
    ['a server in one line', '[mcp_servers]\nskills = { url = "https://x" }\n'],
    ['dotted keys', 'mcp_servers.skills.url = "https://x"\n'],
  ])('refuses %s', (_, text) => {
    expect(failure(() => edit('codex', text, remote, true)).code).toBe('HOST_FILE_UNUSABLE');
  });

  test('keeps dates and large numbers unchanged', () => {
    const unusual = 'when = 2026-11-16T06:00:00Z\nbig = 9007199254740993\nnot = nan\n';
    expect(edit('codex', unusual).text.startsWith(unusual)).toBe(true);
  });
});

describe('editHostText() on YAML', () => {
  const before = [
    '# my settings',
    'GOOSE_MODEL: x # why',
    'extensions:',
    '    # theirs',
    '    developer:',
    '        enabled: true',
    '        args: [ "a", "b" ] # two',
    '',
    'after: |',
    '  extensions:',
    '    text',
    '',
  ].join('\n');

  test('adds a server and keeps every line', () => {
    const { text, change } = edit('goose', before, withToken);
    expect(change).toBe('added');
    keepsLines(before, text);
    expect(load(text)).toMatchObject({
      GOOSE_MODEL: 'x',
      extensions: {
        developer: { enabled: true, args: ['a', 'b'] },
        skills: {
          uri: remote.url,
          headers: { Authorization: `Bearer ${dollar}{SKILLS_TOKEN}` },
          env_keys: ['SKILLS_TOKEN'],
        },
      },
      after: 'extensions:\n  text\n',
    });
  });

  test.each([
    ['no extensions', 'GOOSE_MODEL: x\n'],
    ['no end of the last line', 'GOOSE_MODEL: x'],
    ['extensions that are empty', 'extensions: {}\nGOOSE_MODEL: x\n'],
    ['extensions without a value', 'extensions: # none\nGOOSE_MODEL: x\n'],
    ['lines that end as on Windows', 'extensions:\r\n  a:\r\n    enabled: true\r\nGOOSE_MODEL: x\r\n'],
  ])('adds a server if there is %s', (_, text) => {
    const result = edit('goose', text);
    expect(load(result.text)).toMatchObject({ GOOSE_MODEL: 'x', extensions: { skills: { uri: remote.url } } });
    expect(/[^\r]\n/.test(result.text)).toBe(!text.includes('\r\n'));
  });

  test("changes only the keys that differ, and keeps the user's additions", () => {
    const there = [
      'extensions:',
      '  skills:',
      '    type: stdio',
      '    cmd: npx',
      '    args:',
      '      - a # one',
      '      - b',
      '    # how it looks',
      '    display_name: Ours',
      '    enabled: false',
      '',
      '  # the next one',
      '  other:',
      '    enabled: true',
      '',
    ].join('\n');
    expect(failure(() => edit('goose', there)).code).toBe('USAGE');
    const { text } = edit('goose', there, remote, true);
    expect(text).toBe(
      [
        'extensions:',
        '  skills:',
        '    type: streamable_http',
        '    name: skills',
        `    uri: "${remote.url}"`,
        '    enabled: true',
        '    timeout: 300',
        '    # how it looks',
        '    display_name: Ours',
        '',
        '  # the next one',
        '  other:',
        '    enabled: true',
        '',
      ].join('\n'),
    );
    expect(edit('goose', text, remote, true)).toEqual({ text, change: 'unchanged' });
  });

  test.each([
    ['broken YAML', 'extensions: [\n'],
    ['a text', 'hello\n'],
    ['extensions in one line', 'extensions: { a: { enabled: true } }\n'],
    ['an alias for the server', 'x: &x\n  enabled: true\nextensions:\n  skills: *x\n'],
  ])('refuses %s', (_, text) => {
    expect(failure(() => edit('goose', text, remote, true)).code).toBe('HOST_FILE_UNUSABLE');
  });
});

describe('editHostText() on any file', () => {
  const name = fc.stringMatching(/^[a-z]{1,6}$/).filter((text) => text !== 'skills');
  const row = fc.record({
    above: fc.boolean(),
    behind: fc.constantFrom('', 'line', 'block'),
    comma: fc.constantFrom('behind', 'before comment', 'own line'),
    value: fc.constantFrom('1', '{ "url": "https://a" }', '{}', '[1, 2]', '{\n      "x": "// no comment, }"\n    }'),
  });
  const rows = fc.uniqueArray(fc.tuple(name, row), { selector: ([key]) => key, maxLength: 5 });

  /** A mapping with comments everywhere, numbered so that each can be found again. */
  function mapping(
    entries: readonly (readonly [string, { above: boolean; behind: string; comma: string; value: string }])[],
    trailing: boolean,
  ): string {
    let number = 0;
    const lines = entries.map(([key, { above, behind, comma, value }], index) => {
      const comment = behind === '' ? '' : behind === 'line' ? ` // c${++number};` : ` /* c${++number}; */`;
      const separator = index < entries.length - 1 || trailing ? ',' : '';
      const end =
        comma === 'own line'
          ? `${comment}\n    ${separator}`
          : behind === 'block' && comma === 'behind'
            ? `${comment}${separator}`
            : `${separator}${comment}`;
      return `${above ? `    // c${++number};\n` : ''}    "${key}": ${value}${end}\n`;
    });
    return `{\n${lines.join('')}  }`;
  }

  test('keeps every comment and all other content of JSON, in order', () => {
    fc.assert(
      fc.property(rows, rows, fc.boolean(), fc.boolean(), (servers, others, trailing, first) => {
        const parts = [
          `  "mcpServers": ${mapping(servers, trailing && servers.length > 0)}`,
          `  "other": ${mapping(others, false)}`,
        ];
        const before = `{\n${(first ? parts : parts.reverse()).join(', // between;\n')}\n}\n`;
        const { text } = edit('cursor', before);
        const comments = (source: string): readonly string[] => source.match(/(?:c\d+|between);/g) ?? [];
        expect(comments(text)).toEqual(comments(before));
        const read = (source: string): Record<string, object> => parseJsonc(source, [], { allowTrailingComma: true });
        const old = read(before);
        expect(read(text)).toEqual({ ...old, mcpServers: { ...old.mcpServers, skills: { url: remote.url } } });
      }),
    );
  });
});

test('editHostText() refuses a file that is too long', () => {
  expect(failure(() => edit('cursor', `{}${' '.repeat(17 * 1024 * 1024)}`)).code).toBe('HOST_FILE_UNUSABLE');
});
