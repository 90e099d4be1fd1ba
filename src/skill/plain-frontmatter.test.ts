import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFrontmatter, readFully } from './frontmatter.ts';
import { readPlainFrontmatter } from './plain-frontmatter.ts';

const encoder = new TextEncoder();

/** Pieces of which lines are made that are nearly, but not always, plain. */
const piece = fc.constantFrom(
  'name: a-b',
  'name: "pdf"',
  "name: 'x'",
  'name: yes',
  'name: 12',
  'name: e10',
  'description: Text.',
  'description: "A: b"',
  "description: 'a # b'",
  'description: a: b',
  'description: a #b',
  'description: a ',
  'description: "a\\n"',
  "description: 'it''s'",
  'description: ',
  'description: ""',
  'description: true',
  'description: a:',
  'description: Null',
  'license: MIT',
  'license: no',
  'license: .inf',
  'compatibility: ""',
  'compatibility: any host',
  'metadata:',
  '  a: b',
  '# comment',
  '',
  'other: text',
  '- x',
  '...',
  'description: >-',
  '\tx',
  'n\u00e4me: x',
);
const free = fc.tuple(
  fc.constantFrom('name', 'description', 'license', 'compatibility', 'x'),
  fc.string({ unit: 'binary-ascii', maxLength: 12 }),
);
const line = fc.oneof(
  piece,
  free.map(([key, value]) => `${key}: ${value}`),
);
const lines = fc.oneof(
  fc.array(line, { maxLength: 6 }),
  fc.array(line, { maxLength: 1 }).map((more) => ['name: a-b', 'description: Text.', ...more]),
  line.map((first) => [first, 'name: "a-b"']),
);
const body = fc.constantFrom('', 'Body\n', 'Body', 'a\r\nb\n', 'a\rb', 'a\u0007b', '\u200bhidden', 'x\n'.repeat(501));

describe('readPlainFrontmatter()', () => {
  test('gives what the reader with all rules gives, wherever it gives anything', () => {
    let plain = 0;
    fc.assert(
      fc.property(lines, body, fc.constantFrom('\n', '\n', '\r\n'), (given, text, end) => {
        const bytes = encoder.encode(['---', ...given, '---', text].join(end));
        const quick = readFrontmatter(bytes);
        expect(quick).toEqual(readFully(bytes));
        if (readPlainFrontmatter(given.map((line) => `${line}\n`).join('')) !== undefined) plain++;
      }),
      { numRuns: 3_000 },
    );
    expect(plain).toBeGreaterThan(20);
  });

  test.each([
    ['a number', 'name: 12\ndescription: Some text.\n'],
    ['a truth value', 'name: yes\ndescription: Some text.\n'],
    ['a comment', 'name: a-b\ndescription: Some text. # no\n'],
    ['a colon', 'name: a-b\ndescription: Some: text.\n'],
    ['an escape', 'name: a-b\ndescription: "Some\\ttext."\n'],
    ['a key that is not in the specification', 'name: a-b\ndescription: Some text.\nversion: one\n'],
    ['a key twice', 'name: a-b\nname: a-b\ndescription: Some text.\n'],
    ['no description', 'name: a-b\n'],
    ['a name that is not allowed', 'name: A_B\ndescription: Some text.\n'],
    ['other than ASCII', 'name: a-b\ndescription: Caf\u00e9 text.\n'],
  ])('leaves %s to the reader with all rules', (_, yaml) => {
    expect(readPlainFrontmatter(yaml)).toBeUndefined();
  });

  test('reads plain and quoted text with the keys in the order of the file', () => {
    const yaml = 'license: "MIT"\nname: pdf\ndescription: \'Use "it" well.\'\n';
    expect(readPlainFrontmatter(yaml)).toEqual({
      frontmatter: { license: 'MIT', name: 'pdf', description: 'Use "it" well.' },
      nameLine: 3,
    });
    expect(Object.keys(readPlainFrontmatter(yaml)?.frontmatter ?? {})).toEqual(['license', 'name', 'description']);
  });
});
