import { describe, expect, test } from 'vitest';
import { createCatalog } from '../catalog/create-catalog.ts';
import { memorySource } from '../sources/memory.ts';
import { testSkillSource } from '../testing/test-skill-source.ts';
import { combine } from './combine.ts';
import { withRules } from './rules.ts';

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
