import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import type { Frontmatter, JsonValue } from './entry.ts';
import { readFrontmatter } from './frontmatter.ts';
import { compareFrontmatter, type FrontmatterComparison } from './frontmatter-compare.ts';

const encoder = new TextEncoder();

function skillMd(yaml: string): Uint8Array {
  return encoder.encode(`---\nname: a\ndescription: b\n${yaml}\n---\nbody\n`);
}

/** Compares the fields beside name and description. */
function compare(fields: Record<string, JsonValue>, yaml: string): FrontmatterComparison {
  return compareFrontmatter({ name: 'a', description: 'b', ...fields }, skillMd(yaml));
}

function reading(value: JsonValue, written: string): string | undefined {
  return compare({ x: value }, `x: ${written}`).reading;
}

describe('compareFrontmatter()', () => {
  test('accepts equal fields in any order of keys', () => {
    const yaml = 'license: MIT\nmetadata:\n  one: "1"\n  two: "2"\nlist: [a, {b: c}]';
    const fields = { list: ['a', { b: 'c' }], metadata: { two: '2', one: '1' }, license: 'MIT' };
    expect(compare(fields, yaml)).toEqual({ matches: true, reading: 'yaml-1.2', differences: [], remarks: [] });
  });

  test.each<[entry: JsonValue, written: string, reading: string]>([
    [1, '1.0', 'yaml-1.2'],
    ['1.0', '1.0', 'text'],
    ['2026-01-02', '2026-01-02', 'yaml-1.2'],
    ['2026-01-02T00:00:00.000Z', '2026-01-02', 'yaml-1.1'],
    ['2026-01-02T00:00:00Z', '2026-01-02', 'yaml-1.1'],
    ['2026-01-02T08:00:00+00:00', '2026-01-02 10:00:00 +02:00', 'yaml-1.1'],
    ['2026-01-02 10:00:00', '2026-01-02T10:00:00Z', 'yaml-1.1'],
    [12, '012', 'yaml-1.2'],
    [10, '012', 'yaml-1.1'],
    ['012', '012', 'text'],
    ['yes', 'yes', 'yaml-1.2'],
    [true, 'yes', 'yaml-1.1'],
    [false, 'Off', 'yaml-1.1'],
    [true, 'true', 'yaml-1.2'],
    ['true', 'true', 'text'],
    [10, '0o12', 'yaml-1.2'],
    ['0o12', '0o12', 'yaml-1.1'],
    [90, '1:30', 'yaml-1.1'],
    [1000, '1_000', 'yaml-1.1'],
    [null, '~', 'yaml-1.2'],
    [null, '', 'yaml-1.2'],
    ['', '', 'text'],
    ['null', 'null', 'text'],
    ['.nan', '.nan', 'text'],
    [['1', 2, true], '[1, 2, yes]', 'text'],
  ])('reads the entry value %j out of the written value %j as %s', (entry, written, expected) => {
    const result = compare({ x: entry }, `x: ${written}`);
    expect(result).toMatchObject({ matches: true, reading: expected });
    expect(result.remarks.length > 0).toBe(expected !== 'yaml-1.2');
  });

  test.each<[entry: JsonValue, written: string]>([
    [1, '"1"'],
    ['1', '2'],
    [11, '012'],
    [null, 'nothing'],
    [false, 'yes'],
    [true, '"yes"'],
    [0, '~'],
    [1.1, '1.0'],
    ['2026-01-03T00:00:00.000Z', '2026-01-02'],
    ['2026-01-02T00:00:00.000Z', '"2026-01-02"'],
    ['noon', '2026-01-02'],
    ['text ', 'text'],
    ['Text', 'text'],
    [{}, '[]'],
    [[], '{}'],
    ['x', '[x]'],
    [['x'], 'x'],
    [['a', 'b'], '[b, a]'],
    ['e\u0301', '\u00e9'],
    [null, '.nan'],
  ])('refuses the entry value %j for the written value %j', (entry, written) => {
    const result = compare({ x: entry }, `x: ${written}`);
    expect(result.matches).toBe(false);
    expect(result.reading).toBeUndefined();
    expect(result.differences.length).toBeGreaterThan(0);
  });

  test('compares keys in each reading', () => {
    expect(compare({ yes: 'no' }, 'yes: no')).toMatchObject({ matches: true, reading: 'yaml-1.2' });
    expect(compare({ true: false }, 'yes: no')).toMatchObject({ matches: true, reading: 'yaml-1.1' });
    expect(compare({ metadata: { '1.0': 'x' } }, 'metadata: {1.0: x}')).toMatchObject({ reading: 'text' });
    expect(compare({ true: 'x' }, '"yes": x').matches).toBe(false);
  });

  test('reports that digits beyond JSON numbers are not compared', () => {
    const result = compare({ n: Number('12345678901234567890') }, 'n: 12345678901234567890');
    expect(result).toMatchObject({ matches: true, reading: 'yaml-1.2' });
    expect(result.remarks).toEqual([
      'n: the number 12345678901234567890 has more digits than JSON readers support; the last digits are not compared',
    ]);
    expect(reading('12345678901234567890', '12345678901234567890')).toBe('text');
  });

  test('reports each weaker reading with its field and both values', () => {
    expect(compare({ metadata: { version: 10 } }, 'metadata:\n  version: 012').remarks).toEqual([
      'metadata.version: the entry has 10, which is right for YAML 1.1; YAML 1.2 reads 12',
    ]);
  });

  test('names every field that differs, on either side, with both values', () => {
    const fields = { metadata: { same: 's', other: 'o', only: 1 }, list: ['a'] };
    const result = compare(fields, 'metadata:\n  same: s\n  other: p\n  "k.y": [.inf]\nlist: [a, b]');
    expect(result.matches).toBe(false);
    expect(result.differences).toEqual([
      { field: 'metadata.other', entry: 'o', file: 'p' },
      { field: 'metadata["k.y"]', entry: undefined, file: ['Infinity'] },
      { field: 'metadata.only', entry: 1, file: undefined },
      { field: 'list[1]', entry: undefined, file: 'b' },
    ]);
  });

  test('distinguishes a missing field from null', () => {
    expect(compare({}, 'x: null').differences).toEqual([{ field: 'x', entry: undefined, file: null }]);
    expect(compare({ x: null }, 'y: z').differences).toContainEqual({ field: 'x', entry: null, file: undefined });
  });

  test('compares fields with names of object members', () => {
    const entry = JSON.parse('{"name":"a","description":"b","__proto__":{"x":1},"constructor":"c"}') as Frontmatter;
    expect(compareFrontmatter(entry, skillMd('__proto__: {x: 1}\nconstructor: c')).matches).toBe(true);
    expect(compareFrontmatter(entry, skillMd('__proto__: {x: 2}\nconstructor: c')).differences).toEqual([
      { field: '__proto__.x', entry: 1, file: 2 },
    ]);
    expect(compare({}, 'constructor: c').matches).toBe(false);
    expect(compare({}, 'toString: c').matches).toBe(false);
  });

  test('resolves aliases', () => {
    const yaml = 'x: &it {a: 1.0}\ny: *it';
    expect(compare({ x: { a: 1 }, y: { a: '1.0' } }, yaml)).toMatchObject({ matches: true, reading: 'text' });
    expect(compare({ x: { a: 1 }, y: { a: 2 } }, yaml).differences).toEqual([{ field: 'y.a', entry: 2, file: 1 }]);
  });

  test('ignores a byte-order mark and reads CRLF', () => {
    const file = encoder.encode('\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\nbody');
    expect(compareFrontmatter({ name: 'a', description: 'b' }, file).matches).toBe(true);
  });

  test.each<[what: string, yaml: string, remark: RegExp]>([
    ['broken YAML', 'x: [1', /line \d+: the YAML/],
    ['a value that needs quotes', 'x: use when: y', /line 4: the value of "x" contains ": " without quotes/],
    ['a tag', 'x: !!str 1', /line 4: the value of "x" has the tag/],
    ['a key twice', 'x: 1\nx: 2', /the key "x" is in line 4 and again in line 5/],
    ['an alias to nothing', 'x: *y', /alias "\*y"/],
    ['a cycle', 'x: &y [*y]', /is inside its own target/],
    ['a list as a key', '[a]: 1', /a key of the frontmatter is a list/],
    ['two documents', '...\n--- {a: b}', /2 YAML documents/],
    ['too many aliases', `x: &x 1\ny: [${'*x ,'.repeat(65)}]`, /65 aliases/],
    ['too many values', `x: [${'1,'.repeat(3000)}]`, /more than 2,000 values|contains 3,\d+ values/],
    ['too deep nesting', `x: ${'['.repeat(40)}${']'.repeat(40)}`, /nested deeper than 32 levels/],
    ['too many bytes', `x: ${'y'.repeat(70_000)}`, /70,\d+ bytes/],
  ])('does not match a file with %s, and gives the reason', (_, yaml, remark) => {
    const claims: readonly Record<string, JsonValue>[] = [{}, { x: '1' }, { x: 'use when: y' }, { x: 1 }];
    for (const fields of claims) {
      const result = compare(fields, yaml);
      expect(result.matches).toBe(false);
      expect(result.reading).toBeUndefined();
      expect(result.remarks[0]).toBe('the frontmatter of the file cannot be read');
      expect(result.remarks.join('\n')).toMatch(remark);
    }
  });

  test('does not match missing frontmatter, or frontmatter that is not UTF-8', () => {
    const entry = { name: 'a', description: 'b' };
    for (const file of [encoder.encode(''), encoder.encode('# a'), encoder.encode('---\nname: a\n')]) {
      const result = compareFrontmatter(entry, file);
      expect(result).toMatchObject({ matches: false, differences: [] });
      expect(result.remarks.length).toBe(2);
    }
    const broken = Uint8Array.of(...encoder.encode('---\nname: a\nx: '), 0xff, ...encoder.encode('\n---\n'));
    expect(compareFrontmatter(entry, broken).remarks.join()).toMatch(/not UTF-8/);
  });

  test('compares the frontmatter even if the body is not UTF-8', () => {
    const file = Uint8Array.of(...encoder.encode('---\nname: a\ndescription: b\n---\n'), 0xff);
    expect(compareFrontmatter({ name: 'a', description: 'b' }, file).matches).toBe(true);
  });

  test('reports a limited number of differences and their total', () => {
    const fields = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`k${index}`, index]));
    const result = compare(fields, 'x: 1');
    expect(result.differences.length).toBe(100);
    expect(result.remarks).toEqual(['51 more fields differ']);
  });

  test('reads every frontmatter exactly like readFrontmatter()', () => {
    const scalar = fc.oneof(
      fc.constantFrom('1.0', '012', 'yes', '~', '', '2026-01-02', '0x1F', '1e3', '12345678901234567890', '-0', '1_0'),
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    );
    const line = fc.tuple(fc.stringMatching(/^[a-z][a-z-]{0,8}$/), scalar).map(([key, value]) => `${key}: ${value}`);
    const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), value, (lines, nested) => {
        const file = skillMd([...lines, dump({ metadata: nested })].join('\n').trimEnd());
        const result = readFrontmatter(file);
        if (!result.ok) return;
        read++;
        const wire = JSON.parse(JSON.stringify(result.frontmatter)) as Frontmatter;
        const comparison = compareFrontmatter(wire, file);
        expect(comparison.differences).toEqual([]);
        expect(comparison).toMatchObject({ matches: true, reading: 'yaml-1.2' });
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(50);
  });

  test('never throws, for any bytes and any entry', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (yaml, value) => {
        const result = compare({ x: value as JsonValue }, yaml);
        expect(result.matches).toBe(result.reading !== undefined);
        expect(result.matches || result.differences.length + result.remarks.length > 0).toBe(true);
      }),
    );
  });
});
