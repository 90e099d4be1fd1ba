import { describe, expect, test } from 'vitest';
import { createCatalog } from '../catalog/create-catalog.ts';
import { executableMetaKey } from '../skill/entry.ts';
import { memorySource } from '../sources/memory.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import { combine } from './combine.ts';
import { withRules } from './selected.ts';
import { underLabel } from './under-label.ts';

const skill = (name: string, body = ''): { 'SKILL.md': string } => ({
  'SKILL.md': `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`,
});

describe('combine()', () => {
  test('is as fresh as the least fresh source, and one skill as fresh as its own', async () => {
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

  test('serves the second when the first removes the URI', async () => {
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

describe('underLabel()', () => {
  test('puts entries, files and findings under the label and does not change digests', async () => {
    const files = { ...skill('a'), 'run.xyz': 'text' };
    const plain = await memorySource({ a: files }).get('skill://a/SKILL.md', {});
    const source = underLabel(memorySource({ a: files }), 'team');
    const moved = await source.get('skill://team/a/SKILL.md', {});
    const text = JSON.stringify(plain?.entry.resources);
    expect(JSON.stringify(moved?.entry.resources)).toBe(text.replaceAll('skill://', 'skill://team/'));
    expect(Object.keys(moved?.mediaTypes ?? {})).toEqual(['skill://team/a/run.xyz']);
    expect(await source.get('skill://a/SKILL.md', {})).toBeUndefined();
    expect(await source.open('skill://a/run.xyz', {})).toBeUndefined();
    expect((await source.open('skill://team/a/run.xyz', {}))?.bytes).toHaveLength(4);
  });

  test('moves the known files of a skill without digests, and the names of executable files', async () => {
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
    const source = underLabel({ ...memorySource(), get: async () => one }, 'team');
    expect(await source.get('skill://team/a/SKILL.md', {})).toMatchObject({
      entry: { _meta: { [executableMetaKey]: ['skill://team/a/run.sh'], other: 1 } },
      partial: { files: [{ uri: 'skill://team/a/SKILL.md' }, { uri: 'skill://team/a/run.sh' }] },
      aliases: ['team/z'],
    });
  });
});
