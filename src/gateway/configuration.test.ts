import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { configurationJsonSchema, parseConfiguration } from './configuration.ts';
import type { ConfigurationFault } from './configuration-faults.ts';

function refusal(text: string): SkillwireError {
  try {
    parseConfiguration(text, 'skillwire.json');
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'CONFIG_INVALID') return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

function faults(text: string): readonly ConfigurationFault[] {
  return refusal(text).data.faults as readonly ConfigurationFault[];
}

function places(text: string): string[] {
  return faults(text).map(({ line, column, path, rule }) => `${line}:${column} ${path} | ${rule}`);
}

describe('parseConfiguration()', () => {
  test('reads folders as text and as objects, and rules, in the order of the file', () => {
    const text = `{
      "$schema": "https://skillwire.dev/schema/skillwire.json",
      "origins": { "docs": "./skills", "team.a": { "folder": "../a", "nested": false }, "b": { "folder": "/b" } },
      "rules": [{ "match": "drafts/", "listed": false }, { "match": "*-internal", "listed": true }]
    }`;
    expect(parseConfiguration(text, 'skillwire.json')).toEqual({
      origins: [
        { label: 'docs', folder: './skills' },
        { label: 'team.a', folder: '../a', nested: false },
        { label: 'b', folder: '/b' },
      ],
      rules: [
        { match: 'drafts/', listed: false },
        { match: '*-internal', listed: true },
      ],
    });
  });

  test('has no rules if none are given, and accepts a byte-order mark', () => {
    const read = { origins: [{ label: 'a', folder: 'x' }], rules: [] };
    expect(parseConfiguration('\uFEFF{"origins":{"a":"x"}}', 'f')).toEqual(read);
    expect(parseConfiguration('{"origins":{}}', 'f')).toEqual({ origins: [], rules: [] });
  });

  test('reads an endpoint for search by meaning, and refuses one with a secret in it', () => {
    const read = (embeddings: unknown) =>
      parseConfiguration(JSON.stringify({ origins: {}, search: { embeddings } }), 'skillwire.json').search;
    const url = 'https://api.example.com/v1/embeddings';
    expect(read({ url, model: 'small' })).toEqual({ embeddings: { url, model: 'small' } });
    const all = { url: 'http://gpu.lan:8080/e?v=1', model: 'm', keyEnv: 'KEY_1', insecureHttp: true };
    expect(read(all)).toEqual({ embeddings: all });
    expect(read(undefined)).toEqual({});
    for (const bad of [
      'api.example.com',
      'file:///etc/passwd',
      'https://',
      `${url}#x`,
      'https://me:secret@example.com/v1',
    ])
      expect(() => read({ url: bad, model: 'small' }), bad).toThrow('"url" must be a URL such as');
    expect(() => read({ url })).toThrow('search.embeddings.model');
    expect(() => read({ url, model: 'small', keyEnv: 'sk-123' })).toThrow(
      '"keyEnv" must be the name of an environment variable',
    );
    expect(() => read({ url, model: 'small', key: 'sk-123' })).toThrow(
      'use "url", "model", "keyEnv" or "insecureHttp"',
    );
    expect(() => read('https://example.com')).toThrow('"embeddings" must be an object with "url" and "model"');
  });

  test('reads which live skills are pinned, and refuses invalid durations', () => {
    const read = (pin: unknown) => parseConfiguration(JSON.stringify({ origins: {}, pin }), 'skillwire.json');
    expect(read([{ match: 'mdp/shop/', for: '30d' }, { match: 'mdp/**' }]).pin).toEqual([
      { match: 'mdp/shop/', forMs: 2_592_000_000 },
      { match: 'mdp/**' },
    ]);
    expect(() => read([{ match: 'mdp/', for: '1w' }])).toThrow('"30d", "12h" or "45m", not "1w"; write "30d"');
    expect(() => read([{ match: 'mdp/', until: '1d' }])).toThrow('use "match" or "for"');
    expect(() => read({})).toThrow('"pin" must be a list');
  });

  test('reports all faults together with file, line, column, field, rule and remedy', () => {
    const text = `{
  "origin": {},
  "origins": { "Docs": "./x", "ok": { "folder": 7, "nest": true } },
  "rules": [{ "match": "a" }]
}`;
    const error = refusal(text);
    expect(error.message).toBe(
      [
        'The configuration "skillwire.json" has 5 errors:',
        '  skillwire.json:2:3  origin: unknown key "origin"; use "$schema", "origins", "rules", "pin", "agents", "policy", "install", "signers", "profiles", "access", "search", "surfaces", "store" or "limits", or remove it',
        '  skillwire.json:3:16  origins.Docs: a label is 1 to 64 of a-z and 0-9, with "-", "_" and "." inside; choose another label, for example "team-docs"',
        '  skillwire.json:3:49  origins.ok.folder: a folder must be a string, not 7; write a folder such as "./skills"',
        '  skillwire.json:3:52  origins.ok.nest: unknown key "nest"; use "folder", "archive", "mcp", "stdio", "site", "mdp", "git", "agent", "nested", "agentFolders", "publish", "insecureHttp", "auth", "headers", "env", "assumeSkills", "dialect", "forbidDialects", "fetch", "traceparent", "ttl", "deadline", "stale", "concurrency", "prefix", "include", "exclude", "listed" or "pin", or remove it',
        '  skillwire.json:4:13  rules[0].listed: the key "listed" is missing; add "listed": false',
      ].join('\n'),
    );
    expect(error.data).toMatchObject({ file: 'skillwire.json', count: 5 });
    expect(faults(text)[0]).toEqual({
      line: 2,
      column: 3,
      path: 'origin',
      rule: 'unknown key "origin"',
      remedy:
        'use "$schema", "origins", "rules", "pin", "agents", "policy", "install", "signers", "profiles", "access", "search", "surfaces", "store" or "limits", or remove it',
    });
  });

  test.each([
    ['[]', ['1:1  | the configuration must be an object, not a list']],
    ['null', ['1:1  | the configuration must be an object, not null']],
    ['{}', ['1:1 origins | the key "origins" is missing']],
    ['{"origins":[]}', ['1:12 origins | "origins" must be an object of labels and origins, not a list']],
    ['{"origins":{},"$schema":1}', ['1:25 $schema | "$schema" must be a string, not 1']],
    [
      '{"origins":{"a":1}}',
      [
        '1:17 origins.a | an origin must be a string such as "./skills", or an object such as {"folder": "./skills"}, not 1',
      ],
    ],
    [
      '{"origins":{"a":""}}',
      ['1:17 origins.a | a folder must be a string of at least one character, without NUL, not ""'],
    ],
    [
      '{"origins":{"a":"x\\u0000"}}',
      ['1:17 origins.a | a folder must be a string of at least one character, without NUL, not "x\\u0000"'],
    ],
    ['{"origins":{"a":"agent:no agent"}}', [expect.stringMatching(/^1:17 origins\.a \| cannot read "agent:no agent"/)]],
    [
      '{"origins":{"a.b":{}}}',
      [
        '1:19 origins["a.b"] | an origin must have one of "folder", "archive", "mcp", "stdio", "site", "mdp", "git", "agent"',
      ],
    ],
    [
      '{"origins":{"a":{"folder":"x","nested":"no"}}}',
      ['1:40 origins.a.nested | "nested" must be true or false, not "no"'],
    ],
    ['{"origins":{},"rules":{}}', ['1:23 rules | "rules" must be a list, not an object']],
    ['{"origins":{},"rules":["x"]}', ['1:24 rules[0] | a rule must be an object with "match" and "listed", not "x"']],
    [
      '{"origins":{},"rules":[{"match":"a","listed":1,"x":2}]}',
      ['1:46 rules[0].listed | "listed" must be true or false, not 1', '1:48 rules[0].x | unknown key "x"'],
    ],
  ])('refuses %s', (text, expected) => {
    expect(places(text)).toEqual(expected);
  });

  test.each([[''], [' '], ['#a'], ['!a'], ['/'], ['a\\'], ['a\nb']])('refuses the pattern %j', (match) => {
    const text = JSON.stringify({ origins: {}, rules: [{ match, listed: false }] });
    expect(places(text)).toEqual([expect.stringMatching(/^1:\d+ rules\[0\]\.match \| a pattern must be one line/)]);
  });

  test.each([['a'], ['drafts/'], ['*-internal'], ['team-a/**'], ['/top'], ['\\#a'], ['a\\ ']])(
    'accepts the pattern %j',
    (match) => {
      const text = JSON.stringify({ origins: {}, rules: [{ match, listed: false }] });
      expect(parseConfiguration(text, 'f').rules).toEqual([{ match, listed: false }]);
    },
  );

  test.each([[''], ['A'], ['-a'], ['a.'], ['a b'], ['a/b'], ['a'.repeat(65)]])('refuses the label %j', (label) => {
    expect(places(JSON.stringify({ origins: { [label]: 'x' } }))).toEqual([
      expect.stringContaining('a label is 1 to 64'),
    ]);
  });

  test('refuses repeated keys at any depth', () => {
    expect(places('{"origins":{"a":"x",\n"a":"y"},"rules":[{"match":"a","listed":true,"match":"b"}]}')).toEqual([
      '2:1 origins.a | the key "a" appears twice',
      '2:46 rules[0].match | the key "match" appears twice',
    ]);
  });

  test('refuses the key "__proto__", which readers of JSON drop', () => {
    expect(places('{"origins":{"__proto__":"x"},"__proto__":{}}')).toEqual([
      '1:13 origins.__proto__ | the key "__proto__" is not allowed',
      '1:30 __proto__ | the key "__proto__" is not allowed',
    ]);
  });

  test.each([
    [
      '{\n  // where\n  "origins": {} /* all */\n}',
      ['2:3  | comments are not allowed in JSON', '3:17  | comments are not allowed in JSON'],
    ],
    ['{"origins":{"a":"x", }}', ['1:20  | trailing comma']],
    ['{"origins":{},"rules":[1,\n]}', ['1:25  | trailing comma']],
    ['', ['1:1  | the file is empty']],
    ['{"origins":{}', ['1:14  | expected "}"']],
    ['{"rules":[', ['1:11  | expected "]"']],
    ['{origins:{}}', ['1:2  | invalid JSON']],
    ["{'origins':{}}", ['1:2  | invalid JSON']],
    ['{"origins" {}}', ['1:12  | expected ":"']],
    ['{"a":1 "b":2}', ['1:8  | expected ","']],
    ['{"a":}', ['1:6  | expected a value']],
    ['{"a":"x}', ['1:6  | the string is not closed']],
    ['{"a":"C:\\skills"}', ['1:6  | invalid escape after "\\"']],
    ['{"a":"\\u12"}', ['1:6  | "\\u" needs four hexadecimal digits']],
    ['{"a":"x\ty"}', ['1:6  | a string cannot contain line breaks or control characters']],
    ['{} {}', ['1:4  | unexpected text after the object']],
    ['{1:2}', ['1:2  | expected a key in double quotes']],
  ])('refuses invalid JSON: %j', (text, expected) => {
    expect(places(text)).toEqual(expected);
  });

  test('counts lines that end in CRLF once', () => {
    expect(places('{\r\n"origins":{},\r\n"x":1}')).toEqual(['3:1 x | unknown key "x"']);
  });

  test('refuses more bytes and more nesting than the limits', () => {
    const large = `{"origins":{}}${' '.repeat(limits.configuration.bytes)}`;
    expect(faults(large)[0]?.rule).toContain(`at most ${limits.configuration.bytes} bytes`);
    expect(faults('['.repeat(100_000))[0]?.rule).toContain('levels deep');
  });

  test('lists a limited number of faults and their total', () => {
    const rules = new Array(1_000).fill(1);
    const error = refusal(JSON.stringify({ origins: {}, rules }));
    expect(error.message).toContain('has 1000 errors');
    expect(error.message).toContain(`and ${1_000 - limits.configuration.faults} more`);
    expect(error.data.faults).toHaveLength(limits.configuration.faults);
  });
});

describe('configurationJsonSchema()', () => {
  test('equals schema/skillwire.json', () => {
    const committed = readFileSync(new URL('../../schema/skillwire.json', import.meta.url), 'utf8');
    expect(committed).toBe(`${JSON.stringify(configurationJsonSchema(), null, 2)}\n`);
  });

  test('names itself and allows no unknown keys', () => {
    expect(configurationJsonSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://skillwire.dev/schema/skillwire.json',
      title: 'Skillwire configuration',
      required: ['origins'],
      additionalProperties: false,
    });
  });
});
