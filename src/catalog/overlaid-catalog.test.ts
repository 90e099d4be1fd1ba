import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { memorySource } from '../sources/memory.ts';
import type { CatalogChange } from './catalog.ts';
import { createCatalog } from './create-catalog.ts';
import { overlaidCatalog } from './overlaid-catalog.ts';

const uri = 'skill://a/SKILL.md';
const third = 'skill://c/SKILL.md';

function pair() {
  const [lower, upper] = [memorySource(), memorySource()];
  lower.add('a', { description: 'Old.' }, 'old', { 'gone.md': 'old file' });
  lower.add('b', { description: 'Other.' }, 'other');
  return { lower, upper, catalog: overlaidCatalog(createCatalog(lower), createCatalog(upper)) };
}

describe('overlaidCatalog()', () => {
  test('shows the skill of the upper catalog with its own files, and the lower one again after its removal', async () => {
    const { upper, catalog } = pair();
    const text = async (file: string): Promise<string> =>
      new TextDecoder().decode((await catalog.read(file, {})).bytes);
    expect(await text(uri)).toContain('old');
    const before = await catalog.snapshot();
    upper.add('a', { description: 'New.' }, 'new');
    const snapshot = await eventually(async () => {
      const now = await catalog.snapshot();
      expect(now.generation).toBeGreaterThan(before.generation);
      return now;
    });
    expect(snapshot.skills.map(({ entry }) => entry.frontmatter.description)).toEqual(['New.', 'Other.']);
    expect(snapshot.file('skill://a/gone.md')).toBeUndefined();
    expect(await text(uri)).toContain('new');
    expect((await catalog.find(uri, {}))?.entry.frontmatter.description).toBe('New.');
    upper.remove('a');
    await eventually(async () => expect(await text('skill://a/gone.md')).toBe('old file'));
  });

  test('reports changes as seen through both catalogs', async () => {
    const { lower, upper, catalog } = pair();
    await catalog.snapshot();
    const heard: Pick<CatalogChange, 'added' | 'removed' | 'changed'>[] = [];
    const stop = catalog.subscribe(({ added, removed, changed }) => heard.push({ added, removed, changed }));
    const steps: readonly [() => void, (typeof heard)[number]][] = [
      [() => upper.add('a', { description: 'New.' }, 'new'), { added: [], removed: [], changed: [uri] }],
      [() => upper.add('c', { description: 'Third.' }, 'x'), { added: [third], removed: [], changed: [] }],
      // The catalog below is not visible.
      [() => lower.add('a', { description: 'Below.' }, 'x'), { added: [], removed: [], changed: [] }],
      [() => upper.remove('a'), { added: [], removed: [], changed: [uri] }],
      [() => upper.remove('c'), { added: [], removed: [third], changed: [] }],
    ];
    for (const [at, [act, expected]] of steps.entries()) {
      act();
      await eventually(() => expect(heard[at]).toEqual(expected));
    }
    stop();
    upper.add('d', { description: 'Fourth.' }, 'x');
    await eventually(async () => expect((await catalog.snapshot()).skill('skill://d/SKILL.md')).toBeDefined());
    expect(heard).toHaveLength(5);
  });
});
