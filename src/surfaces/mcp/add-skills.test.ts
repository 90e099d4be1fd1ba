import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../../test/eventually.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { memorySource } from '../../sources/memory.ts';
import { attachSkills } from './add-skills.ts';
import type { AttachSkillsOptions } from './attach-skills.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function skillText(name: string, body = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`;
}

function fixture() {
  const source = memorySource({
    refunds: { 'SKILL.md': skillText('refunds') },
    'team/invoices': { 'SKILL.md': skillText('invoices'), 'a b.md': 'x' },
  });
  return { source, catalog: createCatalog(source) };
}

/** A server with resources, a template, a tool and completions of its own. */
function ownServer(): McpServer {
  const mcp = new McpServer({ name: 'own', version: '1.0.0' });
  mcp.registerResource('note', 'note://one', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, text: 'a note' }],
  }));
  mcp.registerResource('legacy-index', 'skill://index.json', {}, ({ href }) => ({
    contents: [{ uri: href, text: '{}' }],
  }));
  const template = new ResourceTemplate('user://{id}', {
    list: () => ({ resources: [{ uri: 'user://7', name: 'seven' }] }),
    complete: { id: () => ['7', '8'] },
  });
  mcp.registerResource('user', template, {}, ({ href }, { id }) => ({ contents: [{ uri: href, text: `user ${id}` }] }));
  mcp.registerTool('add', { inputSchema: z.object({ a: z.number() }) }, ({ a }) => ({
    content: [{ type: 'text', text: String(a + 1) }],
  }));
  return mcp;
}

type Era = 'modern' | 'legacy';

async function connect(make: () => McpServer, era: Era): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(make, { transport: ours });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  await client.connect(theirs);
  closing.push(
    () => client.close(),
    () => handle.close(),
  );
  return client;
}

function withSkills(catalog: Catalog, options?: AttachSkillsOptions): () => McpServer {
  return () => {
    const mcp = ownServer();
    attachSkills(mcp, catalog, options);
    return mcp;
  };
}

function usage(act: () => void): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'USAGE') return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

describe.each<Era>(['modern', 'legacy'])('a server with skills on %s connections', (era) => {
  test('serves them to the official client', async () => {
    const skills = new SkillsClient(await connect(withSkills(fixture().catalog), era));
    expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual(['skill://refunds/SKILL.md', 'skill://team/invoices/SKILL.md']);
    for (const skill of listed) expect(await skills.read(skill)).toMatchObject({ verified: true });
    expect((await skills.readDirectory('skill://team')).resources.map(({ name }) => name)).toEqual(['invoices']);
  });

  test("keeps the owner's resources, templates, completions and tools", async () => {
    const client = await connect(withSkills(fixture().catalog), era);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'note://one',
      'skill://index.json',
      'user://7',
      'skill://refunds/SKILL.md',
      'skill://team/invoices/SKILL.md',
    ]);
    const text = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents[0];
    expect(await text('note://one')).toMatchObject({ text: 'a note' });
    expect(await text('user://9')).toMatchObject({ text: 'user 9' });
    expect(await text('skill://index.json')).toMatchObject({ text: '{}' });
    const complete = (uri: string, name: string, value: string) =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } });
    expect((await complete('user://{id}', 'id', '')).completion.values).toEqual(['7', '8']);
    expect((await complete('skill://{+path}', 'path', 'team/')).completion.values).toEqual(['team/invoices/SKILL.md']);
    expect(await client.callTool({ name: 'add', arguments: { a: 1 } })).toMatchObject({ content: [{ text: '2' }] });
  });

  test('echoes the spelling of a URI and refuses dot segments instead of resolving them', async () => {
    const client = await connect(withSkills(fixture().catalog), era);
    const uri = 'skill://team/invoices/a b.md';
    expect((await client.readResource({ uri })).contents[0]).toEqual({ uri, mimeType: 'text/markdown', text: 'x' });
    for (const dotted of ['skill://x/../refunds/SKILL.md', 'skill://x/%2e%2e/refunds/SKILL.md'])
      await expect(client.readResource({ uri: dotted })).rejects.toMatchObject({
        message: /no served skill/,
      });
    await expect(client.readResource({ uri: 'skill://none/SKILL.md' })).rejects.toThrow(/no served skill/);
    await expect(client.readResource({ uri: 'other://x' })).rejects.toThrow(/not found/i);
  });

  test("lists its skills after the owner's resources", async () => {
    const client = await connect(withSkills(fixture().catalog, { pages: { entries: 1, bytes: 1_000_000 } }), era);
    const first = await client.listResources({ cursor: undefined });
    expect(first.resources).toHaveLength(5);
    const page = await client.request({ method: 'resources/list', params: {} });
    expect(page.resources.map(({ uri }) => uri)).toEqual([
      'note://one',
      'skill://index.json',
      'user://7',
      'skill://refunds/SKILL.md',
    ]);
    const next = await client.request({ method: 'resources/list', params: { cursor: page.nextCursor } });
    expect(next.resources.map(({ uri }) => uri)).toEqual(['skill://team/invoices/SKILL.md']);
    expect(next.nextCursor).toBeUndefined();
    await expect(client.request({ method: 'resources/list', params: { cursor: 'x' } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('announces changed skills', async () => {
    const { source, catalog } = fixture();
    const client = await connect(withSkills(catalog), era);
    const seen: string[] = [];
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      seen.push('list');
    });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      seen.push(params.uri);
    });
    const uri = 'skill://refunds/SKILL.md';
    if (era === 'modern') await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    else {
      await client.subscribeResource({ uri });
      await expect(client.subscribeResource({ uri: 'note://one' })).rejects.toThrow();
    }
    await catalog.snapshot();
    source.add('refunds', { 'SKILL.md': skillText('refunds', 'new body\n') });
    await eventually(() => expect(seen).toEqual(['list', uri]));
  });

  test('hides errors that are not its own', async () => {
    const reported: string[] = [];
    const source = { ...fixture().source, open: () => Promise.reject(new Error('secret')) };
    const options = { onerror: (error: Error) => reported.push(error.message) };
    const client = await connect(withSkills(createCatalog(source), options), era);
    const read = client.readResource({ uri: 'skill://refunds/SKILL.md' });
    await expect(read).rejects.toMatchObject({ code: -32603, message: 'Internal error' });
    expect(reported).toEqual(['secret']);
  });
});

describe('attachSkills()', () => {
  test('has no further effect the second time', async () => {
    const { catalog } = fixture();
    const make = (): McpServer => {
      const mcp = ownServer();
      attachSkills(mcp, catalog);
      attachSkills(mcp, catalog);
      return mcp;
    };
    expect((await (await connect(make, 'legacy')).listResources()).resources).toHaveLength(5);
  });

  test('lets the owner register resources afterwards', async () => {
    const make = (): McpServer => {
      const mcp = new McpServer({ name: 'own', version: '1.0.0' });
      attachSkills(mcp, fixture().catalog);
      mcp.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'a note' }] }));
      return mcp;
    };
    const { resources } = await (await connect(make, 'legacy')).listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'note://one',
      'skill://refunds/SKILL.md',
      'skill://team/invoices/SKILL.md',
    ]);
  });

  test('serves HTTP requests with a server per request, and leaves nothing behind', async () => {
    const { catalog } = fixture();
    let listening = 0;
    let listened = 0;
    const counted: Catalog = {
      ...catalog,
      subscribe(listener) {
        listening++;
        listened++;
        const stop = catalog.subscribe(listener);
        return () => {
          listening--;
          stop();
        };
      },
    };
    const handler = createMcpHandler(withSkills(counted));
    const ask = async (headers: Record<string, string>, _meta: object): Promise<string> =>
      (
        await handler.fetch(
          new Request('http://localhost/mcp', {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'skills/list', params: { _meta } }),
          }),
        )
      ).text();
    const modern = await ask(
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'skills/list' },
      {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    );
    expect(JSON.parse(modern).result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
    expect(listened).toBe(0);
    expect(await ask({}, {})).toContain('skill://refunds/SKILL.md');
    await eventually(() => expect(listening).toBe(0));
    await handler.close();
  });

  test("leaves the owner's resources of the same scheme to the owner, except for dot segments", async () => {
    const { catalog } = fixture();
    const requests: string[] = [];
    const make = (): McpServer => {
      const mcp = new McpServer({ name: 'own', version: '1.0.0' });
      const template = new ResourceTemplate('skill://{+own}', { list: undefined });
      mcp.registerResource('own', template, {}, ({ href }) => {
        requests.push(href);
        throw new Error('broken by its owner');
      });
      attachSkills(mcp, catalog);
      return mcp;
    };
    const client = await connect(make, 'legacy');
    await expect(client.readResource({ uri: 'skill://theirs' })).rejects.toThrow('broken by its owner');
    await expect(client.readResource({ uri: 'skill://x/../theirs' })).rejects.toThrow(/no served skill/);
    expect(requests).toEqual(['skill://theirs']);
  });

  test('forgets subscriptions with the connection, and announces changes to the next one', async () => {
    const { source, catalog } = fixture();
    const mcp = ownServer();
    attachSkills(mcp, catalog);
    const seen: string[] = [];
    for (const round of ['first', 'second']) {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await mcp.connect(ours);
      const client = new Client({ name: 'test', version: '1.0.0' });
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        seen.push(`${round}: list`);
      });
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        seen.push(`${round}: ${params.uri}`);
      });
      await client.connect(theirs);
      await client.listResources();
      if (round === 'first') await client.subscribeResource({ uri: 'skill://refunds/SKILL.md' });
      source.add('refunds', { 'SKILL.md': skillText('refunds', round) });
      await eventually(() => expect(seen).toContain(`${round}: list`));
      await client.close();
    }
    expect(seen).toEqual(['first: list', 'first: skill://refunds/SKILL.md', 'second: list']);
  });

  test('refuses a connected server', async () => {
    const mcp = ownServer();
    await mcp.connect(InMemoryTransport.createLinkedPair()[0]);
    expect(usage(() => attachSkills(mcp, fixture().catalog))).toMatch(/already connected\. Add them before connect/);
    await mcp.close();
  });

  test('refuses a server that has other skills, or its own handlers for skills or resources', async () => {
    const { catalog } = fixture();
    const attached = ownServer();
    attachSkills(attached, catalog);
    expect(usage(() => attachSkills(attached, fixture().catalog))).toMatch(/another catalog/);

    const declared = new McpServer(
      { name: 'own', version: '1.0.0' },
      { capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } } },
    );
    expect(usage(() => attachSkills(declared, catalog))).toMatch(/already declares skills/);

    const extended = ownServer();
    (await SkillsExtension.load(memorySkillFiles({ 'a/SKILL.md': skillText('a') }))).attach(extended);
    expect(usage(() => attachSkills(extended, catalog))).toMatch(/Combine the sources/);

    const handled = ownServer();
    handled.server.setRequestHandler('skills/get', { params: z.looseObject({}) }, () => ({}));
    expect(usage(() => attachSkills(handled, catalog))).toMatch(/already handles "skills\/get"/);

    const low = new McpServer({ name: 'own', version: '1.0.0' });
    low.server.registerCapabilities({ resources: {} });
    low.server.setRequestHandler('resources/list', () => ({ resources: [] }));
    expect(usage(() => attachSkills(low, catalog))).toMatch(/registerResource/);
  });

  test("passes subscriptions to other resources on to the owner's handlers", async () => {
    const { catalog } = fixture();
    const subscribed: string[] = [];
    const make = (): McpServer => {
      const mcp = ownServer();
      mcp.server.registerCapabilities({ resources: { subscribe: true } });
      mcp.server.setRequestHandler('resources/subscribe', ({ params }) => {
        subscribed.push(params.uri);
        return {};
      });
      attachSkills(mcp, catalog);
      return mcp;
    };
    const client = await connect(make, 'legacy');
    await client.subscribeResource({ uri: 'note://one' });
    await client.subscribeResource({ uri: 'skill://refunds/SKILL.md' });
    expect(subscribed).toEqual(['note://one']);
  });

  test('works with only the template if the handlers of the SDK are unreachable', async () => {
    const make = (): McpServer => {
      const mcp = ownServer();
      const { server } = mcp;
      const handlers = Reflect.get(server, '_requestHandlers');
      Object.defineProperty(server, '_requestHandlers', {
        configurable: true,
        get: () => (new Error().stack?.includes('sdk-handlers') === true ? undefined : handlers),
      });
      attachSkills(mcp, fixture().catalog);
      return mcp;
    };
    const client = await connect(make, 'legacy');
    expect((await client.listResources()).resources).toHaveLength(5);
    expect((await client.readResource({ uri: 'skill://team/invoices/a%20b.md' })).contents[0]).toMatchObject({
      text: 'x',
    });
    expect((await client.readResource({ uri: 'note://one' })).contents[0]).toMatchObject({ text: 'a note' });
    await client.subscribeResource({ uri: 'skill://refunds/SKILL.md' });
  });
});
