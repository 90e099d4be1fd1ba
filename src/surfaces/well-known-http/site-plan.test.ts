import { expect, test } from 'vitest';
import { skill } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { memorySource } from '../../sources/memory.ts';
import { createArtifacts } from './artifacts.ts';
import { createSiteDocuments } from './site-documents.ts';
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
  const { skills, findings } = planSite(await createCatalog(source).snapshot());
  expect(skills.map(({ name, type, inV01 }) => [name, type, inV01])).toEqual([
    ['b-refunds', 'skill-md', true],
    ['dots', 'archive', false],
    ['refunds', 'skill-md', true],
    ['sizes', 'archive', false],
  ]);
  expect(findings.map(({ rule, skill: uri }) => [rule, uri])).toEqual([
    ['publish-dynamic', 'skill://today/SKILL.md'],
    ['publish-name-taken', 'skill://refunds/SKILL.md'],
    ['publish-name-alias', 'skill://b/refunds/SKILL.md'],
    ['publish-v01-path', 'skill://dots/SKILL.md'],
    ['publish-v01-path', 'skill://sizes/SKILL.md'],
  ]);
  expect(findings.map(({ message }) => message).join('\n')).toContain(
    '"größe.md" holds characters that are not printable',
  );
});

test('a skill that no archive can hold is a finding, and the others are published', async () => {
  const long = `${'d'.repeat(200)}/${'f'.repeat(200)}`;
  const source = memorySource({
    long: { 'SKILL.md': skill('long'), [long]: 'x' },
    short: { 'SKILL.md': skill('short'), 'a.md': 'x' },
  });
  const catalog = createCatalog(source);
  const index = await createSiteDocuments(catalog, createArtifacts(catalog, options), options).v02();
  expect(index.artifacts.map(({ published }) => published.name)).toEqual(['short']);
  expect(index.findings.map(({ rule, skill: uri }) => [rule, uri])).toEqual([
    ['publish-archive', 'skill://long/SKILL.md'],
  ]);
});

test('documents are made once per snapshot, and lines anew only where a skill changed', async () => {
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
