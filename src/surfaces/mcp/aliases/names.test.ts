import { expect, test } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import type { CatalogChange } from '../../../catalog/catalog.ts';
import { createCatalog } from '../../../catalog/create-catalog.ts';
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { type MemorySource, memorySource } from '../../../sources/memory.ts';
import { carryNamesOver, nameOf, skillNames } from './names.ts';

function twoOfOneName(): MemorySource {
  const source = memorySource();
  source.add('acme/refunds', { description: 'Pay back' }, '# Refunds\n', { 'a.md': 'x' });
  source.add('house/refunds', { description: 'Pay back too' }, '# Refunds\n');
  return source;
}

async function changeOf(change: (source: MemorySource) => void): Promise<CatalogChange> {
  const source = twoOfOneName();
  const catalog = createCatalog(source);
  skillNames(await catalog.snapshot());
  const seen: CatalogChange[] = [];
  catalog.subscribe((one) => seen.push(one));
  change(source);
  await eventually(() => expect(seen).toHaveLength(1));
  return seen[0] as CatalogChange;
}

/** The same snapshot, whose listed skills must not be looked at. */
function withoutListing(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    get listed(): readonly SkillRecord[] {
      throw new Error('all skills were looked at');
    },
  };
}

test('the first skill of a name has it, every other one its path', async () => {
  const snapshot = await createCatalog(twoOfOneName()).snapshot();
  expect([...skillNames(snapshot).byName].map(([name, { path }]) => [name, path])).toEqual([
    ['refunds', 'acme/refunds'],
    ['house-refunds', 'house/refunds'],
  ]);
  expect(nameOf(snapshot, 'skill://house/refunds/SKILL.md')).toBe('house-refunds');
});

test('carryNamesOver() visits no skills if an edit changes no name', async () => {
  const change = await changeOf((source) =>
    source.add('acme/refunds', { description: 'Pay back' }, '# Refunds\n', { 'a.md': 'y' }),
  );
  const snapshot = withoutListing(change.snapshot);
  expect(() => nameOf(snapshot, 'skill://acme/refunds/SKILL.md')).toThrow('all skills were looked at');
  carryNamesOver({ ...change, snapshot });
  expect(nameOf(snapshot, 'skill://acme/refunds/SKILL.md')).toBe('refunds');
  carryNamesOver(change);
  const [refunds] = skillNames(change.snapshot).named;
  expect(refunds?.skill).toBe(change.snapshot.skill('skill://acme/refunds/SKILL.md'));
});

test('carryNamesOver() reuses nothing if a skill is added or removed', async () => {
  const gone = await changeOf((source) => source.remove('acme/refunds'));
  carryNamesOver(gone);
  expect(nameOf(gone.snapshot, 'skill://house/refunds/SKILL.md')).toBe('refunds');
  const more = await changeOf((source) => source.add('aaa/refunds', { description: 'First' }, '# Refunds\n'));
  carryNamesOver(more);
  expect(nameOf(more.snapshot, 'skill://aaa/refunds/SKILL.md')).toBe('refunds');
});
