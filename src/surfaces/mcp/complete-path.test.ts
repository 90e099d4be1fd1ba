import { expect, test } from 'vitest';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import { completePath } from './complete-path.ts';

function text(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n`;
}

async function snapshot(): Promise<Snapshot> {
  const source = memorySource({
    'git-workflow': { 'SKILL.md': text('git-workflow'), 'references/GUIDE.md': 'x', 'a b.md': 'x' },
    'git-bisect': { 'SKILL.md': text('git-bisect') },
    outer: { 'SKILL.md': text('outer'), 'inner/SKILL.md': text('inner') },
    'outer/inner': { 'SKILL.md': text('inner'), 'more.md': 'x' },
  });
  return createCatalog(source).snapshot();
}

test('completePath() offers the skills whose path starts with the text', async () => {
  expect(completePath(await snapshot(), 'git-')).toEqual({
    values: ['git-bisect/SKILL.md', 'git-workflow/SKILL.md'],
    total: 2,
    hasMore: false,
  });
  expect(completePath(await snapshot(), '').total).toBe(4);
});

test('completePath() offers the files if the text is inside a skill', async () => {
  expect(completePath(await snapshot(), 'git-workflow/').values).toEqual([
    'git-workflow/SKILL.md',
    'git-workflow/a%20b.md',
    'git-workflow/references/GUIDE.md',
  ]);
  expect(completePath(await snapshot(), 'git-workflow/ref').values).toEqual(['git-workflow/references/GUIDE.md']);
});

test('completePath() names a file of a nested skill once', async () => {
  expect(completePath(await snapshot(), 'outer/inner/').values).toEqual([
    'outer/inner/SKILL.md',
    'outer/inner/more.md',
  ]);
});

test('completePath() offers a complete URI, and nothing for a missing one', async () => {
  expect(completePath(await snapshot(), 'git-bisect/SKILL.md').values).toEqual(['git-bisect/SKILL.md']);
  expect(completePath(await snapshot(), 'zzz')).toEqual({ values: [], total: 0, hasMore: false });
});

test('completePath() offers as many values as the protocol allows, and their total', async () => {
  const source = memorySource();
  for (let index = 0; index < 130; index++) source.add(`s-${index}`, { description: 'x' }, 'body');
  const { values, total, hasMore } = completePath(await createCatalog(source).snapshot(), 's-');
  expect([values.length, total, hasMore]).toEqual([limits.pages.completions, 130, true]);
});
