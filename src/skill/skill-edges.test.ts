/** Names, paths, sets, client rules and provenance at their edges. */
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { clientFaults, isListable } from './client-rules.ts';
import type { SkillEntry } from './entry.ts';
import { at, countFindings, finding, totalFindings, withRest } from './finding.ts';
import { linkedPaths } from './linked-paths.ts';
import { isSkillName, nameFault, suggestName } from './name.ts';
import { folderPath, hasFilesIn, nestedOf, pathsAround } from './nested-skills.ts';
import { decodeProvenance, decodeVia } from './provenance.ts';
import { sameSet, setDifference, setOf } from './skill-set.ts';

describe('clientFaults()', () => {
  const most = limits.skill.compatibilityLength;
  test.each<readonly [Record<string, never> | Record<string, unknown>, readonly RegExp[]]>([
    [{}, []],
    [{ compatibility: 'x'.repeat(most), metadata: { a: 'b' } }, []],
    [{ compatibility: '\u{1f600}'.repeat(most) }, []],
    [{ compatibility: 'x'.repeat(most + 1) }, [new RegExp(`"compatibility" has ${most + 1} characters`)]],
    [{ compatibility: '' }, [/is empty/]],
    [{ compatibility: 7 }, [/is not text/]],
    [{ compatibility: null, metadata: [] }, [/"compatibility" is not text/, /"metadata" is not a mapping/]],
    [{ metadata: { a: 1, b: 'x', c: null } }, [/not text: "a", "c"$/]],
    [{ metadata: { a: 1, b: 1, c: 1, d: 1, e: 1 } }, [/"e"$/]],
    [{ metadata: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 } }, [/"e", \.\.\.$/]],
  ])('of %j', (fields, messages) => {
    const frontmatter = { name: 'a', description: 'b', ...fields } as never;
    const found = clientFaults(frontmatter);
    expect(found).toHaveLength(messages.length);
    for (const [index, message] of messages.entries()) expect(found[index]?.message).toMatch(message);
    expect(isListable(frontmatter)).toBe(messages.length === 0);
  });
});

describe('names', () => {
  const most = limits.skill.nameLength;
  test.each(['a', 'a-b', '0', 'a1-2b', 'a'.repeat(most)])('%s is valid', (name) => {
    expect([isSkillName(name), nameFault(name)]).toEqual([true, undefined]);
  });
  test.each<readonly [unknown, RegExp]>([
    [7, /not text/],
    ['', /empty/],
    ['a'.repeat(most + 1), new RegExp(`${most + 1} characters`)],
    ['Ab', /upper-case/],
    ['\u00e4b', /other than a-z/],
    ['a b', /other than/],
    ['\u00e4 b', /other than/],
    ['-a', /starts with/],
    ['a-', /ends with/],
    ['a--b', /two hyphens/],
  ])('%j is invalid', (name, fault) => {
    expect(isSkillName(name)).toBe(false);
    expect(nameFault(name)).toMatch(fault);
  });
  test.each([
    ['Heron Tools', 'heron-tools'],
    ['  -- \u00c4pfel & Birnen --', 'apfel-birnen'],
    ['***', undefined],
    ['', undefined],
    ['a'.repeat(most + 5), 'a'.repeat(most)],
    [`${'a'.repeat(most - 2)} bcd`, 'a'.repeat(most - 2)],
    [`${'a'.repeat(most)} b`, 'a'.repeat(most)],
    [`${'a'.repeat(most - 1)} b`, 'a'.repeat(most - 1)],
  ])('suggestName(%j) is %s', (text, name) => {
    expect(suggestName(text)).toBe(name);
  });
});

describe('linkedPaths()', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['[a](b.md) and [c](d/e.md "title")', 'SKILL.md', ['b.md', 'd/e.md']],
    ['[a](<b.md>)', 'SKILL.md', ['b.md']],
    ['[a]: b.md\n  [c]: <d.md>', 'SKILL.md', ['b.md', 'd.md']],
    ['[a](../b.md) [c](./d.md)', 'x/y.md', ['b.md', 'x/d.md']],
    ['[a](../../b.md)', 'x/y.md', []],
    ['[a](b%20c.md#part) [d](e.md?x)', 'SKILL.md', ['b c.md', 'e.md']],
    ['[a](https://x.test/a.md) [b](/abs.md) [c](#here) [d](mailto:x) [e](?q) [f](\\x)', 'SKILL.md', []],
    ['[a](folder/) [b](.)', 'SKILL.md', []],
    ['[a](SKILL.md) [b](b.md) [b](b.md)', 'SKILL.md', ['b.md']],
    ['`[a](b.md)`\n```\n[c](d.md)\n```\n[e](f.md)', 'SKILL.md', ['f.md']],
    ['~~~\n[c](d.md)', 'SKILL.md', []],
    ['[a](%zz.md) [b](x%2Fy.md)', 'SKILL.md', []],
  ])('of %j in %s', (text, from, paths) => {
    expect(linkedPaths(text, from)).toEqual(paths);
  });

  test('are limited', () => {
    const text = Array.from({ length: limits.skill.files + 5 }, (_, index) => `[a](${index}.md)`).join(' ');
    expect(linkedPaths(text, 'SKILL.md')).toHaveLength(limits.skill.files);
  });
});

describe('sets of files', () => {
  const set = (...rows: string[]) => rows.map((row) => ({ uri: row.slice(0, 1), digest: row.slice(1) }));
  const entry = (...uris: string[]) =>
    ({ resources: uris.map((uri) => ({ uri, digest: `d${uri}`, size: 1 })) }) as unknown as SkillEntry;

  test('are sorted by URI, and the entry does not change', () => {
    const given = entry('b', 'a', 'c');
    expect(setOf(given)?.map(({ uri }) => uri)).toEqual(['a', 'b', 'c']);
    expect((given.resources as readonly { uri: string }[]).map(({ uri }) => uri)).toEqual(['b', 'a', 'c']);
    expect(setOf(entry('a', 'b'))).toEqual([
      { uri: 'a', digest: 'da' },
      { uri: 'b', digest: 'db' },
    ]);
    expect(setOf({ ...given, resources: 'dynamic' })).toBeUndefined();
  });

  test.each([
    [set('a1', 'b2'), set('a1', 'b2'), true, { added: [], removed: [], changed: [] }],
    [set('a1', 'b2'), set('a1', 'b3'), false, { added: [], removed: [], changed: ['b'] }],
    [set('a1', 'b2'), set('a1', 'c2'), false, { added: ['c'], removed: ['b'], changed: [] }],
    [set('a1'), set('a1', 'b2'), false, { added: ['b'], removed: [], changed: [] }],
    [set('a1', 'b2'), set('a1'), false, { added: [], removed: ['b'], changed: [] }],
  ])('%j and %j are the same: %s', (before, after, same, difference) => {
    expect(sameSet(before, after)).toBe(same);
    expect(setDifference(before, after)).toEqual(difference);
  });
});

describe('nested skills', () => {
  const entry = {
    uri: 'skill://a/SKILL.md',
    resources: ['SKILL.md', 'b/skill.md', 'b/c.md', 'xSKILL.md'].map((path) => ({
      uri: `skill://a/${path}`,
      digest: 'd',
      size: 1,
    })),
  };
  test("are SKILL.md files in any case below the skill's own one", () => {
    expect(nestedOf(entry)).toEqual(['skill://a/b/skill.md']);
    expect(nestedOf({ ...entry, resources: 'dynamic' })).toEqual([]);
  });
  test.each([
    ['a', true],
    ['a/b', true],
    ['a/bb', false],
    ['a/b/c', false],
    ['c', false],
  ])('%s has files: %s', (folder, has) => {
    expect(hasFilesIn(entry, folder)).toBe(has);
    expect(hasFilesIn({ resources: 'dynamic' }, folder)).toBe(true);
  });
  test('folders around a path', () => {
    expect([...pathsAround('a/b/c')]).toEqual(['a/b', 'a']);
    expect([...pathsAround('a')]).toEqual([]);
    expect(folderPath('skill://a/b/SKILL.md')).toBe('a/b');
    expect(folderPath('x')).toBe('');
  });
});

describe('provenance', () => {
  const good = {
    label: 'docs',
    uri: 'skill://a/SKILL.md',
    kind: 'mcp',
    verified: 'files',
    since: '2026-01-01T00:00:00.000Z',
    via: ['abcdefgh'],
  };
  test('is read with its known fields', () => {
    expect(decodeProvenance(good)).toEqual(good);
    const more = { ...good, dialect: 'x', stale: '2026-01-02T00:00:00Z', from: { ...good, label: 'other' } };
    expect(decodeProvenance({ ...more, unknown: 1 })).toEqual(more);
    expect(decodeProvenance({ ...good, dialect: '', stale: 'x', from: 7 })).toEqual(good);
    for (const verified of ['files', 'some', 'none'])
      expect(decodeProvenance({ ...good, verified })?.verified).toBe(verified);
  });
  const hops = limits.gateway.hops;
  test.each<object>([
    { label: '' },
    { label: 7 },
    { label: 'x'.repeat(1025) },
    { uri: '' },
    { uri: 'x'.repeat(limits.uri.characters + 1) },
    { kind: undefined },
    { since: 'now' },
    { since: `2026-01-01T${'0'.repeat(40)}Z` },
    { verified: 'all' },
    { verified: 7 },
    { via: 'abcdefgh' },
    { via: ['short'] },
    { via: ['ABCDEFGH'] },
    { via: Array.from({ length: hops * 2 + 1 }, () => 'abcdefgh') },
  ])('is invalid with %j', (more) => {
    expect(decodeProvenance({ ...good, ...more })).toBeUndefined();
  });
  test('accepts values exactly at the limits', () => {
    expect(
      decodeProvenance({ ...good, label: 'x'.repeat(1024), via: Array.from({ length: hops * 2 }, () => 'abcdefgh') }),
    ).toBeDefined();
    const nest = (depth: number): object => (depth === 0 ? good : { ...good, from: nest(depth - 1) });
    const depthOf = (value: unknown): number =>
      value === undefined ? 0 : 1 + depthOf((value as { from?: unknown }).from);
    expect(depthOf(decodeProvenance(nest(hops + 3)))).toBe(hops + 1);
    expect(decodeProvenance(null)).toBeUndefined();
  });
  test.each<readonly [unknown, boolean]>([
    [['abcdefgh'], true],
    [Array.from({ length: hops * 2 }, () => 'abcdefgh'), true],
    [Array.from({ length: hops * 2 + 1 }, () => 'abcdefgh'), false],
    [[], false],
    [['x'], false],
    ['abcdefgh', false],
  ])('via %j: %s', (value, good) => {
    expect(decodeVia(value)).toEqual(good ? value : undefined);
  });
});

describe('findings', () => {
  const all = [
    finding('skill-md-bom', 'x'),
    finding('frontmatter-yaml', 'y', { file: 'f', line: 2, skill: 's', remedy: 'r' }),
    finding('skill-md-long-body', 'z'),
    finding('skill-md-bom', 'w'),
  ];
  test('are counted by level, including omitted ones', () => {
    expect(countFindings(all)).toEqual({ problems: 1, warnings: 2, notes: 1 });
    const rest = withRest(all.slice(0, 1), all, (count) => `${count} more`);
    expect(rest[1]).toMatchObject({
      rule: 'too-many-findings',
      message: '3 more',
      omitted: { problems: 1, warnings: 1, notes: 1 },
    });
    expect([countFindings(rest), totalFindings(rest), totalFindings(all)]).toEqual([
      { problems: 1, warnings: 2, notes: 1 },
      4,
      4,
    ]);
  });
  test('have a location if it is known', () => {
    expect(all[1]).toEqual({
      level: 'problem',
      rule: 'frontmatter-yaml',
      message: 'y',
      remedy: 'r',
      file: 'f',
      line: 2,
      skill: 's',
    });
    expect(Object.keys(JSON.parse(JSON.stringify(all[0])))).toEqual(['level', 'rule', 'message', 'remedy']);
    const [first = finding('skill-md-bom', 'x')] = all;
    expect(at(first, { file: 'f', line: 3, skill: 's' })).toEqual({ ...first, file: 'f', line: 3, skill: 's' });
    expect(at(first, {})).toEqual(first);
  });
});
