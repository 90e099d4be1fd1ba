import { readFileSync } from 'node:fs';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { type MemorySource, memorySource } from '../../sources/memory.ts';
import { defaultServerInfo, type SkillsServerOptions } from './server-options.ts';
import { createSkillsServer } from './skills-server.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function skillText(name: string, body = `# ${name}\n`): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}`;
}

function fixture(): { source: MemorySource; catalog: Catalog } {
  const source = memorySource({
    'git-workflow': { 'SKILL.md': skillText('git-workflow'), 'references/a b.md': '# Guide\n' },
    refunds: { 'SKILL.md': skillText('refunds') },
  });
  return { source, catalog: createCatalog(source) };
}

function serveInMemory(catalog: Catalog, options?: SkillsServerOptions): InMemoryTransport {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(createSkillsServer(catalog, options), { transport: ours });
  closing.push(() => handle.close());
  return theirs;
}

type Era = 'modern' | 'legacy';

async function connect(catalog: Catalog, era: Era, options?: SkillsServerOptions): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  await client.connect(serveInMemory(catalog, options));
  closing.push(() => client.close());
  return client;
}

interface Wire {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Messages as they are on the wire, which the SDK's client does not show. */
async function rawSession(catalog: Catalog, era: Era, options?: SkillsServerOptions) {
  const transport = serveInMemory(catalog, options);
  const waiting = new Map<number, (message: Wire) => void>();
  transport.onmessage = (message) => {
    const { id } = message as Wire;
    if (id !== undefined) waiting.get(id)?.(message as Wire);
  };
  await transport.start();
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  let next = 1;
  const ask = async (method: string, params: Record<string, unknown> = {}): Promise<Wire> => {
    const id = next++;
    const answer = new Promise<Wire>((resolve) => waiting.set(id, resolve));
    const sent = era === 'modern' ? { ...params, _meta: envelope } : params;
    await transport.send({ jsonrpc: '2.0', id, method, params: sent });
    return answer;
  };
  if (era === 'legacy')
    await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
  return ask;
}

function events(client: Client): string[] {
  const seen: string[] = [];
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    seen.push('list');
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    seen.push(params.uri);
  });
  return seen;
}

describe.each<Era>(['modern', 'legacy'])('a skills server on %s connections', (era) => {
  test('declares the extension, resources with subscriptions, and completions', async () => {
    const client = await connect(fixture().catalog, era);
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { listChanged: true, subscribe: true },
      completions: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
  });

  test('works with the official client: list, get, verified reads, directories', async () => {
    const skills = new SkillsClient(await connect(fixture().catalog, era));
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual(['skill://git-workflow/SKILL.md', 'skill://refunds/SKILL.md']);
    const [first] = listed;
    if (first === undefined) throw new Error('no skill');
    expect((await skills.get(first.uri)).skill).toEqual(first);
    expect(await skills.read(first)).toMatchObject({ verified: true, frontmatter: { name: 'git-workflow' } });
    expect(await skills.read(first, 'references/a b.md')).toMatchObject({ verified: true, text: '# Guide\n' });
    const { resources } = await skills.readDirectory('skill://git-workflow');
    expect(resources.map(({ name }) => name)).toEqual(['SKILL.md', 'references']);
  });

  test('answers the plain resource methods', async () => {
    const client = await connect(fixture().catalog, era);
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ name: 'git-workflow', description: 'About git-workflow.' });
    const uri = 'skill://git-workflow/references/a b.md';
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: 'text/markdown', text: '# Guide\n' },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['skill://{+path}']);
  });

  test('completes the path of the template and nothing else', async () => {
    const client = await connect(fixture().catalog, era);
    const complete = (uri: string, name: string) =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value: 'git' } });
    expect((await complete('skill://{+path}', 'path')).completion.values).toEqual(['git-workflow/SKILL.md']);
    expect((await complete('skill://{+path}', 'other')).completion.values).toEqual([]);
    await expect(complete('file:///{path}', 'path')).rejects.toMatchObject({ code: -32602 });
  });

  test('adds cache fields and resultType only in revisions that have them', async () => {
    const ask = await rawSession(fixture().catalog, era);
    const cached = { ttlMs: limits.ttl.watchedMs, cacheScope: 'public', resultType: 'complete' };
    for (const [method, params] of [
      ['skills/list', {}],
      ['skills/get', { uri: 'skill://refunds/SKILL.md' }],
      ['resources/directory/read', { uri: 'skill://' }],
      ['resources/list', {}],
      ['resources/read', { uri: 'skill://refunds/SKILL.md' }],
      ['resources/templates/list', {}],
    ] as const) {
      const { result } = await ask(method, params);
      if (era === 'modern') expect(result).toMatchObject(cached);
      else for (const field of Object.keys(cached)) expect(result).not.toHaveProperty(field);
    }
    if (era === 'modern') expect((await ask('server/discover')).result).toMatchObject(cached);
  });

  test('refuses with the codes of the revision', async () => {
    const ask = await rawSession(fixture().catalog, era);
    const missing = { uri: 'skill://none/SKILL.md' };
    const error = async (method: string, params: Record<string, unknown>) => (await ask(method, params)).error;
    expect(await error('resources/read', missing)).toMatchObject({
      code: era === 'modern' ? -32602 : -32002,
      data: missing,
    });
    expect(await error('skills/get', missing)).toMatchObject({ code: -32602, data: missing });
    expect(await error('resources/directory/read', missing)).toMatchObject({ code: -32602, data: missing });
    expect(await error('skills/list', { cursor: '' })).toMatchObject({ code: -32602 });
    expect(await error('skills/list', { cursor: 5 })).toMatchObject({ code: -32602 });
    expect(await error('skills/get', {})).toMatchObject({ code: -32602 });
    expect(await error('resources/read', {})).toMatchObject({ code: -32602 });
    expect(await error('skills/nothing', {})).toMatchObject({ code: -32601 });
    if (era === 'modern') expect(await error('ping', {})).toMatchObject({ code: -32601 });
    else expect((await ask('ping')).result).toEqual({});
  });

  test('announces a changed body to the client, as list and as file', async () => {
    const { source, catalog } = fixture();
    const client = await connect(catalog, era);
    const seen = events(client);
    await catalog.snapshot();
    const uri = 'skill://git-workflow/SKILL.md';
    if (era === 'modern') await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    source.add('git-workflow', {
      'SKILL.md': skillText('git-workflow', '# Other body\n'),
      'references/a b.md': '# Other guide\n',
    });
    await eventually(() => expect(seen).toEqual(['list', uri]));
  });

  test('stops announcing when the connection ends', async () => {
    const { source, catalog } = fixture();
    let listeners = 0;
    const counted: Catalog = {
      ...catalog,
      subscribe(listener) {
        listeners++;
        const stop = catalog.subscribe(listener);
        return () => {
          listeners--;
          stop();
        };
      },
    };
    const client = await connect(counted, era);
    const before = listeners;
    await client.close();
    await eventually(() => expect(listeners).toBe(before - 1));
    source.add('later', { description: 'x' }, 'body');
  });

  test('hides an error that is not its own, but reports it', async () => {
    const { source } = fixture();
    const reported: Error[] = [];
    const broken = { ...source, open: () => Promise.reject(new Error('password is hunter2')) };
    const ask = await rawSession(createCatalog(broken), era, { onerror: (error) => reported.push(error) });
    const { error } = await ask('resources/read', { uri: 'skill://refunds/SKILL.md' });
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
    expect(reported.map(({ message }) => message)).toEqual(['password is hunter2']);
  });
});

describe('subscriptions of a legacy session', () => {
  test("are reported in the client's spelling, only for subscribed URIs", async () => {
    const { source, catalog } = fixture();
    const client = await connect(catalog, 'legacy');
    const seen = events(client);
    await client.subscribeResource({ uri: 'skill://git-workflow/references/a b.md' });
    await client.subscribeResource({ uri: 'skill://refunds/SKILL.md' });
    await client.unsubscribeResource({ uri: 'skill://refunds/SKILL.md' });
    source.remove('refunds');
    source.add('git-workflow', { 'SKILL.md': skillText('git-workflow', 'x'), 'references/a b.md': 'new\n' });
    await eventually(() => expect(seen).toEqual(['list', 'list', 'skill://git-workflow/references/a b.md']));
  });

  test('are refused for unknown files, and beyond the limit', async () => {
    const source = memorySource({ many: { 'SKILL.md': skillText('many') } });
    const ask = await rawSession(createCatalog(source), 'legacy');
    expect((await ask('resources/subscribe', { uri: 'skill://none/SKILL.md' })).error?.code).toBe(-32002);
    expect((await ask('resources/subscribe', { uri: 'https://example.com/' })).error?.code).toBe(-32002);
    source.add('now', { description: 'The time' }, () => 'x');
    await eventually(async () =>
      expect((await ask('skills/get', { uri: 'skill://now/SKILL.md' })).error).toBeUndefined(),
    );
    for (let index = 0; index < limits.sessions.subscriptions; index++)
      await ask('resources/subscribe', { uri: `skill://now/${index}.md` });
    const { error } = await ask('resources/subscribe', { uri: 'skill://many/SKILL.md' });
    expect(error).toMatchObject({ code: -32602, data: { limit: limits.sessions.subscriptions } });
    expect((await ask('resources/subscribe', { uri: 'skill://now/1.md' })).result).toEqual({});
  });
});

describe('instructions', () => {
  test('contain the number of skills once it is known', async () => {
    const { catalog } = fixture();
    await catalog.snapshot();
    await (await connect(catalog, 'legacy')).close();
    await eventually(async () =>
      expect((await connect(catalog, 'modern')).getInstructions()).toMatch(
        /offers 2 skills .*skills\/list or resources\/list/,
      ),
    );
  });

  test('do not wait for the catalog', async () => {
    const never: Catalog = { ...fixture().catalog, snapshot: () => new Promise(() => {}) };
    expect((await connect(never, 'legacy')).getInstructions()).toMatch(/offers skills /);
  });

  test('and name of the server can be replaced', async () => {
    const options = { instructions: 'Read them all.', info: { name: 'acme', version: '9.9.9' } };
    const client = await connect(fixture().catalog, 'legacy', options);
    expect([client.getInstructions(), client.getServerVersion()]).toEqual([options.instructions, options.info]);
  });
});

test('the server names the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(defaultServerInfo).toEqual({ name: 'skillwire', version });
});
