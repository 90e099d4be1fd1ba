import { expect, onTestFinished, test, vi } from 'vitest';
import { skill } from '../../../test/skill-folders.ts';
import { turnsOf } from '../../../test/turns-of.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { createArtifacts } from './artifacts.ts';
import { createSiteDocuments, type IndexV02 } from './site-documents.ts';
import { planSite } from './site-plan.ts';

const options = { format: 'tar.gz', digest: sha256Digest } as const;

test('planSite() reports every skill that readers of a site get differently, or not at all', async () => {
  const source = memorySource({
    'a/refunds': { 'SKILL.md': skill('refunds') },
    'b/refunds': { 'SKILL.md': skill('refunds') },
    refunds: { 'SKILL.md': skill('refunds') },
    sizes: { 'SKILL.md': skill('sizes'), 'größe.md': 'x' },
    dots: { 'SKILL.md': skill('dots'), 'a..b': 'x' },
  });
  source.add('today', { description: 'Figures.' }, () => 'now');
  const { skills, findings } = await planSite(await createCatalog(source).snapshot());
  expect(skills.map(({ name, type, inV01 }) => [name, type, inV01])).toEqual([
    ['b-refunds', 'skill-md', true],
    ['dots', 'archive', false],
    ['refunds', 'skill-md', true],
    [expect.stringMatching(/^refunds-[a-z0-9]{8}$/), 'skill-md', true],
    ['sizes', 'archive', false],
  ]);
  expect(findings.map(({ rule, skill: uri }) => [rule, uri])).toEqual([
    ['publish-dynamic', 'skill://today/SKILL.md'],
    ['publish-name-alias', 'skill://b/refunds/SKILL.md'],
    ['publish-v01-path', 'skill://dots/SKILL.md'],
    ['publish-name-alias', 'skill://refunds/SKILL.md'],
    ['publish-v01-path', 'skill://sizes/SKILL.md'],
  ]);
  expect(findings.map(({ message }) => message).join('\n')).toContain(
    '"größe.md" contains characters that are not printable',
  );
});

test('a skill that no archive can contain is a finding, and the others are published', async () => {
  const long = `${'d'.repeat(200)}/${'f'.repeat(200)}`;
  const source = memorySource({
    long: { 'SKILL.md': skill('long'), [long]: 'x' },
    short: { 'SKILL.md': skill('short'), 'a.md': 'x' },
  });
  const catalog = createCatalog(source);
  const index = await createSiteDocuments(catalog, createArtifacts(catalog, options), options).v02();
  expect(names(index)).toEqual(['short']);
  expect(index.findings.map(({ rule, skill: uri }) => [rule, uri])).toEqual([
    ['publish-archive', 'skill://long/SKILL.md'],
  ]);
});

const names = (index: IndexV02): string[] => index.artifacts.map(({ published }) => published.name);

test.each([
  [
    'an origin that does not answer',
    () => new SkillwireError('UNREACHABLE', 'the origin is silent'),
    'the origin is silent',
  ],
  ['an error of a source', () => new Error('its disk is gone'), 'its disk is gone'],
  ['a file that never rests', () => new SkillwireError('UNSTABLE', 'x'), 'its files do not match its entry'],
])('%s leaves out one skill with a finding, and is tried again later', async (_, error, reason) => {
  const memory = memorySource({
    ill: { 'SKILL.md': skill('ill'), 'a.md': 'x' },
    well: { 'SKILL.md': skill('well'), 'a.md': 'x' },
  });
  let isIll = true;
  const open: SkillSource['open'] = async (uri, context) => {
    if (isIll && uri === 'skill://ill/a.md') throw error();
    return memory.open(uri, context);
  };
  const catalog = createCatalog({ ...memory, open });
  const documents = createSiteDocuments(catalog, createArtifacts(catalog, options), options);
  const index = await documents.v02();
  expect(names(index)).toEqual(['well']);
  expect(index.findings).toMatchObject([
    {
      level: 'problem',
      rule: 'publish-unreadable',
      skill: 'skill://ill/SKILL.md',
      message: `the skill is not in the v0.2.0 index: ${reason}`,
    },
  ]);
  isIll = false;
  expect(await documents.v02()).toBe(index);
  const later = performance.now() + limits.wellKnown.retryMs;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
  onTestFinished(() => clock.mockRestore());
  expect(names(await documents.v02())).toEqual(['ill', 'well']);
});

test('an entry that contradicts its own files is left out', async () => {
  const memory = memorySource({
    outer: { 'SKILL.md': skill('outer'), 'in/SKILL.md': skill('in', 'Of the outer one.') },
    'outer/in': { 'SKILL.md': skill('in', 'Of another.') },
    other: { 'SKILL.md': skill('other'), 'a.md': 'x' },
  });
  const catalog = createCatalog(memory);
  const index = await createSiteDocuments(catalog, createArtifacts(catalog, options), options).v02();
  expect(names(index)).toEqual(['in', 'other']);
  expect(index.findings).toMatchObject([{ rule: 'publish-unreadable', skill: 'skill://outer/SKILL.md' }]);
});

test('documents are made once per snapshot, and lines only again if a skill changed', async () => {
  const source = memorySource({ a: { 'SKILL.md': skill('a'), x: '1' }, b: { 'SKILL.md': skill('b'), x: '1' } });
  const catalog = createCatalog(source);
  let packed = 0;
  const counting = {
    format: 'tar.gz',
    digest: (bytes: Uint8Array) => {
      if (bytes[0] === 0x1f) packed++;
      return sha256Digest(bytes);
    },
  } as const;
  const documents = createSiteDocuments(catalog, createArtifacts(catalog, counting), counting);
  const [first, second] = await Promise.all([documents.v02(), documents.v02()]);
  expect(second).toBe(first);
  expect(packed).toBe(2);
  source.add('b', { 'SKILL.md': skill('b'), x: '2' });
  await expect.poll(async () => (await catalog.snapshot()).generation).toBe(1);
  const third = await documents.v02();
  expect(packed).toBe(3);
  expect(third.artifacts[0]?.digest).toBe(first.artifacts[0]?.digest);
  expect(third.artifacts[1]?.digest).not.toBe(first.artifacts[1]?.digest);
});

test('the plan and the v0.1 index of many skills are made in slices, with other work in between', async () => {
  const count = 2_100;
  const names = Array.from({ length: count }, (_, index) => `skill-${index}`);
  const catalog = createCatalog(
    memorySource(Object.fromEntries(names.map((name) => [name, { 'SKILL.md': skill(name) }]))),
  );
  const documents = createSiteDocuments(catalog, createArtifacts(catalog, options), options);
  const snapshot = await catalog.snapshot();
  // At most 500 skills in a turn: once for their entries, once for their names.
  const plan = await turnsOf(() => documents.plan(snapshot));
  expect(plan.turns).toBeGreaterThanOrEqual(8);
  expect(plan.made.skills.map(({ name }) => name)).toEqual([...names].sort());
  const index = await turnsOf(() => documents.v01(snapshot));
  expect(index.turns).toBeGreaterThanOrEqual(4);
  expect(JSON.parse(new TextDecoder().decode(index.made.bytes)).skills).toHaveLength(count);
});
