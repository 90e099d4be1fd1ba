import { describe, expect, test } from 'vitest';
import { sha256Digest } from './digest.ts';
import { findingRules } from './finding-rules.ts';
import { frontmatterVersion, readFrontmatter } from './frontmatter.ts';

const encoder = new TextEncoder();

interface Case {
  readonly rule: keyof typeof findingRules;
  readonly what: string;
  readonly input: string | Uint8Array;
  readonly line?: number;
  readonly message?: string;
  readonly remedy?: string;
}

/** Frontmatter that is valid except for the given lines, which start in line 4. */
function withLines(...lines: readonly string[]): string {
  return ['---', 'name: a-b', 'description: Text.', ...lines, '---', 'Body', ''].join('\n');
}

function withBody(body: string): string {
  return `---\nname: a-b\ndescription: Text.\n---\n${body}`;
}

const cases: readonly Case[] = [
  {
    rule: 'skill-md-not-utf8',
    what: 'a byte that is not UTF-8',
    input: Uint8Array.of(...encoder.encode('---\nname: '), 0xff),
    line: 2,
    message: 'SKILL.md is not UTF-8: invalid byte 0xff at offset 10',
  },
  {
    rule: 'skill-md-not-utf8',
    what: 'UTF-16',
    input: Uint8Array.of(0xff, 0xfe, 0x2d, 0),
    line: 1,
    message: 'SKILL.md is UTF-16, not UTF-8: invalid byte 0xff at offset 0',
  },
  { rule: 'skill-md-bom', what: 'a byte-order mark', input: `\ufeff${withLines()}`, line: 1 },
  {
    rule: 'skill-md-long-body',
    what: '501 lines',
    input: withBody('x\n'.repeat(501)),
    line: 5,
    message: 'the body has 501 lines and about 251 tokens',
  },
  {
    rule: 'skill-md-long-body',
    what: 'more than 5,000 tokens',
    input: withBody('x'.repeat(20_001)),
    line: 5,
    message: 'the body has 1 lines and about 5,001 tokens',
  },
  {
    rule: 'skill-md-hidden-characters',
    what: 'tag characters in the body',
    input: withBody('a\nb\u{e0041}\u{e0042}\n'),
    line: 6,
    message: 'SKILL.md contains 2 tag characters (U+E0000 to U+E007F), which can carry hidden text',
  },
  {
    rule: 'skill-md-hidden-characters',
    what: 'an override in the description',
    input: '---\nname: a\ndescription: a\u202eb\n---\n',
    line: 3,
    message: 'SKILL.md contains 1 bidirectional control, which can change the order of text',
  },
  {
    rule: 'skill-md-hidden-characters',
    what: 'an override that is written as an escape',
    input: '---\nname: a\ndescription: "a\\u202e\\u202e\u202eb"\n---\n',
    line: 3,
    message:
      'the value of "description" contains 2 bidirectional controls, which can change the order of text, written as escapes',
  },
  { rule: 'frontmatter-missing', what: 'an empty file', input: '', line: 1, message: 'SKILL.md is empty' },
  {
    rule: 'frontmatter-missing',
    what: 'a file without frontmatter',
    input: '# Title\n',
    line: 1,
    message: 'the first line is "# Title", not "---"',
  },
  {
    rule: 'frontmatter-missing',
    what: 'a blank first line',
    input: `\n${withLines()}`,
    message: 'the first line is blank, not "---"',
  },
  {
    rule: 'frontmatter-missing',
    what: 'a language after the dashes',
    input: '---js\n({name: "a"})\n---\n',
    message: 'the first line is "---js", not "---"',
  },
  { rule: 'frontmatter-missing', what: 'four dashes', input: '----\nname: a\n----\n' },
  { rule: 'frontmatter-missing', what: 'indented dashes', input: ' ---\nname: a\n---\n' },
  { rule: 'frontmatter-unclosed', what: 'no closing line', input: '---\nname: a\n', line: 1 },
  { rule: 'frontmatter-unclosed', what: 'dashes inside a line only', input: '---\nname: a\nb: c --- d\n --- \n---x\n' },
];

const fileRule = /^skill-md-|^frontmatter-(?:missing|unclosed)$/;

describe('readFrontmatter() applies', () => {
  test.each(cases)('$rule to $what', ({ rule, input, line, message, remedy }) => {
    const { ok, findings } = readFrontmatter(typeof input === 'string' ? encoder.encode(input) : input);
    const found = findings.find((item) => item.rule === rule && (message === undefined || item.message === message));
    expect(found, JSON.stringify(findings, undefined, 1)).toMatchObject({
      level: findingRules[rule].level,
      ...(line === undefined ? {} : { line }),
      ...(remedy === undefined ? {} : { remedy }),
    });
    expect(ok).toBe(findings.every(({ level }) => level !== 'problem'));
  });

  test('every rule about the file', () => {
    const tested = new Set<string>(cases.map(({ rule }) => rule));
    const rules = Object.keys(findingRules).filter((rule) => fileRule.test(rule) && rule !== 'skill-md-spelling');
    expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
  });
});

describe('readFrontmatter() reads', () => {
  const f1 =
    '---\nname: git-workflow\ndescription: Follow team Git conventions for branching and commits.\n---\n\n# Git Workflow\n';
  const frontmatter = {
    name: 'git-workflow',
    description: 'Follow team Git conventions for branching and commits.',
  };

  test.each([
    ['LF', f1],
    ['CRLF', f1.replaceAll('\n', '\r\n')],
    ['mixed line ends', f1.replace('\n', '\r\n')],
    ['a closing line at the end of the file', f1.slice(0, f1.indexOf('\n\n#'))],
    ['a comment', f1.replace('name:', '# note\n\nname:')],
  ])('a skill with %s without findings', (_what, text) => {
    expect(readFrontmatter(encoder.encode(text))).toEqual({
      ok: true,
      nameLine: expect.any(Number),
      frontmatter,
      findings: [],
    });
  });

  test('a skill with a byte-order mark, with a warning', () => {
    const reading = readFrontmatter(encoder.encode(`\ufeff${f1}`));
    expect(reading).toMatchObject({
      ok: true,
      nameLine: expect.any(Number),
      frontmatter,
      findings: [{ rule: 'skill-md-bom', level: 'warning' }],
    });
  });

  test('lines that end with CR alone or have blanks after the dashes, with a warning', () => {
    for (const text of [f1.replaceAll('\n', '\r'), f1.replaceAll('---\n', '---\t \n')]) {
      const reading = readFrontmatter(encoder.encode(text));
      expect(reading).toMatchObject({
        ok: true,
        nameLine: expect.any(Number),
        frontmatter,
        findings: [{ rule: 'frontmatter-uncommon-yaml' }],
      });
    }
  });

  test('dashes inside values and after the frontmatter as text', () => {
    const text = '---\nname: a\ndescription: a --- b\nlicense: |\n  ---\n  x\n---\nBody\n---\nname: b\n---\n';
    expect(readFrontmatter(encoder.encode(text))).toEqual({
      ok: true,
      nameLine: expect.any(Number),
      frontmatter: { name: 'a', description: 'a --- b', license: '---\nx\n' },
      findings: [],
    });
  });

  test('a body of 500 lines and 5,000 tokens without a note', () => {
    const body = `${'x'.repeat(39)}\n`.repeat(500);
    expect(readFrontmatter(encoder.encode(withBody(body))).findings).toEqual([]);
    expect(readFrontmatter(encoder.encode(withBody(`${body}x`))).findings).toHaveLength(1);
  });
});

describe('readFrontmatter() reports', () => {
  test('all findings together, in the order of their lines', () => {
    const text = [
      '\ufeff---',
      'description: Use when: asked',
      'version: 1.0',
      'name: My Skill',
      'x: !!str a',
      'license: MIT: yes',
      'version: 2.0',
      '---',
      'a\u200bb',
    ].join('\n');
    const { ok, findings } = readFrontmatter(encoder.encode(text));
    expect(ok).toBe(false);
    expect(findings.map(({ line, rule }) => `${line} ${rule}`)).toEqual([
      '1 skill-md-bom',
      '2 frontmatter-unquoted-colon',
      '3 frontmatter-ambiguous-scalar',
      '3 frontmatter-unknown-key',
      '4 name-invalid',
      '5 frontmatter-tag',
      '6 frontmatter-unquoted-colon',
      '7 frontmatter-duplicate-key',
      '7 frontmatter-ambiguous-scalar',
      '9 skill-md-hidden-characters',
    ]);
  });

  test('findings of the body, also if the frontmatter is missing', () => {
    const { findings } = readFrontmatter(encoder.encode('# Title\n\u202e'));
    expect(findings.map(({ rule }) => rule)).toEqual(['frontmatter-missing', 'skill-md-hidden-characters']);
  });

  test('at most its limit for one file, problems before warnings', () => {
    const warnings = Array.from({ length: 300 }, (_, index) => `key-${index}: 1${index}`);
    const { findings } = readFrontmatter(encoder.encode(withLines(...warnings, 'bad: !tag x')));
    expect(findings).toHaveLength(101);
    expect(findings.filter(({ level }) => level === 'problem')).toHaveLength(1);
    expect(findings.at(-1)).toMatchObject({
      rule: 'too-many-findings',
      message: 'SKILL.md has 202 more findings',
    });
  });
});

test('the version changes whenever the same bytes are read differently than before', async () => {
  // Readings are cached on disk. If this fails, increase `frontmatterVersion` and put the new digest here.
  const readings = cases.map(({ input }) => readFrontmatter(typeof input === 'string' ? encoder.encode(input) : input));
  const plain = readFrontmatter(encoder.encode(withLines('license: MIT', 'metadata:', '  version: "1"')));
  expect([frontmatterVersion, await sha256Digest(encoder.encode(JSON.stringify([...readings, plain])))]).toEqual([
    3,
    'sha256:8f6413f55c6d09af4791b9ea262bfb17b73af2df0e1c6c62f1be36b7c8723807',
  ]);
});
