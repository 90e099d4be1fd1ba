import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import { executableMetaKey, type JsonValue, type SkillEntry } from '../../skill/entry.ts';
import { hidesText, requestsOf } from './skill-requests.ts';

const skill = 'skill://acme/refunds/SKILL.md';
const uri = (path: string): string => `skill://acme/refunds/${path}`;

function entryOf(
  fields: Record<string, JsonValue>,
  paths: readonly string[] = [],
  meta?: Record<string, unknown>,
): SkillEntry {
  return {
    uri: skill,
    frontmatter: { name: 'refunds', description: 'Pays money back', ...fields },
    resources: ['SKILL.md', ...paths].map((path) => ({ uri: uri(path), digest: `sha256:${'0'.repeat(64)}`, size: 1 })),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

const nothing = {
  scripts: [],
  executionFields: [],
  shellInText: [],
  allowedTools: [],
  hosts: [],
  nested: [],
  hidden: [],
};

describe('asksOf()', () => {
  test('finds nothing in a skill of plain text', () => {
    const fields = { license: 'MIT', 'disable-model-invocation': true, metadata: { version: '1.0', author: 'a' } };
    const entry = entryOf(fields, ['references/guide.md', 'assets/logo.png', 'data.csv', 'manuscripts/a.txt']);
    const texts = new Map([[skill, '# Refunds\n\nUse `git status`! Great.\n']]);
    expect(requestsOf(entry, texts)).toEqual(nothing);
    expect(requestsOf({ ...entry, resources: 'dynamic' })).toEqual(nothing);
  });

  test('finds scripts by extension, folder, name, executable bit and first line', () => {
    const paths = [
      'a.py',
      'B.SH',
      'scripts/data.txt',
      'x/bin/tool',
      'Makefile',
      'marked.txt',
      'first-line',
      'plain.txt',
    ];
    const entry = entryOf({}, paths, { [executableMetaKey]: [uri('marked.txt')] });
    const texts = new Map([[uri('first-line'), '#!/bin/sh\n']]);
    expect(requestsOf(entry, texts).scripts).toEqual(paths.filter((path) => path !== 'plain.txt'));
    expect(requestsOf({ ...entry, resources: 'dynamic' }, texts).scripts).toEqual(['first-line']);
    expect(requestsOf(entryOf({}, ['x'], { [executableMetaKey]: 'x' })).scripts).toEqual([]);
  });

  test('finds fields that make a client execute something, at any depth and in any spelling', () => {
    const fields = {
      hooks: { PreToolUse: [{ command: 'x' }] },
      metadata: { tool: { install: ['brew'], 'post-install': 'x' }, list: [{ Shell: 'zsh' }] },
      mcp_servers: {},
      mcpServers: {},
    };
    expect(requestsOf(entryOf(fields)).executionFields).toEqual([
      'hooks',
      'metadata.tool.install',
      'metadata.tool.post-install',
      'metadata.list[0].Shell',
      'mcp_servers',
      'mcpServers',
    ]);
  });

  test('finds commands that run before the model sees the text, with their location', () => {
    const texts = new Map([
      [skill, 'a\r\nStatus: !`git status`\r\n```!\nrm -rf x\n```\n'],
      [uri('notes.md'), 'see !`ls\u202e`'],
      [uri('code.rb'), 'x = !`ls`'],
    ]);
    expect(requestsOf(entryOf({}), texts).shellInText).toEqual([
      'SKILL.md:2: Status: !`git status`',
      'SKILL.md:3: ```!',
      'notes.md:1: see !`ls\\u{202e}`',
    ]);
    expect(requestsOf(entryOf({}), new Map([[skill, '!`x`\n'.repeat(1000)]])).shellInText.length).toBe(20);
  });

  test.each<[value: JsonValue, tools: readonly string[]]>([
    ['Read Write', ['Read', 'Write']],
    ['Read, Bash(git add:*, git commit:*),Write Read', ['Read', 'Bash(git add:*, git commit:*)', 'Write']],
    [
      ['Read', 'Bash(ls:*)', { Write: 'x' }],
      ['Read', 'Bash(ls:*)', 'Write'],
    ],
    ['', []],
    [null, []],
    [true, ['true']],
    ['a(b', ['a(b']],
    ['a) b', ['a)', 'b']],
  ])('reads allowed-tools %j', (value, tools) => {
    expect(requestsOf(entryOf({ 'allowed-tools': value })).allowedTools).toEqual(tools);
  });

  test('reads allowed-tools in other spellings too', () => {
    expect(requestsOf(entryOf({ allowedTools: 'Read', allowed_tools: 'Write' })).allowedTools).toEqual([
      'Read',
      'Write',
    ]);
  });

  test('finds hosts in every field and text, sorted, and counts those not shown', () => {
    const texts = new Map([[uri('x.sh'), 'curl https://b.test']]);
    const fields = { metadata: { home: ['https://c.test'] }, license: 'https://a.test/license' };
    expect(requestsOf(entryOf(fields), texts).hosts).toEqual(['a.test', 'b.test', 'c.test']);
    const flood = Array.from({ length: 150 }, (_, index) => `https://h${index}.test`).join(' ');
    const { hosts } = requestsOf(entryOf({}), new Map([[skill, flood]]));
    expect(hosts.length).toBe(101);
    expect(hosts.at(-1)).toBe('... and 50 more');
  });

  test('finds skills inside the skill', () => {
    const entry = entryOf({}, ['inner/SKILL.md', 'other/skill.md', 'MYSKILL.md']);
    expect(requestsOf(entry).nested).toEqual([uri('inner/SKILL.md'), uri('other/skill.md')]);
  });

  test('reports hidden characters with their location', () => {
    const fields = { description: 'a\u{e0041}\u{e0042}b', metadata: { 'k\u202e': 'x' } };
    const texts = new Map([[uri('a.md'), '\ufeffok\u200b']]);
    expect(requestsOf(entryOf(fields), texts).hidden).toEqual([
      'description: 2 tag characters (U+E0000 to U+E007F), which can carry hidden text',
      'the key metadata["k\\u{202e}"]: 1 bidirectional control, which can change the order of text',
      'a.md: 1 invisible character',
    ]);
  });
});

describe('hidesText()', () => {
  test.each(['\u{e0041}', '\u202e', '\u2066', 'a\u{e0101}'])('is true for %j in a field or a text', (text) => {
    expect(hidesText(entryOf({ license: `x${text}` }))).toBe(true);
    expect(hidesText(entryOf({}), new Map([[skill, `x ${text}`]]))).toBe(true);
  });

  test('is false for normal text: joiners in emoji, zero-width spaces, a byte-order mark, control characters', () => {
    expect(hidesText(entryOf({ license: '\u{1f468}\u200d\u{1f4bb} a\u200bb' }))).toBe(false);
    expect(hidesText(entryOf({}), new Map([[skill, '\ufeffa\u001b\u2764\ufe0f']]))).toBe(false);
  });
});

test('hidesText() caches the result for an immutable entry, never for a text or a mutable entry', () => {
  const plain = deepFreeze(entryOf({}));
  expect(hidesText(plain)).toBe(false);
  expect(hidesText(plain, new Map([[skill, 'x \u202e']]))).toBe(true);
  expect(hidesText(plain)).toBe(false);
  const hiding = deepFreeze(entryOf({ license: 'x\u202e' }));
  expect([hidesText(hiding), hidesText(hiding)]).toEqual([true, true]);
  const open = entryOf({});
  expect(hidesText(open)).toBe(false);
  (open.frontmatter as Record<string, JsonValue>)['license'] = 'x\u202e';
  expect(hidesText(open)).toBe(true);
});
