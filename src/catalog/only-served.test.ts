import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { CatalogChange } from './catalog.ts';
import { createCatalog } from './create-catalog.ts';
import { onlyServed, type ServedFilter } from './only-served.ts';

const [a, b] = ['skill://a/SKILL.md', 'skill://b/SKILL.md'];

function setUp(more: Partial<SkillSource> = {}) {
  const source = memorySource();
  source.add('a', { description: 'A' }, 'text', { 'x.md': 'x' });
  source.add('b', { description: 'B' }, 'text');
  const catalog = createCatalog({ ...source, ...more });
  const decided = decisions();
  const switched = onlyServed(catalog, decided.filter, (error) => {
    throw error;
  });
  return {
    source,
    catalog,
    switched,
    async turnOff(...uris: readonly string[]) {
      decided.deny(uris);
      // Changes are reported after the decision.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    deny: decided.deny,
  };
}

function decisions(ready: Promise<void> = Promise.resolve()) {
  const listeners = new Set<() => void>();
  let off: readonly string[] = [];
  let stamp = 0;
  const filter: ServedFilter = {
    fresh: () => ready,
    stamp: () => stamp,
    restricts: () => off.length > 0,
    isServed: ({ entry }) => !off.includes(entry.uri),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    filter,
    deny(uris: readonly string[]) {
      off = uris;
      stamp++;
      for (const listener of [...listeners]) listener();
    },
  };
}

describe('onlyServed()', () => {
  test('is the catalog itself if nothing is disabled', async () => {
    const { catalog, switched } = setUp();
    expect(await switched.snapshot()).toBe(await catalog.snapshot());
  });

  test('removes a disabled skill from listings, entries, files and directories, and adds it again', async () => {
    const { switched, turnOff } = setUp();
    await turnOff(a);
    const without = await switched.snapshot();
    expect(without.listed.map(({ entry }) => entry.uri)).toEqual([b]);
    expect(without.skill(a)).toBeUndefined();
    expect(without.file('skill://a/x.md')).toBeUndefined();
    expect(without.directory('skill://a')).toBeUndefined();
    expect(await switched.find(a, {})).toBeUndefined();
    await expect(async () => switched.read('skill://a/x.md', {})).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await switched.read(b, {})).toBeDefined();
    await turnOff();
    const again = await switched.snapshot();
    expect(again.skill(a)).toBeDefined();
    expect(again.generation).toBeGreaterThan(without.generation);
    expect(await switched.read('skill://a/x.md', {})).toBeDefined();
  });

  test('also removes a skill that contains a disabled one, and reports both', async () => {
    const { source, switched, turnOff } = setUp();
    source.add('a/inner', { description: 'Inner' }, 'text');
    source.add('a', { description: 'A' }, 'text', { 'x.md': 'x', 'inner/SKILL.md': 'inner' });
    const inner = 'skill://a/inner/SKILL.md';
    await switched.snapshot();
    const heard: CatalogChange[] = [];
    switched.subscribe((change) => heard.push(change));
    await turnOff(inner);
    expect((await switched.snapshot()).skills.map(({ entry }) => entry.uri)).toEqual([b]);
    expect(heard.at(-1)).toMatchObject({ removed: [a, inner], added: [] });
    for (const uri of [a, inner, 'skill://a/x.md']) {
      expect(await switched.find(uri, {})).toBeUndefined();
      await expect(async () => switched.read(uri, { localOnly: true })).rejects.toMatchObject({
        code: 'FILE_NOT_FOUND',
      });
      await expect(async () => switched.read(uri, {})).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    }
    await turnOff();
    expect(heard.at(-1)).toMatchObject({ removed: [], added: [a, inner] });
    expect(await switched.read(a, {})).toBeDefined();
  });

  test('returns only enabled skills from synchronous calls, too', async () => {
    const { catalog, turnOff, switched } = setUp({ isCurrent: () => true });
    await catalog.read('skill://a/x.md', {});
    await catalog.read(b, {});
    expect(switched.snapshot()).toBeInstanceOf(Promise);
    expect(switched.read(b, {})).toBeInstanceOf(Promise);
    const all = await switched.snapshot();
    expect(switched.snapshot()).toBe(all);
    expect(switched.read('skill://a/x.md', {})).toMatchObject({ file: { uri: 'skill://a/x.md' } });
    await turnOff(a);
    expect(switched.snapshot()).toBe(await switched.snapshot());
    expect((await switched.snapshot()).skill(a)).toBeUndefined();
    await expect(switched.read('skill://a/x.md', {})).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('returns nothing before it knows what is disabled', async () => {
    const { catalog } = setUp();
    let answer: () => void = () => undefined;
    const decided = decisions(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const switched = onlyServed(catalog, decided.filter, () => undefined);
    const waiting = switched.snapshot();
    let done = false;
    const reading = Promise.resolve(switched.read(a, {})).finally(() => {
      done = true;
    });
    await catalog.snapshot();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(done).toBe(false);
    decided.deny([a]);
    answer();
    expect((await waiting).skills.map(({ entry }) => entry.uri)).toEqual([b]);
    await expect(reading).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('reports removed and returned skills, and no change of a disabled one', async () => {
    const { source, switched, turnOff } = setUp();
    await switched.snapshot();
    const changes: CatalogChange[] = [];
    const stop = switched.subscribe((change) => changes.push(change));
    await turnOff(a);
    source.add('a', { description: 'A' }, 'other text');
    await eventually(() => expect(changes).toHaveLength(2));
    await turnOff();
    stop();
    await turnOff(b);
    const reported = changes.map(({ added, removed, changed }) => ({ added, removed, changed }));
    expect(reported).toEqual([
      { added: [], removed: [a], changed: [] },
      { added: [], removed: [], changed: [] },
      { added: [a], removed: [], changed: [] },
    ]);
    expect(changes[0]?.files).toEqual(['skill://a/SKILL.md', 'skill://a/x.md']);
    const generations = changes.map(({ snapshot }) => snapshot.generation);
    expect(generations).toEqual([...generations].sort((x, y) => x - y));
  });

  test('judges a new version before anybody gets it', async () => {
    const { source, switched, deny } = setUp();
    await switched.snapshot();
    const changes: CatalogChange[] = [];
    switched.subscribe((change) => changes.push(change));
    await switched.snapshot();
    deny(['skill://late/SKILL.md']);
    source.add('late', { description: 'Late' }, 'text');
    expect((await switched.snapshot()).skill('skill://late/SKILL.md')).toBeUndefined();
    await expect(async () => switched.read('skill://late/SKILL.md', {})).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    expect(changes.flatMap(({ added }) => added)).toEqual([]);
  });

  test('reports a decision that comes together with a change of the catalog', async () => {
    const { source, switched, deny } = setUp();
    await switched.snapshot();
    const changes: CatalogChange[] = [];
    switched.subscribe((change) => changes.push(change));
    await switched.snapshot();
    deny([a]);
    source.add('c', { description: 'C' }, 'text');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const seen = changes.map(({ added, removed }) => ({ added, removed }));
    expect(seen).toEqual([
      { added: [], removed: [a] },
      { added: ['skill://c/SKILL.md'], removed: [] },
    ]);
  });
});
