import { describe, expect, test } from 'vitest';
import { findingRules } from './finding-rules.ts';
import { readFrontmatter } from './frontmatter.ts';

const encoder = new TextEncoder();

interface Case {
  readonly rule: keyof typeof findingRules;
  readonly what: string;
  readonly input: string;
  readonly line?: number;
  readonly message?: string;
  readonly remedy?: string;
}

/** Frontmatter that is valid except for the given lines, which start in line 4. */
function withLines(...lines: readonly string[]): string {
  return ['---', 'name: a-b', 'description: Text.', ...lines, '---', 'Body', ''].join('\n');
}

const cases: readonly Case[] = [
  {
    rule: 'frontmatter-unknown-key',
    what: 'another field',
    input: withLines('user-invocable: "x"'),
    line: 4,
    message: 'the field "user-invocable" is not in the Agent Skills specification',
  },
  { rule: 'frontmatter-field-type', what: 'a license that is not text', input: withLines('license: [MIT]'), line: 4 },
  { rule: 'frontmatter-field-type', what: 'tools as a list', input: withLines('allowed-tools:', '  - Bash'), line: 4 },
  {
    rule: 'frontmatter-not-listed',
    what: 'compatibility that is not text',
    input: withLines('compatibility: {a: b}'),
    line: 4,
  },
  { rule: 'frontmatter-not-listed', what: 'empty compatibility', input: withLines('compatibility: ""'), line: 4 },
  {
    rule: 'frontmatter-not-listed',
    what: 'long compatibility',
    input: withLines(`compatibility: ${'x'.repeat(501)}`),
    line: 4,
  },
  { rule: 'frontmatter-not-listed', what: 'metadata that is a list', input: withLines('metadata: [a]'), line: 4 },
  {
    rule: 'frontmatter-not-listed',
    what: 'metadata with a number',
    input: withLines('metadata:', '  author: x', '  version: 1.0'),
    line: 4,
    message:
      'the field "metadata" contains values that are not text: "version"; the official MCP client rejects listings with this skill, so it is not listed',
  },
  {
    rule: 'frontmatter-reserved-key',
    what: 'a reserved metadata key',
    input: withLines('metadata:', '  a: x', '  io.modelcontextprotocol/b: x'),
    line: 6,
    message: 'the metadata key "io.modelcontextprotocol/b" is reserved',
  },
  { rule: 'name-missing', what: 'no name', input: '---\ndescription: a\n---\n', line: 1 },
  { rule: 'name-missing', what: 'a name without value', input: '---\ndescription: a\nname:\n---\n', line: 3 },
  ...[
    ['pdf--x', 'contains two hyphens in a row', 'write "name: pdf-x"'],
    ['-pdf', 'starts with a hyphen', 'write "name: pdf"'],
    ['PDF', 'contains upper-case letters', 'write "name: pdf"'],
    ['a'.repeat(65), 'has 65 characters; at most 64 are allowed', `write "name: ${'a'.repeat(64)}"`],
    ['cafe\u0301', 'contains letters or digits other than a-z and 0-9', 'write "name: cafe"'],
    ['\u6280\u80fd', 'contains letters or digits other than a-z and 0-9', 'choose a name such as "pdf-tools"'],
    ['2026', 'is not text', 'write "name: \'2026\'"'],
  ].map(
    ([name, fault, remedy]): Case => ({
      rule: 'name-invalid',
      what: `the name ${name?.slice(0, 10)}`,
      input: `---\nname: ${name}\ndescription: a\n---\n`,
      line: 2,
      message: `the name "${name}" ${fault}`,
      ...(remedy === undefined ? {} : { remedy }),
    }),
  ),
  {
    rule: 'name-invalid',
    what: 'a list as the name',
    input: '---\nname: [a]\ndescription: a\n---\n',
    message: 'the name is not text',
  },
  {
    rule: 'name-invalid',
    what: 'an empty name',
    input: '---\nname: ""\ndescription: a\n---\n',
    message: 'the name "" is empty',
  },
  { rule: 'description-missing', what: 'no description', input: '---\nname: a\n---\n', line: 1 },
  {
    rule: 'description-missing',
    what: 'a description without value',
    input: '---\nname: a\ndescription:\n---\n',
    line: 3,
  },
  {
    rule: 'description-invalid',
    what: 'a description that is a list',
    input: '---\nname: a\ndescription: [a]\n---\n',
    line: 3,
  },
  {
    rule: 'description-invalid',
    what: 'a description that is a number',
    input: '---\nname: a\ndescription: 1\n---\n',
    line: 3,
  },
  {
    rule: 'description-invalid',
    what: 'a blank description',
    input: '---\nname: a\ndescription: " \\n"\n---\n',
    line: 3,
  },
  {
    rule: 'description-invalid',
    what: 'a long description',
    input: `---\nname: a\ndescription: ${'\u{1f600}'.repeat(1_025)}\n---\n`,
    line: 3,
    message: 'the description has 1025 characters; at most 1024 are allowed',
  },
  ...['\\e', '\\0', '\\r', '\\x7f', '\\N'].map(
    (escaped): Case => ({
      rule: 'description-invalid',
      what: `the control character ${escaped}`,
      input: `---\nname: a\ndescription: "a${escaped}"\n---\n`,
      line: 3,
    }),
  ),
];

const fieldRule = /^(?:name|description)-|^frontmatter-(?:unknown-key|field-type|not-listed|reserved-key)$/;
/** Raised where the folder or the other skills are known. */
const raisedElsewhere = new Set(['name-differs-from-folder', 'name-not-unique']);

describe('readFrontmatter() applies', () => {
  test.each(cases)('$rule to $what', ({ rule, input, line, message, remedy }) => {
    const { ok, findings } = readFrontmatter(encoder.encode(input));
    const found = findings.find((item) => item.rule === rule && (message === undefined || item.message === message));
    expect(found, JSON.stringify(findings, undefined, 1)).toMatchObject({
      level: findingRules[rule].level,
      ...(line === undefined ? {} : { line }),
      ...(remedy === undefined ? {} : { remedy }),
    });
    expect(ok).toBe(findings.every(({ level }) => level !== 'problem'));
  });

  test('every rule about the fields', () => {
    const tested = new Set<string>(cases.map(({ rule }) => rule));
    const rules = Object.keys(findingRules).filter((rule) => fieldRule.test(rule) && !raisedElsewhere.has(rule));
    expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
  });
});
