import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type JSONRPCMessage,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../../test/eventually.ts';
import { memorySource } from '../../sources/memory.ts';
import { addSkills, type SkillsInput } from './mcp-v1.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function skillText(name: string, body = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`;
}

function fixture() {
  return memorySource({
    refunds: { 'SKILL.md': skillText('refunds') },
    'team/invoices': { 'SKILL.md': skillText('invoices'), 'a b.md': 'x' },
  });
}

function ownServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  server.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'a note' }] }));
  server.registerResource('index', 'skill://index.json', {}, ({ href }) => ({ contents: [{ uri: href, text: '{}' }] }));
  const template = new ResourceTemplate('user://{id}', { list: undefined, complete: { id: () => ['7'] } });
  server.registerResource('user', template, {}, ({ href }, { id }) => ({
    contents: [{ uri: href, text: `user ${id}` }],
  }));
  server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hi' }] }));
  return server;
}

async function connect(skills: SkillsInput, server: McpServer = ownServer()) {
  const handle = addSkills(server, skills);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(theirs);
  cleanUp.push(
    () => handle.close(),
    () => client.close(),
  );
  const ask = (method: string, params: Record<string, unknown> = {}) =>
    client.request({ method, params }, z.looseObject({}) as never) as Promise<Record<string, unknown>>;
  return { handle, client, ask };
}

describe('addSkills() of the SDK 1.x', () => {
  test('declares the extension and answers its methods, without cache fields', async () => {
    const { client, ask } = await connect(fixture());
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { listChanged: true, subscribe: true },
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
    const listing = await ask('skills/list');
    expect(listing.skills).toMatchObject([
      { uri: 'skill://refunds/SKILL.md', frontmatter: { name: 'refunds' } },
      { uri: 'skill://team/invoices/SKILL.md', frontmatter: { name: 'invoices' } },
    ]);
    expect(listing).not.toHaveProperty('ttlMs');
    expect(await ask('skills/get', { uri: 'skill://refunds/SKILL.md' })).toMatchObject({
      skill: { resources: [{ uri: 'skill://refunds/SKILL.md' }] },
    });
    expect(await ask('resources/directory/read', { uri: 'skill://team' })).toMatchObject({
      resources: [{ uri: 'skill://team/invoices', mimeType: 'inode/directory' }],
    });
  });

  test("keeps the server's own handlers", async () => {
    const { client } = await connect(fixture());
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'note://one',
      'skill://index.json',
      'skill://refunds/SKILL.md',
      'skill://team/invoices/SKILL.md',
    ]);
    const text = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents[0];
    expect(await text('note://one')).toMatchObject({ text: 'a note' });
    expect(await text('user://9')).toMatchObject({ text: 'user 9' });
    expect(await text('skill://index.json')).toMatchObject({ text: '{}' });
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'hi' }] });
    const complete = (uri: string, name: string) =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value: '' } });
    expect((await complete('user://{id}', 'id')).completion.values).toEqual(['7']);
    expect((await complete('skill://{+path}', 'path')).completion.values).toHaveLength(2);
  });

  test('reads files by their exact URI, and refuses with code and data', async () => {
    const { client, ask } = await connect(fixture());
    const uri = 'skill://team/invoices/a b.md';
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: 'text/markdown', text: 'x' }]);
    for (const missing of ['skill://none/SKILL.md', 'skill://x/../refunds/SKILL.md'])
      await expect(client.readResource({ uri: missing })).rejects.toMatchObject({
        code: -32002,
        data: { uri: missing },
      });
    await expect(ask('skills/get', { uri: 'skill://none/SKILL.md' })).rejects.toMatchObject({ code: -32602 });
    await expect(ask('skills/get', {})).rejects.toMatchObject({ code: -32602 });
    await expect(ask('skills/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32602 });
  });

  test('announces changes: the list to everybody, files to subscribers', async () => {
    const source = fixture();
    const { client } = await connect(source);
    const seen: string[] = [];
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      seen.push('list');
    });
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      seen.push(params.uri);
    });
    await client.subscribeResource({ uri: 'skill://refunds/SKILL.md' });
    await expect(client.subscribeResource({ uri: 'skill://none/SKILL.md' })).rejects.toMatchObject({ code: -32002 });
    source.add('team/invoices', { 'SKILL.md': skillText('invoices', 'new') });
    source.add('refunds', { 'SKILL.md': skillText('refunds', 'new') });
    await eventually(() => expect(seen).toEqual(['list', 'list', 'skill://refunds/SKILL.md']));
    await client.unsubscribeResource({ uri: 'skill://refunds/SKILL.md' });
    source.add('refunds', { 'SKILL.md': skillText('refunds', 'newer') });
    await eventually(() => expect(seen).toHaveLength(4));
    expect(seen[3]).toBe('list');
  });

  test('passes other subscriptions on to the server', async () => {
    const server = ownServer();
    const subscribed: string[] = [];
    server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
      subscribed.push(params.uri);
      return {};
    });
    const { client } = await connect(fixture(), server);
    await client.subscribeResource({ uri: 'note://one' });
    await client.subscribeResource({ uri: 'skill://refunds/SKILL.md' });
    expect(subscribed).toEqual(['note://one']);
  });

  test('generates skills for the caller', async () => {
    const server = ownServer();
    const { handle, client } = await connect(fixture(), server);
    handle.add('who', { description: 'Who asks' }, ({ clientCapabilities, principal }) =>
      JSON.stringify({ clientCapabilities, principal: principal?.id }),
    );
    await eventually(async () => {
      const { contents } = await client.readResource({ uri: 'skill://who/SKILL.md' });
      expect(contents[0]).toHaveProperty('text', expect.stringContaining('{"clientCapabilities":{}}'));
    });
  });

  test('hides errors that are not its own', async () => {
    const reported: string[] = [];
    const server = ownServer();
    const source = { ...fixture(), open: () => Promise.reject(new Error('secret')) };
    const handle = addSkills(server, source, { onerror: ({ message }) => reported.push(message) });
    cleanUp.push(() => handle.close());
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const messages: JSONRPCMessage[] = [];
    theirs.onmessage = (message) => messages.push(message);
    await Promise.all([server.connect(ours), theirs.start()]);
    const params = { uri: 'skill://refunds/SKILL.md' };
    await theirs.send({ jsonrpc: '2.0', id: 1, method: 'resources/read', params });
    await eventually(() =>
      expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }]),
    );
    expect(reported).toEqual(['secret']);
    await server.close();
  });

  test('refuses a server that is connected or already has skills', async () => {
    const server = ownServer();
    const first = addSkills(server, fixture());
    expect(() => addSkills(server, fixture())).toThrow(/another catalog/);
    await server.connect(InMemoryTransport.createLinkedPair()[0]);
    expect(() => addSkills(ownServer(), [])).toThrow(/list of folders is empty/);
    await server.close();
    await first.close();
    const declared = new McpServer(
      { name: 'own', version: '1.0.0' },
      { capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } } },
    );
    expect(() => addSkills(declared, fixture())).toThrow(/already declares skills/);
    const connected = ownServer();
    await connected.connect(InMemoryTransport.createLinkedPair()[0]);
    expect(() => addSkills(connected, fixture())).toThrow(/before connect/);
    await connected.close();
  });
});
