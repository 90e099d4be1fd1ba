/** Search by meaning over a catalog, with an embedder that knows three topics. */
import { describe, expect, it, vi } from 'vitest';
import type { Embedder } from '../search/embedder.ts';
import { memorySource } from '../sources/memory.ts';
import { createCatalogSearch, type SkillSearch } from './catalog-search.ts';
import { createCatalog } from './create-catalog.ts';

const topics = [/horse|stable|equine/i, /money|invoice|bill/i, /ship|sea|harbor/i];

function byTopic(calls: string[][] = []): Embedder {
  return {
    embed: async (texts) => {
      calls.push([...texts]);
      return texts.map((text) => [0.1, ...topics.map((topic) => (topic.test(text) ? 1 : 0))]);
    },
  };
}

const skill = (name: string, description: string): { 'SKILL.md': string } => ({
  'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n---\nText.\n`,
});

const source = (): ReturnType<typeof memorySource> =>
  memorySource({ riding: skill('riding', 'Cares for a horse.'), paying: skill('paying', 'Settles a bill.') });

async function names(search: SkillSearch, query: string): Promise<readonly string[]> {
  return (await search.search(query)).hits.map(({ skill: { entry } }) => entry.frontmatter.name);
}

describe('search with an embedder', () => {
  it('finds skills by meaning that share no word with the query, once vectors exist', async () => {
    const calls: string[][] = [];
    const search = createCatalogSearch(createCatalog(source()), { embedder: byTopic(calls) });
    await vi.waitFor(async () => expect((await names(search, 'equine'))[0]).toBe('riding'), { timeout: 20_000 });
    expect((await names(search, 'invoice'))[0]).toBe('paying');
    const before = calls.length;
    expect((await names(search, 'invoice'))[0]).toBe('paying');
    expect(calls).toHaveLength(before);
    expect(calls.flat().filter((text) => text.startsWith('riding'))).toEqual(['riding: Cares for a horse.']);
    search.close();
  });

  it.each<[string, Embedder['embed']]>([
    ['throws', () => Promise.reject(new Error('down'))],
    ['gives too few vectors', async () => []],
    ['gives something else', async (texts) => texts.map(() => [Number.NaN])],
  ])('continues by words and reports it if the embedder %s', async (_, embed) => {
    const failures: unknown[] = [];
    const embedder = { embed, onFailure: (error: unknown) => failures.push(error) };
    const search = createCatalogSearch(createCatalog(source()), { embedder });
    expect(await names(search, 'horse')).toEqual(['riding']);
    expect(failures.length).toBeGreaterThan(0);
    const before = failures.length;
    expect(await names(search, 'bill')).toEqual(['paying']);
    expect(failures).toHaveLength(before);
    search.close();
  });

  it('answers by words while the embedder does not answer, and stops it on close', async () => {
    const signals: AbortSignal[] = [];
    const embed: Embedder['embed'] = (_, signal) => {
      signals.push(signal);
      return new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const search = createCatalogSearch(createCatalog(source()), { embedder: { embed } });
    expect(await names(search, 'horse')).toEqual(['riding']);
    search.close();
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });
});
