import { describe, expect, it } from 'vitest';
import { createCatalogSearch } from '../../catalog/catalog-search.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import { createSearchTool } from './search-tool.ts';
import type { CallToolAnswer, ResourceLink, ServerTools } from './server-options.ts';

function toolOver(count: number, description: string): ServerTools {
  const source = memorySource();
  for (let number = 0; number < count; number++) source.add(`skill-${number}`, { description }, `Body ${number}\n`);
  return createSearchTool(createCatalogSearch(createCatalog(source)));
}

function call(tool: ServerTools, args: Record<string, unknown>, revision?: string): Promise<CallToolAnswer> {
  return tool.call(
    { name: 'search_skills', arguments: args },
    { era: revision === undefined ? 'modern' : 'legacy', context: {}, ...(revision === undefined ? {} : { revision }) },
  );
}

function links({ content }: CallToolAnswer): readonly ResourceLink[] {
  return content.filter((part) => part.type === 'resource_link');
}

describe('the tool search_skills', () => {
  it('returns links to the best skills, with a line about their number', async () => {
    const result = await call(toolOver(20, 'Tidies up.'), { query: 'tidy' });
    expect(links(result)).toHaveLength(limits.search.toolHits);
    expect(links(result)[0]).toMatchObject({
      uri: expect.stringMatching(/^skill:\/\/skill-\d+\/SKILL\.md$/),
      name: expect.stringMatching(/^skill-/),
      description: 'Tidies up.',
      mimeType: 'text/markdown',
      size: expect.any(Number),
    });
    expect(result.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('best 8 of 20 skills') });
  });

  it('stays within its tokens, whatever limit is requested', async () => {
    const long = `Tidies ${'up '.repeat(300)}`;
    const result = await call(toolOver(60, long), { query: 'tidy', limit: limits.search.mostHits });
    const tokens = JSON.stringify(links(result)).length / 4;
    expect(tokens).toBeLessThanOrEqual(limits.search.toolTokens + 10);
    expect(links(result).length).toBeGreaterThan(10);
    for (const { description = '' } of links(result)) {
      expect(description.length).toBeLessThanOrEqual(limits.search.descriptionCharacters);
      expect(description).toMatch(/\.\.\.$/);
    }
  });

  it('writes lines for clients without links', async () => {
    const tool = toolOver(1, 'Tidies up.');
    for (const revision of ['2024-11-05', '2025-03-26'])
      expect(await call(tool, { query: 'tidy' }, revision)).toEqual({
        content: [
          { type: 'text', text: expect.stringMatching(/\n- skill-0: skill:\/\/skill-0\/SKILL.md\n {2}Tidies up\.$/) },
        ],
      });
    expect(links(await call(tool, { query: 'tidy' }, '2025-06-18'))).toHaveLength(1);
  });

  it('shows no hidden character of a description or a query', async () => {
    const result = await call(toolOver(1, 'Tidies\u202e up.'), { query: 'tidy\u0007' });
    expect(links(result)[0]?.description).toBe('Tidies\\u{202e} up.');
    expect(JSON.stringify(result)).not.toContain('\u0007');
  });

  it('reports that nothing matches', async () => {
    const result = await call(toolOver(1, 'Tidies up.'), { query: 'horses' });
    expect(result.content).toEqual([{ type: 'text', text: 'No skill fits "horses". Try other words for the task.' }]);
  });

  it('refuses unknown arguments', async () => {
    const tool = toolOver(1, 'Tidies up.');
    for (const args of [
      {},
      { query: '' },
      { query: 7 },
      { query: 'x', limit: 0 },
      { query: 'x', limit: 51 },
      { query: 'x', q: 1 },
    ])
      expect(await call(tool, args), JSON.stringify(args)).toMatchObject({ isError: true });
    await expect(tool.call({ name: 'other' }, { era: 'modern', context: {} })).rejects.toMatchObject({ code: 'USAGE' });
    expect(() => tool.list({ cursor: 'x' }, { era: 'modern', context: {} })).toThrow(/cursor/);
  });
});
