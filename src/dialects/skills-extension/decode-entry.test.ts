import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { executableMetaKey } from '../../skill/entry.ts';
import { decodeEntry, type EntryReading } from './decode-entry.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const file = (uri: string, size: unknown = 1): Record<string, unknown> => ({ uri, digest, size });
const uri = 'skill://acme/refunds/SKILL.md';
const good = {
  uri,
  frontmatter: { name: 'refunds', description: 'About refunds.' },
  resources: [file(uri), file('skill://acme/refunds/a.md')],
};

function accepted(value: unknown): Extract<EntryReading, { ok: true }> {
  const reading = decodeEntry(value);
  if (!reading.ok) throw new Error(reading.refused.faults.map(({ message }) => message).join('; '));
  return reading;
}

function refused(value: unknown): readonly string[] {
  const reading = decodeEntry(value);
  if (reading.ok) throw new Error('accepted');
  return reading.refused.faults.map(({ message }) => message);
}

const ids = (value: unknown): string[] => accepted(value).remarks.map(({ requirement }) => requirement);

describe('decodeEntry() accepts', () => {
  test('a valid entry, without unknown fields', () => {
    expect(accepted({ ...good, tag: 'x', resources: [{ ...file(uri), extra: 1 }] })).toEqual({
      ok: true,
      remarks: [],
      skill: { entry: { ...good, resources: [file(uri)] } },
    });
  });

  test('"dynamic"', () => {
    expect(accepted({ ...good, resources: 'dynamic' }).skill).toEqual({ entry: { ...good, resources: 'dynamic' } });
  });

  test('files in any order, and sorts them', () => {
    const { entry } = accepted({ ...good, resources: [...good.resources].reverse() }).skill;
    expect(entry.resources).toEqual(good.resources);
  });

  test('another scheme, and everything up to the limits', () => {
    const own = 'github://o/r/refunds/SKILL.md';
    expect(ids({ ...good, uri: own, resources: [file(own, limits.skill.bytes)] })).toEqual([]);
    const files = Array.from({ length: limits.skill.files - 1 }, (_, index) =>
      file(`skill://acme/refunds/${index}`, 0),
    );
    expect(ids({ ...good, resources: [file(uri), ...files] })).toEqual([]);
  });

  test('digests without sizes, as an entry that cannot be fully verified', () => {
    const bare = [
      { uri, digest },
      { uri: 'skill://acme/refunds/a.md', digest },
    ];
    const { skill, remarks } = accepted({ ...good, resources: bare });
    expect(skill).toEqual({
      entry: { ...good, resources: 'dynamic' },
      partial: { reason: 'no-size', files: bare },
    });
    expect(remarks).toEqual([expect.objectContaining({ requirement: 'S-30', uri })]);
    const mixed = accepted({ ...good, resources: [file(uri), bare[1]] });
    expect(mixed.skill).toEqual(skill);
    expect(mixed.remarks[0]?.message).toContain('1 of 2 files');
  });

  test('URIs in an unusual spelling', () => {
    const files = [file(uri), file('skill://acme/refunds/größe b.md')];
    const { skill, remarks } = accepted({ ...good, resources: files });
    expect(skill.entry.resources).toEqual(files);
    expect(remarks.map(({ requirement }) => requirement)).toEqual(['S-9']);
  });

  test('metadata that is not text', () => {
    const frontmatter = { ...good.frontmatter, metadata: { version: 1 } };
    expect(accepted({ ...good, frontmatter }).skill.entry.frontmatter).toEqual(frontmatter);
    expect(ids({ ...good, frontmatter })).toEqual(['S-5']);
    expect(ids({ ...good, frontmatter: { ...good.frontmatter, metadata: { version: '1' } } })).toEqual([]);
  });

  test('Foreign _meta, but none of our own that nobody checked', () => {
    const meta = {
      'com.example/x': [1],
      'dev.skillwire/origin': 'faked',
      [executableMetaKey]: ['skill://acme/refunds/a.md'],
    };
    expect(accepted({ ...good, _meta: meta }).skill.entry._meta).toEqual({
      'com.example/x': [1],
      [executableMetaKey]: ['skill://acme/refunds/a.md'],
    });
    const outside = { ...good, _meta: { [executableMetaKey]: ['skill://acme/other/x'] } };
    expect(accepted(outside).skill.entry._meta).toBeUndefined();
    expect(ids(outside)).toEqual(['S-59']);
  });

  test('_meta that is not an object or too large, and drops it', () => {
    for (const _meta of ['x', Array(9), { a: Array(limits.origin.metaNodes + 1).fill(0) }]) {
      expect(accepted({ ...good, _meta }).skill.entry._meta).toBeUndefined();
      expect(ids({ ...good, _meta })).toEqual(['S-59']);
    }
  });

  test('a key "__proto__" as a key', () => {
    const entry = JSON.parse(JSON.stringify({ ...good, _meta: { x: 1 } }).replace('"x"', '"__proto__"'));
    const { _meta } = accepted(entry).skill.entry;
    expect(Object.keys(_meta ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(_meta)).toBe(Object.prototype);
  });
});

describe('decodeEntry() refuses', () => {
  test.each<[what: string, value: unknown, fault: RegExp]>([
    ['what is no object', 7, /not an object/],
    ['no resources', { ...good, resources: undefined }, /neither a list nor "dynamic"/],
    ['"Dynamic"', { ...good, resources: 'Dynamic' }, /neither a list nor "dynamic"/],
    ['a digest in upper case', { ...good, resources: [{ ...file(uri), digest: digest.toUpperCase() }] }, /digest/],
    ['another algorithm', { ...good, resources: [{ ...file(uri), digest: `sha1:${'a'.repeat(40)}` }] }, /digest/],
    ['a negative size', { ...good, resources: [file(uri, -1)] }, /size -1/],
    ['a size of null', { ...good, resources: [file(uri, null)] }, /size null/],
    ['a file elsewhere', { ...good, resources: [file(uri), file('skill://other/x')] }, /outside/],
    ['a file of another scheme', { ...good, resources: [file(uri), file('github://acme/refunds/x')] }, /outside/],
    [
      'a file twice in two spellings',
      { ...good, resources: [file(uri), file('skill://acme/refunds/%53KILL.md')] },
      /twice/,
    ],
    ['no SKILL.md among the files', { ...good, resources: [] }, /does not list the SKILL.md/],
    [
      'files that collide',
      { ...good, resources: [...good.resources, file('skill://acme/refunds/A.MD')] },
      /only by case/,
    ],
    ['a file URI', { ...good, uri: 'file:///refunds/SKILL.md' }, /cannot be the URI/],
    ['a URI that climbs', { ...good, uri: 'skill://a/../refunds/SKILL.md' }, /cannot be the URI/],
    ['a URI of no SKILL.md', { ...good, uri: 'skill://acme/refunds' }, /does not end with/],
    ['a name that is not the folder', { ...good, frontmatter: { name: 'x', description: 'y' } }, /folder "refunds"/],
    ['too many files', { ...good, resources: Array(513).fill(file(uri)) }, /513 files; at most 512/],
    ['too many bytes', { ...good, resources: [file(uri, 16_777_217)] }, /16777217 bytes in total; at most 16777216/],
    ['deep frontmatter', { ...good, frontmatter: { ...good.frontmatter, x: nested(40) } }, /32 levels/],
    ['large frontmatter', { ...good, frontmatter: { ...good.frontmatter, x: Array(2_001).fill(0) } }, /2000 values/],
  ])('%s', (_what, value, fault) => {
    expect(refused(value).join('\n')).toMatch(fault);
  });

  test('and repeats the name and URI, with a limited number of faults', () => {
    const reading = decodeEntry({ ...good, resources: Array.from({ length: 512 }, () => ({})) });
    expect(reading).toMatchObject({ ok: false, refused: { uri, name: 'refunds' } });
    expect(reading.ok ? [] : reading.refused.faults).toHaveLength(limits.origin.faults + 1);
  });

  test('very deep values without a stack overflow', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(refused({ ...good, frontmatter: { ...good.frontmatter, deep } }).join()).toMatch(/levels/);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}
