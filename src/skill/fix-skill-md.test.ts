import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixSkillMd, improves } from './fix-skill-md.ts';
import { readFrontmatter } from './frontmatter.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const fix = (text: string, folder = 'heron') => {
  const { bytes, changes } = fixSkillMd(encoder.encode(text), folder);
  return { text: decoder.decode(bytes), changes };
};
const md = (...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n\n# Body: "x"\n`;
const own = ['name: heron', 'description: Tells of herons.'];

const cases: readonly (readonly [string, string, string])[] = [
  ['a byte-order mark', `\ufeff${md(...own)}`, md(...own)],
  ['blanks behind a fence', `--- \n${own.join('\n')}\n---\t\nx`, `---\n${own.join('\n')}\n---\nx`],
  ['blank lines before the fence', `\n\n${md(...own)}`, md(...own)],
  ['a missing opening fence', md(...own).slice(4), md(...own)],
  [
    'a missing opening fence, with CRLF',
    `${own.join('\r\n')}\r\n---\r\nx\r\n`,
    `---\r\n${own.join('\r\n')}\r\n---\r\nx\r\n`,
  ],
  ['a missing closing fence', `---\n${own.join('\n')}\n\n# Body\n`, `---\n${own.join('\n')}\n---\n\n# Body\n`],
  [
    'a closing fence of other length',
    `---\n${own.join('\n')}\n-----\n# Body\n`,
    `---\n${own.join('\n')}\n---\n# Body\n`,
  ],
  [
    'a colon without quotes, with CRLF and a comment elsewhere',
    '---\r\nname: heron # mine\r\ndescription: Use when: a\r\n---\r\nx\r\n',
    '---\r\nname: heron # mine\r\ndescription: "Use when: a"\r\n---\r\nx\r\n',
  ],
  [
    'a quoted value over several lines at the margin',
    md('name: heron', 'description: "Use when: a', 'or b."', 'license: MIT'),
    md('name: heron', 'description: "Use when: a or b."', 'license: MIT'),
  ],
  ['a name', md('name: Heron Tools', own[1] ?? ''), md(...own)],
  ['a name that is a number', md('name: 7', own[1] ?? ''), md(...own)],
  ['a name as a block', md('name: >-', '  Heron Tools', own[1] ?? ''), md(...own)],
  [
    'a name as a block before an empty line',
    md('name: |', '  Heron', '  Tools', '', own[1] ?? ''),
    md(own[0] ?? '', '', own[1] ?? ''),
  ],
  ['a name over two lines', md('name: Heron', '  Tools', own[1] ?? ''), md(...own)],
  ['a quoted name over two lines', md('name: "Heron', '  Tools"', own[1] ?? ''), md(...own)],
  ['a missing name', md(own[1] ?? ''), md('name: heron', own[1] ?? '')],
  ['a name without a value', md('name:', own[1] ?? ''), md('name: heron', own[1] ?? '')],
  ['a license', md(...own, 'license: 2.0'), md(...own, 'license: "2.0"')],
  [
    'values of metadata',
    md(
      ...own,
      'metadata: # all',
      '  version: 1.0 # first',
      '  active: true',
      '  none:',
      '  date: 2026-01-02',
      '  text: x',
    ),
    md(
      ...own,
      'metadata: # all',
      '  version: "1.0" # first',
      '  active: "true"',
      '  none: ""',
      '  date: "2026-01-02"',
      '  text: x',
    ),
  ],
  ['metadata in braces', md(...own, 'metadata: {version: 1.0, a: b}'), md(...own, 'metadata: {version: "1.0", a: b}')],
  ['a list in metadata', md(...own, 'metadata:', '  tags: [a, 1]'), md(...own, 'metadata:', '  tags: "a, 1"')],
  [
    'lists as lines in metadata',
    md(...own, 'metadata:', '  tags:', '    - a', '    - b', '  more:', '  - c', 'license: MIT'),
    md(...own, 'metadata:', '  tags: "a, b"', '  more: "c"', 'license: MIT'),
  ],
  [
    'objects in metadata, as JSON',
    md(...own, 'metadata:', '  author:', '    name: x', '    age: 7'),
    md(...own, 'metadata:', '  author: "{\\"name\\":\\"x\\",\\"age\\":7}"'),
  ],
  ['metadata without a value', md(...own, 'metadata:', 'license: MIT'), md(...own, 'metadata: {}', 'license: MIT')],
  ['compatibility as a list', md(...own, 'compatibility: [a, b]'), md(...own, 'compatibility: "a, b"')],
  ['compatibility as a number', md(...own, 'compatibility: 20'), md(...own, 'compatibility: "20"')],
  ['tools as a list', md(...own, 'allowed-tools:', '  - Read', '  - Grep'), md(...own, 'allowed-tools: "Read Grep"')],
];

describe('a SKILL.md is fixed', () => {
  test.each(cases)('%s', (_, before, after) => {
    const result = fix(before);
    expect(result.text).toBe(after);
    expect(result.changes).not.toEqual([]);
    expect(fix(result.text)).toEqual({ text: after, changes: [] });
    const { ok, findings } = readFrontmatter(encoder.encode(after));
    expect(ok).toBe(true);
    expect(findings.filter(({ level }) => level !== 'note')).toEqual([]);
  });

  test('in all of these ways together', () => {
    const text = `\ufeff\n--- \r\nname: X Y\r\ndescription: Use when: a\r\nmetadata:\r\n  v: 1\r\n\r\n# Body\r\n`;
    expect(fix(text).text).toBe(
      '---\r\nname: heron\r\ndescription: "Use when: a"\r\nmetadata:\r\n  v: "1"\r\n---\r\n\r\n# Body\r\n',
    );
  });
});

describe('a SKILL.md stays unchanged', () => {
  test.each([
    ['nothing is wrong', md(...own)],
    ['it has no frontmatter', '# Heron\n\nname: x is not a field\n'],
    ['it is a link as text', '../../x/SKILL.md'],
    ['it is not UTF-8', '---\nname: \u{fffd}'],
    ['a client reads the object', md(...own, 'metadata:', '  openclaw:', '    emoji: x')],
    ['a client reads one object of several', md(...own, 'metadata:', '  tags: [a]', '  clawdbot: {os: [linux]}')],
    ['a comment would be lost', md(...own, 'metadata:', '  tags:', '    - a # first', '    - b')],
    ['a comment may be part of the value', md('name: heron', 'description: Use when: a # or b')],
    ['a tool has a blank in it', md(...own, 'allowed-tools: [Read, "Bash(git add *)"]')],
    ['a field outside the specification is a boolean', md(...own, 'disable-model-invocation: true')],
    ['compatibility is too long', md(...own, `compatibility: ${'a'.repeat(501)}`)],
    ['a value has a tag', md(...own, 'metadata:', '  v: !!int 1')],
    ['a value is an alias', md(...own, 'metadata:', '  a: &x [1]', '  b: *x')],
    ['the description is missing', md('name: heron')],
    ['a comment stands behind the start of a block', md('name: >- # mine', '  Heron Tools', own[1] ?? '')],
  ])('if %s', (_, text) => {
    expect(fix(text)).toEqual({ text, changes: [] });
  });

  test('if its bytes are not text', () => {
    const bytes = Uint8Array.of(0x2d, 0xff, 0xfe);
    expect(fixSkillMd(bytes, 'a').bytes).toBe(bytes);
  });

  test('or gets better, whatever it contains', () => {
    const part = fc.constantFrom(
      ...[
        '---\n',
        '--- \n',
        '\ufeff',
        '\n',
        '\r\n',
        'name: A B\n',
        'name:\n',
        'description: x: y\n',
        'description: "a\nb"\n',
      ],
      ...[
        'metadata:\n',
        '  v: 1\n',
        '  l: [1, a]\n',
        '  o: {a: 1}\n',
        '# c\n',
        '- x\n',
        'license: 1\n',
        '\t',
        '"',
        '{',
        'é: ü\n',
      ],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), fc.constantFrom('heron', 'A b', '技'), (parts, folder) => {
        const before = encoder.encode(parts.join(''));
        const { bytes, changes } = fixSkillMd(before, folder);
        if (changes.length === 0) expect(bytes).toEqual(before);
        else expect(improves(readFrontmatter(before).findings, readFrontmatter(bytes).findings)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
