/** Search as a server offers it: the tool over MCP, `GET /api/search`, and both behind profiles. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import { modern } from '../../test/contract/raw-mcp.ts';
import { createProfile } from '../serving/access/profile.ts';
import { createTokenBook } from '../serving/access/token-book.ts';
import { memorySource } from '../sources/memory.ts';
import { memoryStore } from '../store/memory-store.ts';
import { type ServeOptions, serve } from './serve.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const text = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: About ${name} and reports.\n---\n\n${body}\n`;

async function start(more: Partial<ServeOptions> = {}): Promise<{ readonly url: string; readonly mcp: string }> {
  const source = memorySource({
    'docs/writing': { 'SKILL.md': text('writing', 'Commas and semicolons.') },
    'ops/budget': { 'SKILL.md': text('budget', 'Salaries of the board.') },
  });
  const handle = await serve({ source, http: { host: '127.0.0.1', port: 0 }, ...more } as ServeOptions);
  cleanUp.push(() => handle.close());
  const { url, mcp } = handle;
  if (url === undefined || mcp === undefined) throw new Error('no address');
  return { url, mcp };
}

async function get(url: string, query: string, token?: string): Promise<{ status: number; body: string }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/search?q=${encodeURIComponent(query)}`, { headers });
  return { status: response.status, body: await response.text() };
}

function urisIn(body: string): readonly string[] {
  return (JSON.parse(body) as { hits: { uri: string }[] }).hits.map(({ uri }) => uri);
}

describe('serve() and search', () => {
  test('answers GET /api/search with URIs that skills/get confirms', async () => {
    const { url, mcp } = await start();
    const { status, body } = await get(url, 'semicolon');
    expect([status, urisIn(body)]).toEqual([200, ['skill://docs/writing/SKILL.md']]);
    const { result } = await modern(mcp, 'skills/get', { uri: 'skill://docs/writing/SKILL.md' });
    expect(result).toMatchObject({ skill: { uri: 'skill://docs/writing/SKILL.md' } });
  });

  test('answers HEAD without a body, a bad query with 400 and another method with 405', async () => {
    const { url } = await start();
    const head = await fetch(`${url}/api/search?q=report`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await get(url, '')).status).toBe(400);
    const post = await fetch(`${url}/api/search?q=x`, { method: 'POST', body: '{}' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('offers the tool only if asked to', async () => {
    const plain = await start();
    expect((await modern(plain.mcp, 'tools/list', {})).result).toMatchObject({ tools: [] });
    const { mcp } = await start({ search: true });
    expect((await modern(mcp, 'tools/list', {})).result).toMatchObject({ tools: [{ name: 'search_skills' }] });
  });

  test('returns links that the official client accepts, in both eras', async () => {
    const { mcp } = await start({ search: true });
    for (const mode of ['auto', 'legacy'] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
      const { content } = await client.callTool({ name: 'search_skills', arguments: { query: 'semicolons' } });
      expect(content).toMatchObject([
        { type: 'text' },
        { type: 'resource_link', uri: 'skill://docs/writing/SKILL.md', name: 'writing' },
      ]);
      await client.close();
    }
  });

  test('shows each profile its own skills, by the tool and over HTTP', async () => {
    const book = createTokenBook(memoryStore());
    const profiles = new Map(
      [createProfile('docs', { origins: ['docs'] }), createProfile('all', {})].map((p) => [p.name, p]),
    );
    const { url, mcp } = await start({
      search: true,
      access: { verify: book.verify, profile: (name) => profiles.get(name) },
    });
    const tokenOf = async (profile: string): Promise<string> => (await book.add({ name: profile, profile })).token;
    const [docs, all] = [await tokenOf('docs'), await tokenOf('all')];
    expect((await get(url, 'salaries')).status).toBe(401);
    expect(urisIn((await get(url, 'salaries', all)).body)).toEqual(['skill://ops/budget/SKILL.md']);
    expect(urisIn((await get(url, 'salaries', docs)).body)).toEqual([]);
    expect((await get(url, 'about reports', docs)).body).not.toContain('budget');
    const call = { name: 'search_skills', arguments: { query: 'reports' } };
    const search = async (token: string): Promise<string> =>
      JSON.stringify(
        (await modern(mcp, 'tools/call', call, { authorization: `Bearer ${token}`, 'Mcp-Name': 'search_skills' }))
          .result,
      );
    expect(await search(all)).toContain('skill://ops/budget/SKILL.md');
    expect(await search(docs)).toContain('skill://docs/writing/SKILL.md');
    expect(await search(docs)).not.toContain('budget');
  });
});
