import { expect, test } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import type { CatalogChange } from '../../../catalog/catalog.ts';
import { createCatalog } from '../../../catalog/create-catalog.ts';
import { memorySource } from '../../../sources/memory.ts';
import { changedAliases } from './aliases.ts';
import { type DialectOptions, dialectSettings } from './served-dialects.ts';

async function changesOf(options: DialectOptions, change: (source: ReturnType<typeof memorySource>) => void) {
  const source = memorySource();
  source.add('acme/refunds', { description: 'Pay back' }, '# Refunds\n', { 'a b.md': 'x' });
  source.add('other', { description: 'Else' }, '# Other\n');
  const catalog = createCatalog(source);
  await catalog.snapshot();
  const seen: CatalogChange[] = [];
  catalog.subscribe((one) => seen.push(one));
  change(source);
  await eventually(() => expect(seen).not.toEqual([]));
  const settings = dialectSettings(options);
  return seen.flatMap((one) => changedAliases(one, settings)).sort();
}

test('changedAliases() lists every address of a changed skill, and of no other', async () => {
  const changed = await changesOf({ usage: { label: 'house', skill: 'refunds' } }, (source) =>
    source.add('acme/refunds', { description: 'Pay back' }, '# Refunds\n', { 'a b.md': 'y' }),
  );
  expect(changed).toEqual(
    [
      'skill://',
      'skill://index',
      'skill://index.json',
      'skill://prompt-xml',
      'skill://house/usage',
      'skill://lookup/refunds',
      ...['skill://acme/refunds', 'skill://refunds'].flatMap((base) => [
        base,
        `${base}/`,
        `${base}/_manifest`,
        `${base}/documents`,
        `${base}/document/a%20b.md`,
        `${base}.tar.gz`,
        `${base}.zip`,
      ]),
      'skill://refunds/a%20b.md',
    ].sort(),
  );
});

test('changedAliases() lists only served addresses', async () => {
  const change = (source: ReturnType<typeof memorySource>): void => source.add('new', { description: 'N' }, '# New\n');
  expect(await changesOf({ dialects: ['skill-index'] }, change)).toEqual(['skill://index.json']);
  expect(await changesOf({ dialects: ['fastmcp'] }, change)).toEqual(['skill://new/_manifest']);
  expect(await changesOf({ dialects: 'none' }, change)).toEqual([]);
});

test('changedAliases() lists the addresses of a removed skill', async () => {
  const changed = await changesOf({ dialects: ['fastmcp'] }, (source) => {
    source.remove('other');
  });
  expect(changed).toEqual(['skill://other/_manifest']);
});
