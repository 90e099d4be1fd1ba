import { expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource, SourceChange } from '../sources/skill-source.ts';
import { type Selection, selected } from './selected.ts';

const text = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n`;

function made(selection: Selection) {
  const memory = memorySource({
    open: { 'SKILL.md': text('open') },
    secret: { 'SKILL.md': text('secret'), 'x.md': 'x' },
    outer: { 'SKILL.md': text('outer'), 'secret/SKILL.md': text('secret'), 'secret/x.md': 'x' },
  });
  memory.add('live', { description: 'Live' }, () => '# Live', { 'secret/x.md': () => 'x', 'data/x.md': () => 'x' });
  const source: SkillSource = {
    ...memory,
    templates: async () =>
      ['skill://open/{id}/SKILL.md', 'skill://secret/{id}/SKILL.md', 'other'].map((uriTemplate) => ({
        uriTemplate,
        name: '',
        description: '',
      })),
    readDirectory: async () => [],
    readResource: async () => [],
  };
  return { memory, source: selected(source, selection) };
}

async function uris(source: SkillSource): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { skills } of source.list({})) for (const { entry } of skills) found.push(entry.uri);
  return found.sort();
}

const uri = (path: string): string => `skill://${path}/SKILL.md`;

test('is the source itself without a selection', () => {
  const memory = memorySource();
  expect(selected(memory, {})).toBe(memory);
});

test('has no entry, file or template of a skill that is left out, and nothing besides skills', async () => {
  const { source } = made({ exclude: ['secret'] });
  expect(await uris(source)).toEqual([uri('live'), uri('open')]);
  for (const path of ['secret', 'outer', 'outer/secret']) {
    expect(await source.get(uri(path), {}), path).toBeUndefined();
    expect(await source.open(uri(path), {}), path).toBeUndefined();
  }
  for (const file of ['secret/x.md', 'outer/secret/x.md', 'live/secret/x.md'])
    expect(await source.open(`skill://${file}`, {}), file).toBeUndefined();
  for (const file of ['open/SKILL.md', 'live/SKILL.md', 'live/data/x.md'])
    expect(await source.open(`skill://${file}`, {}), file).toBeDefined();
  expect((await source.templates?.({}))?.map(({ uriTemplate }) => uriTemplate)).toEqual(['skill://open/{id}/SKILL.md']);
  expect(source.readDirectory).toBeUndefined();
  expect(source.readResource).toBeUndefined();
});

test.each([
  'skill://%6Futer/SKILL.md',
  'skill://%6Futer/secret/x.md',
  'skill://s%65cret/x.md',
  'skill://%6Cive/s%65cret/x.md',
  'SKILL://outer/SKILL.md',
])('has no file of a skill that is left out, in another spelling of its URI: %s', async (spelling) => {
  const { source, memory } = made({ exclude: ['secret'] });
  await uris(source);
  const file = await memory.open(spelling, {});
  expect(await source.open(spelling, {})).toBeUndefined();
  expect(await source.isCurrent?.(spelling, file?.digest ?? '')).toBe(false);
});

test('has included skills, and answers for them before they are listed', async () => {
  const { source } = made({ include: ['open', 'outer'], listed: false });
  expect(await source.open(uri('open'), {})).toBeDefined();
  expect(await source.open(uri('secret'), {})).toBeUndefined();
  expect(await uris(source)).toEqual([uri('open'), uri('outer')]);
  expect(await source.get(uri('open'), {})).toMatchObject({ listed: false });
  expect(await source.open('skill://outer/secret/x.md', {})).toBeDefined();
});

test('a skill disappears while one that is left out is inside it', async () => {
  const { memory, source } = made({ exclude: ['hidden'] });
  await uris(source);
  const heard: SourceChange[] = [];
  source.watch?.((change) => heard.push(change));
  memory.add('live/hidden', { description: 'Hidden' }, 'text');
  await eventually(() => expect(heard.at(-1)?.removed).toEqual([uri('live/hidden'), uri('live')]));
  expect(await source.open(uri('live'), {})).toBeUndefined();
  memory.remove('live/hidden');
  await eventually(() => expect(heard.at(-1)?.upserted.map(({ entry }) => entry.uri)).toEqual([uri('live')]));
  expect(await source.open(uri('live'), {})).toBeDefined();
});
