import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCommonYaml } from './common-yaml.ts';
import { readFrontmatter, readFully } from './frontmatter.ts';

const encoder = new TextEncoder();

function read(yaml: string): Record<string, unknown> | undefined {
  const fields = readCommonYaml(yaml, 2, () => undefined);
  return fields && Object.fromEntries([...fields].map(([key, { value }]) => [key, value]));
}

/** Both readers give the same value, with keys in the same order, and the same findings. */
function expectEqualReadings(text: string): void {
  const bytes = encoder.encode(text);
  const [quick, full] = [readFrontmatter(bytes), readFully(bytes)];
  expect(quick).toEqual(full);
  expect(JSON.stringify(quick)).toBe(JSON.stringify(full));
}

/** Text that has, or nearly has, a meaning in YAML. */
const words = fc.constantFrom(
  ...['a', 'Use it.', 'a: b', 'a:b', 'a:', ':a', 'a #b', 'a#b', '#a', 'yes', 'No', 'null', '~', 'y', 'true', 'on'],
  ...['12', '1.0', '1.0.0', '0x1f', '0o7', '017', '1_000', '1e3', '.5', '.inf', '-.inf', '.nan', '-1', '+1', '<<', '='],
  ...['2026-11-18', '2026-11-18T10:00:00Z', '12:30', '9007199254740993', '1e400', '-', '- a', '?', '? a', '*a', '&a b'],
  ...[
    '!t a',
    '@a',
    '`a`',
    '%a',
    '|',
    '>',
    '|-',
    '"a"',
    "'a'",
    "it's",
    'a"b',
    '[a',
    'a]',
    '{a',
    'a}',
    'a, b',
    ', a',
    '',
  ],
  ...[
    ' ',
    ' a',
    'a ',
    'a\t',
    '\ta',
    'caf\u00e9 \u2014 \u2192',
    '\u6570\u636e',
    '\ud83d\udce6',
    'a\u00a0',
    '\u00a0',
    'a\u2028b',
  ],
  ...[
    '\u2764\ufe0f',
    'x\u200by',
    'a\u0085b',
    '\ufeffa',
    'a\u0007',
    '---',
    '...',
    '__proto__',
    'constructor',
    'https://a.b/c?d=e#f',
  ],
  ...['Bash(git:*)', 'Bash(git: *)', '^18 || >=20', '<a>', '$HOME', '/usr', 'a\\b', '\\n', '(a)', '\u200d', '\ufe0f'],
);
const free = fc.oneof(
  { arbitrary: words, weight: 6 },
  { arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 8 }), weight: 1 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }), weight: 1 },
);
const escaped = fc.constantFrom(
  '\\n',
  '\\t',
  '\\"',
  '\\\\',
  '\\/',
  '\\x41',
  '\\u00e9',
  '\\U0001F4F1',
  '\\ud83d',
  '\\e',
  '\\ ',
  '\\',
);
const double = fc.array(fc.oneof(free, escaped), { maxLength: 4 }).map((parts) => `"${parts.join('')}"`);
const single = free.map((text) => `'${text.replaceAll("'", "''")}'`);
const scalar = fc.oneof(free, double, single, fc.constantFrom('"', "'", '"a" b', '"a" ', "'a' # b", "''", '""'));

const key = fc.oneof(
  {
    arbitrary: fc.constantFrom('author', 'version', 'tags', 'allowed-tools', 'when_to_use', 'a.b', 'bins', 'e10'),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom(
      'yes',
      'null',
      'a b',
      '1',
      '__proto__',
      'io.modelcontextprotocol/x',
      '"q"',
      "'q'",
      '- a',
      'x:y',
      'toString',
      '',
      'n\u00e4me',
    ),
    weight: 1,
  },
);
const gap = fc.constantFrom(' ', ' ', ' ', '', '  ');
const flow: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', maxDepth: 3 }, scalar, tie('list'), tie('map')),
  list: fc
    .tuple(gap, fc.array(tie('value'), { maxLength: 3 }), fc.constantFrom(', ', ',', ' , '), fc.constantFrom('', ','))
    .map(([blank, items, comma, end]) => `[${blank}${items.join(comma)}${end}${blank}]`),
  map: fc
    .tuple(
      gap,
      fc.array(
        fc.tuple(
          fc.oneof(
            key,
            key.map((text) => `"${text}"`),
          ),
          fc.constantFrom(': ', ':', ' : '),
          tie('value'),
        ),
        { maxLength: 3 },
      ),
    )
    .map(([blank, pairs]) => `{${blank}${pairs.map((pair) => pair.join('')).join(', ')}${blank}}`),
})).value;

const block = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '>2', '| # c', '|  '),
    fc.array(fc.oneof(free, fc.constantFrom('', ' ', '  ', '  more', '- a', 'a: b', '# a', 'end ')), { maxLength: 6 }),
    fc.constantFrom('', '  ', '   ', '    '),
  )
  .map(([header, lines, indent]) => [header, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n'));

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);
const node: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', maxDepth: 3 }, scalar, flow, block, tie('list'), tie('map')),
  list: fc
    .tuple(
      fc.array(
        fc.oneof(
          tie('value'),
          tie('map').map((text) => text.trim().replaceAll('\n', '\n  ')),
        ),
        { maxLength: 3 },
      ),
      fc.constantFrom('', '  ', ' '),
      fc.constantFrom('- ', '-   ', '-'),
    )
    .map(([items, by, dash]) => `\n${items.map((item) => `${by}${dash}${indented(item, by).trimStart()}`).join('\n')}`),
  map: fc
    .tuple(
      fc.array(fc.tuple(key, fc.constantFrom(': ', ':', ':  '), tie('value')), { maxLength: 3 }),
      fc.constantFrom('  ', '    ', ' '),
    )
    .map(
      ([pairs, by]) => `\n${pairs.map(([name, colon, value]) => indented(`${name}${colon}${value}`, by)).join('\n')}`,
    ),
})).value;

const field = fc.tuple(key, node).map(([name, value]) => `${name}: ${value}`);
const unusualLine = fc.constantFrom(
  '# comment',
  '',
  '  ',
  '...',
  '- x',
  'x',
  ' y: z',
  '\tx: y',
  '%YAML 1.2',
  'a: b\r',
  'a: "b\n  c"',
  'a: b\n  c',
);
const required = fc.tuple(
  fc.oneof(
    { arbitrary: fc.constant('name: a-b'), weight: 5 },
    { arbitrary: scalar.map((text) => `name: ${text}`), weight: 1 },
  ),
  fc.oneof(
    { arbitrary: fc.constant('description: Text.'), weight: 3 },
    { arbitrary: fc.oneof(scalar, block).map((text) => `description: ${text}`), weight: 3 },
  ),
);
const document = fc
  .tuple(
    required,
    fc.array(fc.oneof({ arbitrary: field, weight: 8 }, { arbitrary: unusualLine, weight: 1 }), { maxLength: 4 }),
  )
  .chain(([first, more]) => fc.shuffledSubarray([...first, ...more], { minLength: first.length + more.length }))
  .map((lines) => `${lines.join('\n')}\n`);
const body = fc.constantFrom(
  '',
  'Body\n',
  'Body',
  'a\r\nb\n',
  'a\rb',
  'a\u0007b',
  '\u200bhidden',
  'x\n'.repeat(501),
  '\u00e9\n'.repeat(501),
  '\u2192'.repeat(20_001),
);

describe('readCommonYaml()', () => {
  test('gives what the reader with all rules gives, wherever it gives anything', () => {
    let common = 0;
    fc.assert(
      fc.property(document, body, (yaml, text) => {
        expectEqualReadings(`---\n${yaml}---\n${text}`);
        if (read(yaml) !== undefined) common++;
      }),
      { numRuns: 1_500 },
    );
    expect(common).toBeGreaterThan(75);
  });

  test('gives the same for lines that end with CR and LF', () => {
    fc.assert(
      fc.property(document, (yaml) => {
        expectEqualReadings(`---\n${yaml}---\nBody\n`.replaceAll('\n', '\r\n'));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['a comment', 'name: a-b # c\n'],
    ['a line with a comment', '# c\nname: a-b\n'],
    ['a colon in plain text', 'description: Some: text.\n'],
    ['a colon at the end of plain text', 'description: Some text:\n'],
    ['plain text that spans lines', 'description: Some\n  text.\n'],
    ['quoted text that spans lines', 'description: "Some\n  text."\n'],
    ['text after a quote', 'description: "Some" text\n'],
    ['a rare escape', 'description: "Some\\x20text."\n'],
    ['an escape before a character that it hides', 'description: "Some\\n\ufe0f"\n'],
    ['a tab', 'description: Some\ttext.\n'],
    ['a line separator', 'description: Some\u2028text.\n'],
    ['an anchor', 'a: &b c\n'],
    ['an alias', 'a: *b\n'],
    ['a tag', 'a: !b c\n'],
    ['a key twice', 'a: b\na: c\n'],
    ['a key twice in a mapping', 'a:\n  b: c\n  b: d\n'],
    ['a key twice in braces', 'a: {b: c, b: d}\n'],
    ['a key that is a boolean', 'yes: a\n'],
    ['a key that is a number', '1: a\n'],
    ['a quoted key', '"a": b\n'],
    ['a key that is a prototype', '__proto__: a\n'],
    ['brackets that span lines', 'a: [b,\n  c]\n'],
    ['a comma before the bracket', 'a: [b, ]\n'],
    ['a pair in a list', 'a: [b: c]\n'],
    ['a key without a value in braces', 'a: {b}\n'],
    ['a list in a list', 'a:\n  - - b\n'],
    ['an item without text', 'a:\n  -\n'],
    ['a block with a number', 'a: |2\n    b\n'],
    ['a block that starts with an empty line', 'a: |\n\n  b\n'],
    ['a folded block with a deeper line', 'a: >\n  b\n    c\n  d\n'],
    ['a block with a line of blanks', 'a: |\n  b\n    \n  c\n'],
    ['a number that loses digits', 'a: 9007199254740993\n'],
    ['infinity', 'a: .inf\n'],
    ['a line that is not indented enough', 'a:\n    b: c\n  d: e\n'],
    [
      'nine levels',
      `${Array.from({ length: 9 }, (_, level) => `${'  '.repeat(level)}a:\n`).join('')}${'  '.repeat(9)}a: b\n`,
    ],
    ['nine brackets', `a: ${'['.repeat(9)}${']'.repeat(9)}\n`],
    ['more than a thousand values', `a: [${'b, '.repeat(1_000)}b]\n`],
    ['no line end', 'name: a-b'],
  ])('leaves %s to the reader with all rules', (_, yaml) => {
    expect(read(yaml)).toBeUndefined();
  });

  test('reads the shapes that most skills have', () => {
    const yaml = `name: pdf
description: >-
  Reads files. Use
  it "well".

  Always.
license: 'It''s free'
compatibility: "Any \\"client\\""
metadata:
  author: Caf\u00e9
  version: "1.0"
  openclaw: {"emoji":"\ud83d\udce6","requires":{"bins":["git", jq]}}
  nested:
    deep: [a b, 'c', https://a.b/c]

tags:
- one
- "two"
steps:
  - run: Bash(git:*)
    with: |
      a
        b
  - plain
empty:
allowed-tools: Read, Bash(git:*)${' '}
`;
    expect(read(yaml)).toEqual({
      name: 'pdf',
      description: 'Reads files. Use it "well".\nAlways.',
      license: "It's free",
      compatibility: 'Any "client"',
      metadata: {
        author: 'Caf\u00e9',
        version: '1.0',
        openclaw: { emoji: '\ud83d\udce6', requires: { bins: ['git', 'jq'] } },
        nested: { deep: ['a b', 'c', 'https://a.b/c'] },
      },
      tags: ['one', 'two'],
      steps: [{ run: 'Bash(git:*)', with: 'a\n  b\n' }, 'plain'],
      empty: null,
      'allowed-tools': 'Read, Bash(git:*)',
    });
    expectEqualReadings(`---\n${yaml}---\nBody\n`);
  });

  test('reports values that readers disagree on, with the names and lines of the full reader', () => {
    const yaml =
      'name: a-b\ndescription: Text.\ntags:\n  - 1.0\n  - [yes]\nmetadata: {a: {b: [2]}}\ndate: 2026-11-18\nempty:\n';
    expect(read(yaml)).toBeDefined();
    const text = `---\n${yaml}---\n`;
    expectEqualReadings(text);
    const { findings } = readFrontmatter(encoder.encode(text));
    expect(findings.filter(({ rule }) => rule === 'frontmatter-ambiguous-scalar').map(({ line }) => line)).toEqual([
      5, 6, 7, 8, 9,
    ]);
  });
});
