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

const laughs = ['a: &a [x, x, x, x, x, x, x, x, x]'];
for (const [now, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih']) {
  laughs.push(`${now}: &${now} [${Array(9).fill(`*${before}`).join(', ')}]`);
}

const cases: readonly Case[] = [
  {
    rule: 'frontmatter-too-large',
    what: 'more than 64 KiB',
    input: `---\n${'a'.repeat(5_000_000)}\n---\n`,
    line: 1,
    message: 'the frontmatter has 5,000,001 bytes; at most 65,536 are allowed',
  },
  {
    rule: 'frontmatter-too-large',
    what: 'deep nesting',
    input: withLines(`x: ${'['.repeat(40)}${']'.repeat(40)}`),
    line: 4,
    message: 'the frontmatter is nested deeper than 32 levels',
  },
  {
    rule: 'frontmatter-too-large',
    what: 'many values',
    input: withLines(`x: [${'1,'.repeat(5_000)}]`),
    message: 'the frontmatter contains more than 2,000 values',
  },
  {
    rule: 'frontmatter-too-large',
    what: 'a few more values than allowed',
    input: withLines(`x: [${'a,'.repeat(1_997)}]`),
    message: 'the frontmatter contains 2,001 values with aliases expanded; at most 2,000 are allowed',
  },
  {
    rule: 'frontmatter-too-large',
    what: 'a billion laughs',
    input: withLines(...laughs.slice(0, 7)),
    message: 'the frontmatter contains 6,053,446 values with aliases expanded; at most 2,000 are allowed',
  },
  {
    rule: 'frontmatter-too-large',
    what: 'more than 64 aliases',
    input: withLines('x: &x a', `y: [${'*x ,'.repeat(65)}]`),
    message: 'the frontmatter has 65 aliases; at most 64 are allowed',
  },
  {
    rule: 'frontmatter-too-large',
    what: 'depth by aliases',
    input: withLines(
      'x0: &x0 [a]',
      ...Array.from({ length: 40 }, (_, index) => `x${index + 1}: &x${index + 1} [*x${index}]`),
    ),
    message: 'the frontmatter has 42 nested levels with aliases expanded; at most 32 are allowed',
  },
  {
    rule: 'frontmatter-yaml',
    what: 'a tab as indentation',
    input: withLines('metadata:', '\ta: b'),
    line: 5,
    message: 'the YAML cannot be read at column 1: tab characters must not be used in indentation',
    remedy: 'indent with spaces instead of tabs',
  },
  {
    rule: 'frontmatter-yaml',
    what: 'a closing bracket at the edge',
    input: withLines('x: [', '  a', ']'),
    line: 6,
    remedy: 'indent the line; brackets and quotes that span several lines need it',
  },
  { rule: 'frontmatter-yaml', what: 'brackets without an end', input: withLines('x: [a, b'), line: 5 },
  {
    rule: 'frontmatter-yaml',
    what: 'a quote without an end',
    input: withLines('x: "a', 'license: MIT'),
    line: 4,
    remedy: 'write the line as: x: "a"',
  },
  {
    rule: 'frontmatter-yaml',
    what: 'an apostrophe inside single quotes',
    input: withLines("x: 'It's fine'"),
    line: 4,
    remedy: 'write the line as: x: "It\'s fine"',
  },
  {
    rule: 'frontmatter-yaml',
    what: 'text after brackets',
    input: withLines('argument-hint: [file] [mode]'),
    line: 4,
    remedy: 'write the line as: argument-hint: "[file] [mode]"',
  },
  { rule: 'frontmatter-yaml', what: 'NUL', input: withLines('x: a\0b'), line: 4 },
  { rule: 'frontmatter-yaml', what: 'a control character', input: withLines('x: a\u0001b'), line: 4 },
  {
    rule: 'frontmatter-yaml',
    what: 'an alias to nothing',
    input: withLines('x: *nothing'),
    line: 4,
    message: 'the value of "x" is the alias "*nothing", but no anchor has that name',
  },
  {
    rule: 'frontmatter-yaml',
    what: 'two documents after a document end',
    input: withLines('...', 'license: MIT'),
    line: 5,
    message: 'the frontmatter contains 2 YAML documents',
  },
  {
    rule: 'frontmatter-yaml',
    what: 'two documents in a line of dashes',
    input: withLines('--- # more', 'license: MIT'),
    line: 5,
  },
  { rule: 'frontmatter-yaml', what: 'a directive', input: '---\n%YAML 1.1\nname: a\n---\n', line: 3 },
  {
    rule: 'frontmatter-yaml',
    what: 'an escape above the last code point',
    input: withLines('x: "\\\\U00110000 \\U00110000"'),
    line: 4,
    message: 'the value of "x" contains the escape \\U00110000, which is not a Unicode character',
  },
  {
    rule: 'frontmatter-unquoted-colon',
    what: 'a colon in the description',
    input: '---\nname: a\ndescription: Use when: the user asks\n---\n',
    line: 3,
    message: 'the value of "description" contains ": " without quotes',
    remedy: 'write the line as: description: "Use when: the user asks"',
  },
  {
    rule: 'frontmatter-unquoted-colon',
    what: 'quotes and backslashes beside the colon',
    input: '---\nname: a\ndescription: Say: "hi" \\n\n---\n',
    remedy: 'write the line as: description: "Say: \\"hi\\" \\\\n"',
  },
  {
    rule: 'frontmatter-unquoted-colon',
    what: 'a colon in a nested value',
    input: withLines('metadata:', '  a: b: c'),
    line: 5,
    remedy: 'write the line as:   a: "b: c"',
  },
  {
    rule: 'frontmatter-duplicate-key',
    what: 'a field twice',
    input: withLines('license: MIT', 'name: b'),
    line: 5,
    message: 'the key "name" is in line 2 and again in line 5',
  },
  {
    rule: 'frontmatter-duplicate-key',
    what: 'a nested key twice, once in quotes',
    input: withLines('metadata:', '  a: x', '  "a": y'),
    line: 6,
    message: 'the key "a" is in line 5 and again in line 6',
  },
  ...['!!str', '!foo', '!!binary', '!!js/function', '!', '!<tag:a>'].map(
    (tag): Case => ({
      rule: 'frontmatter-tag',
      what: `the tag ${tag}`,
      input: withLines(`x: ${tag} "a"`),
      line: 4,
      message: `the value of "x" has the tag "${tag}"`,
    }),
  ),
  { rule: 'frontmatter-tag', what: 'a tag on a list', input: withLines('x: !!set {a, b}'), line: 4 },
  { rule: 'frontmatter-tag', what: 'a tag on an item', input: withLines('x:', '  - !a b'), line: 5 },
  { rule: 'frontmatter-tag', what: 'a tag on a key', input: withLines('!!str x: a'), line: 4 },
  { rule: 'frontmatter-tag', what: 'a tag on the whole', input: '---\n!!map\nname: a\ndescription: b\n---\n' },
  {
    rule: 'frontmatter-not-a-mapping',
    what: 'a list',
    input: '---\n- a\n- b\n---\n',
    line: 2,
    message: 'the frontmatter is a list',
  },
  {
    rule: 'frontmatter-not-a-mapping',
    what: 'text',
    input: '---\nhello\n---\n',
    message: 'the frontmatter is the single value "hello"',
  },
  { rule: 'frontmatter-not-a-mapping', what: 'nothing', input: '---\n---\n', message: 'the frontmatter is empty' },
  {
    rule: 'frontmatter-not-a-mapping',
    what: 'a comment',
    input: '---\n# a\n\n---\n',
    message: 'the frontmatter is empty',
  },
  {
    rule: 'frontmatter-key',
    what: 'a number as a key',
    input: withLines('1: x'),
    line: 4,
    message: 'the key 1 is a number, not text',
  },
  {
    rule: 'frontmatter-key',
    what: 'null as a key',
    input: withLines('~: x'),
    line: 4,
    message: 'the key ~ is null, not text',
  },
  {
    rule: 'frontmatter-key',
    what: 'a boolean as a key',
    input: withLines('true: x'),
    line: 4,
    message: 'the key true is a boolean, not text',
  },
  {
    rule: 'frontmatter-key',
    what: 'nothing as a key',
    input: withLines(': x'),
    line: 4,
    message: 'the key (nothing) is null, not text',
  },
  { rule: 'frontmatter-key', what: 'a list as a key', input: withLines('? [a]', ': b'), line: 4 },
  { rule: 'frontmatter-key', what: 'a mapping as a key', input: withLines('{a: b}: c'), line: 4 },
  { rule: 'frontmatter-key', what: 'a nested number as a key', input: withLines('metadata:', '  1.5: x'), line: 5 },
  { rule: 'frontmatter-key', what: 'an alias to a list as a key', input: withLines('x: &x [a]', '*x : b'), line: 5 },
  {
    rule: 'frontmatter-key',
    what: '__proto__ as a field',
    input: withLines('__proto__: {a: b}'),
    line: 4,
    message: 'a field is called "__proto__", which hosts refuse',
  },
  ...['.nan', '.inf', '-.INF', '1e400', '9'.repeat(400)].map(
    (text): Case => ({
      rule: 'frontmatter-not-json',
      what: `the number ${text.slice(0, 8)}`,
      input: withLines(`x: ${text}`),
      line: 4,
    }),
  ),
  { rule: 'frontmatter-not-json', what: 'half of a surrogate pair', input: withLines('x: "\\ud800"'), line: 4 },
  {
    rule: 'frontmatter-not-json',
    what: 'half of a surrogate pair in a key',
    input: withLines('"\\udc00": a'),
    line: 4,
  },
  { rule: 'frontmatter-not-json', what: 'an alias to itself', input: withLines('x: &x [*x]'), line: 4 },
  {
    rule: 'frontmatter-not-json',
    what: 'an alias to what is around it',
    input: withLines('x: &x', '  y:', '    - *x'),
    line: 6,
  },
  ...[
    '1',
    '1.10',
    '012',
    '0o17',
    '0x1F',
    '1_000',
    '12:30',
    '1e3',
    'true',
    'No',
    'on',
    'y',
    '~',
    'null',
    '2026-01-02',
    '<<',
  ].map(
    (text): Case => ({
      rule: 'frontmatter-ambiguous-scalar',
      what: `the value ${text}`,
      input: withLines(`x: ${text}`),
      line: 4,
    }),
  ),
  {
    rule: 'frontmatter-ambiguous-scalar',
    what: 'a number that loses digits',
    input: withLines('x: 12345678901234567890'),
    message:
      'the value of "x" is written 12345678901234567890 without quotes, which is the number 12345678901234567000 (digits are lost) ' +
      'in YAML 1.1 and 1.2, but the text "12345678901234567890" for readers that treat every value as text',
  },
  {
    rule: 'frontmatter-ambiguous-scalar',
    what: 'an empty value',
    input: withLines('x:'),
    line: 4,
    message:
      'the value of "x" is missing and is null in YAML 1.1 and 1.2, but empty text for readers that treat every value as text',
  },
  {
    rule: 'frontmatter-ambiguous-scalar',
    what: 'an item of a list',
    input: withLines('x:', '  - a', '  - off'),
    line: 6,
  },
  {
    rule: 'frontmatter-ambiguous-scalar',
    what: 'a key',
    input: withLines('yes: a'),
    line: 4,
    message: 'the key yes is unquoted and is the text "yes" in YAML 1.2, but the boolean true in YAML 1.1',
  },
  { rule: 'frontmatter-ambiguous-scalar', what: 'a merge key', input: withLines('<<: {a: b}'), line: 4 },
  { rule: 'frontmatter-key-order', what: 'a whole number as a key', input: withLines('"10": a'), line: 4 },
  {
    rule: 'frontmatter-key-order',
    what: 'a nested whole number as a key',
    input: withLines('metadata:', "  '0': a"),
    line: 5,
  },
  {
    rule: 'frontmatter-uncommon-yaml',
    what: 'blanks after the first dashes',
    input: withLines().replace('---\n', '--- \t\n'),
    line: 1,
  },
  {
    rule: 'frontmatter-uncommon-yaml',
    what: 'blanks after the last dashes',
    input: withLines().replace('---\nBody', '--- \nBody'),
  },
];

const fileRule = /^skill-md-|^frontmatter-(?:missing|unclosed)$/;
const fieldRule = /^(?:name|description)-|^frontmatter-(?:unknown-key|field-type|not-listed|reserved-key)$/;

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

  test('every rule about the YAML', () => {
    const tested = new Set<string>(cases.map(({ rule }) => rule));
    const rules = Object.keys(findingRules).filter(
      (rule) => rule.startsWith('frontmatter-') && !fileRule.test(rule) && !fieldRule.test(rule),
    );
    expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
  });
});
