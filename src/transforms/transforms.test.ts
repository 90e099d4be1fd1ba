import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import type { CatalogChange } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { SkillwireError } from '../errors.ts';
import { executableMetaKey } from '../skill/entry.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';
import { testSkillSource } from '../testing/test-skill-source.ts';
import { combine } from './combine.ts';
import { mirrored } from './mirror.ts';
import { placed } from './placed.ts';
import { prefixed } from './prefix.ts';
import { withRules } from './rules.ts';
import { swappable } from './swappable.ts';

const skill = (name: string, body = ''): { 'SKILL.md': string } => ({
  'SKILL.md': `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`,
});

describe('combine() keeps the promises of a source', () => {
  testSkillSource({
    test,
    create: async () => ({ source: combine([memorySource({ a: skill('a') }), memorySource({ 'x/b': skill('b') })]) }),
  });
});

describe('combine()', () => {
  test('may be kept as long as the source that is asked first, one skill as long as its own', async () => {
    const until = (name: string, time: number) => ({
      ...memorySource({ [name]: skill(name) }),
      freshUntil: () => time,
    });
    const source = combine([until('a', 300), memorySource({ b: skill('b') }), until('c', 200)]);
    for await (const _ of source.list({}));
    expect(source.freshUntil?.()).toBe(200);
    expect(source.freshUntil?.('skill://a/SKILL.md')).toBe(300);
    expect(source.freshUntil?.('skill://b/SKILL.md')).toBeUndefined();
    expect(combine([memorySource({ b: skill('b') })]).freshUntil?.()).toBeUndefined();
  });

  test('serves the first of two skills with one URI and reports the second', async () => {
    await using catalog = createCatalog(
      combine([memorySource({ a: skill('a', 'first') }), memorySource({ a: skill('a', 'second') })]),
    );
    const snapshot = await catalog.snapshot();
    expect(snapshot.listed).toHaveLength(1);
    expect(snapshot.findings).toMatchObject([
      { level: 'problem', rule: 'skill-uri-taken', skill: 'skill://a/SKILL.md' },
    ]);
    const { bytes } = await catalog.read('skill://a/SKILL.md', {});
    expect(new TextDecoder().decode(bytes)).toContain('first');
  });

  test('lets the second take over when the first gives the URI up', async () => {
    const first = memorySource({ a: skill('a', 'first') });
    await using catalog = createCatalog(combine([first, memorySource({ a: skill('a', 'second') })]));
    await catalog.snapshot();
    first.remove('a');
    const { bytes } = await catalog.read('skill://a/SKILL.md', {});
    expect(new TextDecoder().decode(bytes)).toContain('second');
    expect((await catalog.snapshot()).findings).toEqual([]);
  });
});

describe('withRules()', () => {
  const source = memorySource({ 'drafts/a': skill('a'), 'team/b-internal': skill('b-internal'), c: skill('c') });

  test.each([
    [[{ match: 'drafts/', listed: false }], ['c', 'team/b-internal']],
    [[{ match: '*-internal', listed: false }], ['c', 'drafts/a']],
    [
      [
        { match: '*', listed: false },
        { match: 'c', listed: true },
      ],
      ['c'],
    ],
  ])('%j lists %j', async (rules, listed) => {
    await using catalog = createCatalog({ ...withRules(source, rules), close: async () => {} });
    const snapshot = await catalog.snapshot();
    expect(snapshot.listed.map(({ path }) => path)).toEqual(listed);
    expect(snapshot.skills).toHaveLength(3);
    expect((await catalog.read('skill://drafts/a/SKILL.md', {})).bytes.length).toBeGreaterThan(0);
    expect((await catalog.find('skill://drafts/a/SKILL.md', {}))?.path).toBe('drafts/a');
  });

  test('applies to skills that are added later', async () => {
    const live = memorySource({ c: skill('c') });
    await using catalog = createCatalog(withRules(live, [{ match: 'drafts/', listed: false }]));
    await catalog.snapshot();
    const changed = new Promise((resolve) => catalog.subscribe(resolve));
    live.add('drafts/d', skill('d'));
    await changed;
    expect((await catalog.snapshot()).skill('skill://drafts/d/SKILL.md')?.listed).toBe(false);
  });
});

describe('prefixed() keeps the promises of a source', () => {
  testSkillSource({
    test,
    create: async () => ({ source: prefixed(memorySource({ a: skill('a'), 'x/b': skill('b') }), 'team') }),
  });
});

describe('prefixed()', () => {
  test('puts entries, files and findings below the label and leaves digests as they are', async () => {
    const files = { ...skill('a'), 'run.xyz': 'text' };
    const plain = await memorySource({ a: files }).get('skill://a/SKILL.md', {});
    const source = prefixed(memorySource({ a: files }), 'team');
    const moved = await source.get('skill://team/a/SKILL.md', {});
    const text = JSON.stringify(plain?.entry.resources);
    expect(JSON.stringify(moved?.entry.resources)).toBe(text.replaceAll('skill://', 'skill://team/'));
    expect(Object.keys(moved?.mediaTypes ?? {})).toEqual(['skill://team/a/run.xyz']);
    expect(await source.get('skill://a/SKILL.md', {})).toBeUndefined();
    expect(await source.open('skill://a/run.xyz', {})).toBeUndefined();
    expect((await source.open('skill://team/a/run.xyz', {}))?.bytes).toHaveLength(4);
  });

  test('moves what is known of a skill without digests, and the names of executable files', async () => {
    const entry = {
      uri: 'skill://a/SKILL.md',
      frontmatter: { name: 'a', description: 'd' },
      resources: 'dynamic' as const,
      _meta: { [executableMetaKey]: ['skill://a/run.sh'], other: 1 },
    };
    const partial = {
      reason: 'no-digest' as const,
      files: [{ uri: 'skill://a/SKILL.md' }, { uri: 'skill://a/run.sh' }],
    };
    const one: SourceSkill = { entry, partial, listed: true, aliases: ['z'] };
    const source = prefixed({ ...memorySource(), get: async () => one }, 'team');
    expect(await source.get('skill://team/a/SKILL.md', {})).toMatchObject({
      entry: { _meta: { [executableMetaKey]: ['skill://team/a/run.sh'], other: 1 } },
      partial: { files: [{ uri: 'skill://team/a/SKILL.md' }, { uri: 'skill://team/a/run.sh' }] },
      aliases: ['team/z'],
    });
  });
});

describe('mirrored()', () => {
  /** A source that lists what it is told to, or fails. */
  function scripted(): { source: SkillSource; now: { skills: SourceSkill[]; error?: SkillwireError } } {
    const now: { skills: SourceSkill[]; error?: SkillwireError } = { skills: [] };
    const source: SkillSource = {
      name: 'scripted',
      watched: false,
      async *list() {
        if (now.error !== undefined) throw now.error;
        yield { skills: now.skills, findings: [] };
      },
      get: async (uri) => now.skills.find(({ entry }) => entry.uri === uri),
      open: async () => undefined,
    };
    return { source, now };
  }

  const one = (path: string, description = 'd'): SourceSkill => ({
    entry: {
      uri: `skill://${path}/SKILL.md`,
      frontmatter: { name: path, description },
      resources: [{ uri: `skill://${path}/SKILL.md`, digest: `sha256:${'0'.repeat(64)}`, size: 1 }],
    },
    listed: true,
  });

  test('asks again and again, and tells what changed', async () => {
    const { source, now } = scripted();
    now.skills = [one('a'), one('b')];
    await using catalog = createCatalog(mirrored(source, { everyMs: 5 }));
    await catalog.snapshot();
    const changed = new Promise<CatalogChange>((resolve) => catalog.subscribe(resolve));
    now.skills = [one('a', 'other'), one('c')];
    expect(await changed).toMatchObject({
      added: ['skill://c/SKILL.md'],
      changed: ['skill://a/SKILL.md'],
      removed: ['skill://b/SKILL.md'],
    });
  });

  test('keeps the skills of an origin that does not answer any more, and says so until it does', async () => {
    const { source, now } = scripted();
    now.skills = [one('a')];
    await using catalog = createCatalog(mirrored(source, { everyMs: 5 }));
    await catalog.snapshot();
    now.error = new SkillwireError('UNREACHABLE', 'gone');
    await eventually(async () => {
      const { findings, skills } = await catalog.snapshot();
      expect(findings).toMatchObject([{ rule: 'origin-stale', message: expect.stringContaining('gone') }]);
      expect(skills).toHaveLength(1);
    });
    delete now.error;
    await eventually(async () => expect((await catalog.snapshot()).findings).toEqual([]));
  });

  test('fails where the origin never answered, unless others are served', async () => {
    const { source, now } = scripted();
    now.error = new SkillwireError('NOT_AUTHORIZED', 'no');
    await using strict = createCatalog(mirrored(source));
    await expect(strict.snapshot()).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    await using tolerant = createCatalog(mirrored(source, { tolerant: true, everyMs: 5 }));
    expect((await tolerant.snapshot()).findings).toMatchObject([{ rule: 'origin-stale' }]);
    delete now.error;
    now.skills = [one('a')];
    await eventually(async () => expect((await tolerant.snapshot()).skills).toHaveLength(1));
  });

  test('leaves out what has no place among skill URIs', async () => {
    const { source, now } = scripted();
    const odd = one('odd');
    now.skills = [one('a'), { ...odd, entry: { ...odd.entry, uri: 'other://odd/SKILL.md' } }];
    await using catalog = createCatalog(mirrored(source));
    const { skills, findings } = await catalog.snapshot();
    expect(skills.map(({ path }) => path)).toEqual(['a']);
    expect(findings).toMatchObject([{ rule: 'origin-entry-refused' }]);
    expect(await catalog.find('other://odd/SKILL.md', {})).toBeUndefined();
  });
});

test.each([
  ['swappable()', (source: SkillSource) => swappable(source), 'a'],
  ['combine()', (source: SkillSource) => combine([source, memorySource()]), 'a'],
  ['prefixed()', (source: SkillSource) => prefixed(source, 'x'), 'x/a'],
  ['placed()', (source: SkillSource) => placed(source, 'x'), 'x/a'],
  ['withRules()', (source: SkillSource) => withRules(source, [{ match: 'b', listed: false }]), 'a'],
] as const)('what was read before is at hand at once through %s', async (_, transform, path) => {
  const catalog = createCatalog(transform(memorySource({ a: skill('a') })));
  const uri = `skill://${path}/SKILL.md`;
  const { bytes } = await catalog.read(uri, {});
  expect(catalog.readNow?.(uri)?.bytes).toEqual(bytes);
  await catalog.close();
});
