import { describe, expect, it } from 'vitest';
import { createCatalogSearch } from '../../catalog/catalog-search.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { memorySource } from '../../sources/memory.ts';
import { toPlainRequest } from '../plain-answer.ts';
import { searchRoute } from './search-route.ts';

const text = '---\nname: tidy\ndescription: Tidies up.\n---\nBody\n';
const route = searchRoute(
  createCatalogSearch(createCatalog(memorySource({ 'a/tidy': { 'SKILL.md': text }, 'b/tidy': { 'SKILL.md': text } }))),
);

async function get(target: string): Promise<{ readonly status: number; readonly json: unknown }> {
  const answer = await route.answer(toPlainRequest(new Request(`http://localhost${target}`)));
  return { status: answer?.status ?? 0, json: JSON.parse(String(answer?.body)) };
}

describe('GET /api/search', () => {
  it('answers with hits, their digest and their copies', async () => {
    expect(await get('/api/search?q=tidying&limit=5')).toEqual({
      status: 200,
      json: {
        version: 1,
        query: 'tidying',
        total: 1,
        complete: true,
        hits: [
          {
            uri: 'skill://a/tidy/SKILL.md',
            name: 'tidy',
            description: 'Tidies up.',
            digest: expect.stringMatching(/^sha256:/),
            copies: ['skill://b/tidy/SKILL.md'],
            twins: [],
          },
        ],
      },
    });
  });

  it('answers with an empty list if nothing matches', async () => {
    expect((await get('/api/search?q=horses')).json).toMatchObject({ total: 0, hits: [] });
  });

  it('refuses a missing query and an invalid limit', async () => {
    for (const target of [
      '',
      '?q=',
      '?q=%20',
      '?limit=3',
      '?q=x&limit=0',
      '?q=x&limit=51',
      '?q=x&limit=1e1',
      '?q=x&limit=-1',
    ])
      expect(await get(`/api/search${target}`), target).toMatchObject({
        status: 400,
        json: { error: { code: 'USAGE' } },
      });
  });

  it('is never cached', async () => {
    const answer = await route.answer(toPlainRequest(new Request('http://localhost/api/search?q=x')));
    expect(answer?.headers).toMatchObject({ 'cache-control': 'no-store' });
  });
});
