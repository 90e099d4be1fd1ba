import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frontmatter, JsonValue } from './entry.ts';
import { readFrontmatter } from './frontmatter.ts';

const encoder = new TextEncoder();

function frontmatterOf(yaml: string): Frontmatter {
  const reading = readFrontmatter(encoder.encode(`---\nname: a\ndescription: b\n${yaml}\n---\n`));
  if (!reading.ok) throw new Error(JSON.stringify(reading.findings, undefined, 1));
  return reading.frontmatter;
}

function read(yaml: string): JsonValue | undefined {
  return frontmatterOf(`x: ${yaml}`).x;
}

describe('values of a frontmatter', () => {
  test.each<[yaml: string, value: JsonValue]>([
    ['text', 'text'],
    ['"a\\tb\\u00e9\\U0001F600"', 'a\tb\u00e9\u{1f600}'],
    ["'it''s'", "it's"],
    ['a\n  b\n\n  c', 'a b\nc'],
    ['|\n  a\n   b\n', 'a\n b\n'],
    ['|-\n  a\n', 'a'],
    ['>\n  a\n  b\n\n  c\n', 'a b\nc\n'],
    ['1', 1],
    ['1.10', 1.1],
    ['012', 12],
    ['0o17', 15],
    ['0x1F', 31],
    ['1e3', 1000],
    ['-0', 0],
    ['"1"', '1'],
    ['true', true],
    ['FALSE', false],
    ['yes', 'yes'],
    ['~', null],
    ['', null],
    ['2026-01-02', '2026-01-02'],
    ['1_000', '1_000'],
    ['12:30', '12:30'],
    ['a#b', 'a#b'],
    ['a # b', 'a'],
    ['http://x', 'http://x'],
    ['[a, [b], {c: d}, "e"]', ['a', ['b'], { c: 'd' }, 'e']],
    ['{a: 1, b: {c: []}}', { a: 1, b: { c: [] } }],
    ['\n  - a\n  -\n  - b: c\n    d: e', ['a', null, { b: 'c', d: 'e' }]],
    ['&x {a: [b]}\ny: *x', { a: ['b'] }],
    ['{<<: {a: b}, c: d}', { '<<': { a: 'b' }, c: 'd' }],
  ])('reads %j', (yaml, value) => {
    expect(read(yaml)).toEqual(value);
  });

  test('keys keep the order of the file', () => {
    const frontmatter = frontmatterOf('zeta: a\nalpha: {z: "1", b: "2", a: "3"}\nmetadata: {}');
    expect(JSON.stringify(frontmatter)).toBe(
      '{"name":"a","description":"b","zeta":"a","alpha":{"z":"1","b":"2","a":"3"},"metadata":{}}',
    );
  });

  test('aliases are expanded', () => {
    expect(frontmatterOf('x: &x {a: b}\ny: [*x, *x]')).toMatchObject({ x: { a: 'b' }, y: [{ a: 'b' }, { a: 'b' }] });
    expect(frontmatterOf('x: &x key\n*x : value')).toMatchObject({ x: 'key', key: 'value' });
    expect(frontmatterOf('x: &x a\ny: &x b\nz: *x')).toMatchObject({ z: 'b' });
  });

  test('a nested __proto__ is a key like any other', () => {
    const { x } = frontmatterOf('x: {__proto__: {polluted: "yes"}, constructor: a}');
    expect(JSON.stringify(x)).toBe('{"__proto__":{"polluted":"yes"},"constructor":"a"}');
    expect(Object.getPrototypeOf(x)).toBe(Object.prototype);
    expect(Object.keys(Object(x))).toEqual(['__proto__', 'constructor']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('objects have the ordinary prototype and survive JSON', () => {
    const frontmatter = frontmatterOf('metadata: {a: b}\nx: [1, null, {y: z}]');
    expect(Object.getPrototypeOf(frontmatter)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(frontmatter))).toStrictEqual(frontmatter);
  });

  test('values that all readers read alike have no warning', () => {
    const yaml =
      'metadata: {version: "1.0", date: \'2026-01-02\', tag: v1.2.3}\nlicense: Apache-2.0\nallowed-tools: Bash(git:*) Read';
    const { findings } = readFrontmatter(encoder.encode(`---\nname: a\ndescription: b\n${yaml}\n---\n`));
    expect(findings).toEqual([]);
  });
});

/** The YAML package that the TypeScript SDK for skills reads with. */
interface OtherYaml {
  parse(text: string): unknown;
  stringify(value: unknown, options?: Record<string, unknown>): string;
}
const sdk = new URL('../../node_modules/@olaservo/ext-skills/package.json', import.meta.url);
const other: OtherYaml = createRequire(sdk)('yaml');

describe('compared with another YAML reader', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const key = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }).filter((name) => name !== '__proto__');
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      text,
      fc.constantFrom(
        'yes',
        '1.10',
        '2026-01-02',
        'a: b',
        '- a',
        '# a',
        ' a ',
        'a\nb\n',
        '',
        '~',
        'null',
        '\ttab',
        '"q"',
        "'",
      ),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const style = fc.record({
    defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
    collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    lineWidth: fc.constantFrom(0, 20, 80),
  });

  /** The other library may split a line inside a surrogate pair, which UTF-8 cannot encode. Then we write long lines. */
  function asText(whole: object, options: Record<string, unknown>): string {
    const folded = other.stringify(whole, { ...options, aliasDuplicateObjects: false });
    if (new TextDecoder().decode(encoder.encode(folded)) === folded) return folded;
    return other.stringify(whole, { ...options, aliasDuplicateObjects: false, lineWidth: 0 });
  }

  test('frontmatter of another writer is read as intended', () => {
    fc.assert(
      fc.property(value, style, (meant, options) => {
        const whole = { name: 'a', description: 'b', x: meant };
        const yaml = asText(whole, options);
        // Skip values that the other library cannot read back itself, such as a block of blanks.
        fc.pre(isDeepStrictEqual(other.parse(yaml), whole));
        const reading = readFrontmatter(encoder.encode(`---\n${yaml}---\n`));
        expect(reading.ok && reading.frontmatter).toEqual(whole);
      }),
      {
        numRuns: 300,
        examples: [
          [
            ' #\u{10000}\u{10000}\u{11099}\u{110ba}\u{10000}\u{10000}#\u{1d158}\u{1d165}\u{1d16e}',
            { defaultStringType: 'PLAIN', collectionStyle: 'any', lineWidth: 20 },
          ],
        ],
      },
    );
  });

  test.each([
    'x: 1.0\ny: 012\nz: 0o17',
    'x: yes\ny: On\nz: 2026-01-02',
    'x: ~\ny:\nz: NULL',
    'x: >-\n  a\n   b\n\n  c\ny: |+\n  d\n\nz: e',
    'x: "a\n  b\\\n  c"\ny: \'d\n\n  e\'',
    'x: &a [1, {b: c}]\ny: *a',
    'x: {a: b, "c": d, e: }\ny: [a, , b]'.replace(', ,', ','),
    'x:\n- a\n- - b\n  - c\n-\n  d: e',
    'x: a\tb\ny: c  # d\nz: e#f',
    '? x\n: y',
    'x: <<\n<<: {a: b}',
  ])('reads %j like that reader', (yaml) => {
    expect(frontmatterOf(yaml)).toEqual({ name: 'a', description: 'b', ...Object(other.parse(yaml)) });
  });
});
