import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Catalog, CatalogChange } from './catalog.ts';
import { catalogView } from './catalog-view.ts';
import { createCatalog } from './create-catalog.ts';

const text = (name: string, body = ''): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}`;
const open: Catalog[] = [];

afterEach(async () => {
  for (const catalog of open.splice(0)) await catalog.close();
});

function made(allows: (path: string) => boolean) {
  const requests: string[] = [];
  const memory = memorySource({
    'docs/a': { 'SKILL.md': text('a'), 'more.md': 'More of a' },
    'docs/outer': { 'SKILL.md': text('outer'), 'inner/SKILL.md': text('inner'), 'inner/x.md': 'x' },
    'docs/outer/inner': { 'SKILL.md': text('inner'), 'x.md': 'x' },
    'ops/b': { 'SKILL.md': text('b') },
  });
  const source: SkillSource = {
    ...memory,
    get: (uri, context) => {
      requests.push(uri);
      return memory.get(uri, context);
    },
    open: (uri, context) => {
      requests.push(uri);
      return memory.open(uri, context);
    },
  };
  const catalog = createCatalog(source);
  open.push(catalog);
  return { memory, requests, catalog, view: catalogView(catalog, { allows }) };
}

const uris = async (catalog: Catalog) => (await catalog.snapshot()).skills.map(({ entry }) => entry.uri);

describe('catalogView()', () => {
  test('has the allowed skills, and the directories above them', async () => {
    const { view } = made((path) => path.startsWith('docs/a'));
    expect(await uris(view)).toEqual(['skill://docs/a/SKILL.md']);
    const snapshot = await view.snapshot();
    expect(snapshot.directory('skill://')?.map(({ name }) => name)).toEqual(['docs']);
    expect(snapshot.directory('skill://docs')?.map(({ name }) => name)).toEqual(['a']);
    expect(snapshot.directory('skill://ops')).toBeUndefined();
    expect(snapshot.skill('skill://ops/b/SKILL.md')).toBeUndefined();
    expect(snapshot.file('skill://ops/b/SKILL.md')).toBeUndefined();
  });

  test('computes the cache time from the origins that the reader sees', async () => {
    const { memory } = made(() => true);
    const times: Readonly<Record<string, number>> = { docs: 2_000, ops: 1_000 };
    const freshUntil = (uri?: string): number | undefined =>
      uri === undefined ? 1_000 : times[uri.replace('skill://', '').split('/')[0] ?? ''];
    const catalog = createCatalog({ ...memory, freshUntil });
    open.push(catalog);
    expect([catalog.freshUntil?.(), catalog.freshUntil?.('skill://docs/a/SKILL.md')]).toEqual([1_000, 2_000]);
    const view = catalogView(catalog, { allows: (path) => path.startsWith('docs/') });
    await view.snapshot();
    expect(view.freshUntil?.()).toBe(2_000);
    expect(view.freshUntil?.('skill://docs/a/SKILL.md')).toBe(2_000);
    expect(view.freshUntil?.('skill://ops/b/SKILL.md')).toBeUndefined();
    const all = catalogView(catalog, { allows: () => true });
    await all.snapshot();
    expect(all.freshUntil?.()).toBe(1_000);
  });

  test('never asks the source about skills that are not allowed, existing or not', async () => {
    const { view, requests } = made((path) => path.startsWith('docs/a'));
    await view.snapshot();
    for (const uri of ['skill://ops/b/SKILL.md', 'skill://ops/none/SKILL.md', 'skill://ops/b/x', 'nonsense']) {
      expect(await view.find(uri, {})).toBeUndefined();
      await expect(async () => view.read(uri, {})).rejects.toMatchObject({
        code: 'FILE_NOT_FOUND',
        message: `Cannot read "${uri}": no served skill has this file. List the skills to see their files.`,
      });
      await expect(async () => view.read(uri, { localOnly: true })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    }
    expect(requests).toEqual([]);
    await expect(async () => view.read('skill://docs/a2/SKILL.md', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    expect(await view.find('skill://docs/a3/SKILL.md', {})).toBeUndefined();
    expect(requests).toContain('skill://docs/a3/SKILL.md');
  });

  test('answers synchronously from the catalog, except for hidden skills', async () => {
    const { view, catalog } = made((path) => path !== 'docs/outer/inner' && path !== 'ops/b');
    const [seen, ...hidden] = ['docs/a/more.md', 'ops/b/SKILL.md', 'docs/outer/SKILL.md', 'docs/outer/inner/x.md'].map(
      (path) => `skill://${path}`,
    );
    expect(view.snapshot()).toBeInstanceOf(Promise);
    for (const uri of [seen ?? '', ...hidden]) await catalog.read(uri, {});
    expect(view.snapshot()).toMatchObject({ skills: [{ path: 'docs/a' }] });
    expect(view.snapshot()).toBe(await view.snapshot());
    expect(view.read(seen ?? '', {})).toMatchObject({ bytes: (await catalog.read(seen ?? '', {})).bytes });
    for (const uri of hidden) {
      expect(catalog.read(uri, {}), uri).toMatchObject({ file: { uri } });
      await expect(async () => view.read(uri, {}), uri).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    }
    await view.close();
    expect(() => view.snapshot()).toThrow('closed');
    expect(() => view.read(seen ?? '', {})).toThrow('closed');
  });

  test('hides a skill with all its files if it contains a hidden one', async () => {
    const { view } = made((path) => path !== 'docs/outer/inner');
    expect(await uris(view)).not.toContain('skill://docs/outer/SKILL.md');
    for (const file of ['SKILL.md', 'inner/SKILL.md', 'inner/x.md']) {
      const uri = `skill://docs/outer/${file}`;
      expect(await view.find(uri, {})).toBeUndefined();
      await expect(async () => view.read(uri, { localOnly: true })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
      await expect(async () => view.read(uri, {})).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    }
  });

  test('reports an outer skill as removed when a hidden one appears inside it, and as added when it leaves', async () => {
    const { view, memory } = made((path) => path.startsWith('docs/live') && path !== 'docs/live/hidden');
    memory.add('docs/live', { description: 'Live' }, () => '# Live\n');
    await eventually(async () => expect(await uris(view)).toEqual(['skill://docs/live/SKILL.md']));
    const heard: CatalogChange[] = [];
    view.subscribe((change) => heard.push(change));
    memory.add('docs/live/hidden', { description: 'Hidden' }, () => '# Hidden\n');
    await eventually(() => expect(heard[0]).toMatchObject({ added: [], removed: ['skill://docs/live/SKILL.md'] }));
    expect(await uris(view)).toEqual([]);
    memory.remove('docs/live/hidden');
    await eventually(() => expect(heard[1]).toMatchObject({ added: ['skill://docs/live/SKILL.md'], removed: [] }));
  });

  test('hides a skill if another path of it is excluded', async () => {
    const source = memorySource({ 'docs/new-name': { 'SKILL.md': text('new-name') } });
    const aliased: SkillSource = {
      ...source,
      async *list(context) {
        for await (const page of source.list(context))
          yield { ...page, skills: page.skills.map((skill) => ({ ...skill, aliases: ['docs/old-name'] })) };
      },
    };
    const catalog = createCatalog(aliased);
    open.push(catalog);
    const seen = async (excludes?: (path: string) => boolean) =>
      uris(catalogView(catalog, { allows: () => true, ...(excludes === undefined ? {} : { excludes }) }));
    expect(await seen()).toEqual(['skill://docs/new-name/SKILL.md']);
    expect(await seen((path) => path === 'docs/old-name')).toEqual([]);
  });

  test('reads a skill inside one that is not allowed', async () => {
    const { view } = made((path) => path === 'docs/outer/inner');
    expect(await uris(view)).toEqual(['skill://docs/outer/inner/SKILL.md']);
    expect((await view.read('skill://docs/outer/inner/x.md', {})).bytes).toHaveLength(1);
    await expect(async () => view.read('skill://docs/outer/SKILL.md', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });

  test('does not ask a dynamic skill for files of a hidden skill inside it', async () => {
    const { view, memory, requests } = made((path) => path === 'docs/live');
    memory.add('docs/live', { description: 'Live' }, () => '# Live\n');
    memory.add('docs/live/hidden', { description: 'Hidden' }, () => '# Hidden\n');
    await view.snapshot();
    requests.length = 0;
    for (const path of ['live', 'live/hidden'])
      await expect(async () => view.read(`skill://docs/${path}/SKILL.md`, {})).rejects.toMatchObject({
        code: 'FILE_NOT_FOUND',
      });
    expect(requests).not.toContain('skill://docs/live/hidden/SKILL.md');
  });

  test('reports only visible changes', async () => {
    const { view, memory, catalog } = made((path) => path.startsWith('docs/a'));
    const heard: CatalogChange[] = [];
    view.subscribe((change) => heard.push(change));
    await view.snapshot();
    memory.add('ops/b', { description: 'Changed' }, 'other');
    memory.add('ops/new', { description: 'New' }, 'other');
    memory.remove('ops/new');
    memory.add('docs/a', { description: 'Changed' }, 'other');
    await eventually(() => expect(heard).toHaveLength(1));
    const [{ added, removed, changed, files } = heard[0] as CatalogChange] = heard;
    expect({ added, removed, changed }).toEqual({ added: [], removed: [], changed: ['skill://docs/a/SKILL.md'] });
    expect(files).toEqual(['skill://docs/a/SKILL.md', 'skill://docs/a/more.md']);
    expect(heard[0]?.snapshot.skills).toHaveLength(1);
    expect(heard[0]?.previous.skills).toHaveLength(1);
    await view.close();
    memory.remove('docs/a');
    await eventually(async () => expect((await catalog.snapshot()).skill('skill://docs/a/SKILL.md')).toBeUndefined());
    expect(heard).toHaveLength(1);
    await expect(async () => view.snapshot()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('reports reads of allowed skills only', async () => {
    const { view, catalog } = made((path) => path.startsWith('docs/a'));
    const reads: string[] = [];
    view.subscribeReads(({ file }) => reads.push(file.uri));
    for (const uri of ['skill://ops/b/SKILL.md', 'skill://docs/a/SKILL.md']) await catalog.read(uri, {});
    expect(reads).toEqual(['skill://docs/a/SKILL.md']);
    expect((await view.read('skill://docs/a/SKILL.md', { localOnly: true })).file.uri).toBe('skill://docs/a/SKILL.md');
  });

  test('has no findings about hidden skills', async () => {
    const about = (skill: string) =>
      ({ level: 'note', rule: 'policy-waiting', message: 'waits', remedy: '', skill }) as const;
    const source: SkillSource = {
      ...memorySource({ 'docs/a': { 'SKILL.md': text('a') } }),
      async *list() {
        yield {
          skills: [],
          findings: [about('skill://docs/a/SKILL.md'), about('skill://ops/b/SKILL.md'), { ...about(''), skill: 'x' }],
        };
      },
    };
    const catalog = createCatalog(source);
    open.push(catalog);
    const view = catalogView(catalog, { allows: (path) => path === 'docs/a' });
    expect((await view.snapshot()).findings).toEqual([about('skill://docs/a/SKILL.md')]);
  });

  test('lists the skills of its listing, and serves the others too', async () => {
    const { catalog } = made(() => true);
    const view = catalogView(catalog, { allows: () => true, listing: (listed) => listed.slice(0, 1) });
    const snapshot = await view.snapshot();
    expect(snapshot.listed).toHaveLength(1);
    expect(snapshot.skills).toHaveLength(4);
    expect(await view.snapshot()).toBe(snapshot);
  });
});
