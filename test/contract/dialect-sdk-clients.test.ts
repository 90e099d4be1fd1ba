/**
 * The official SDKs as plain clients of a server with all dialects. Everything that older dialects add passes their validation, in both eras.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { memorySource } from '../../src/sources/memory.ts';
import { f1, f2, f3 } from '../dialect-fixtures.ts';
import { eventually } from '../eventually.ts';
import { httpWire } from '../peers/clients/wire.ts';
import { verifies } from '../requirements/verifies.ts';

const source = memorySource({
  'git-workflow': { 'SKILL.md': f1.text, 'references/GUIDE.md': f2.text, 'assets/raw.bin': f3.bytes },
});
let handle: ServeHandle;
let url: URL;

beforeAll(async () => {
  source.add('acme/billing/refunds', { description: 'Pay back' }, '# Refunds\n');
  handle = await serve({
    source,
    dialects: 'all',
    listAliases: true,
    archiveEntries: true,
    experimentalCapability: true,
    frontmatterMeta: true,
    usage: { label: 'house', skill: 'refunds' },
    http: { host: '127.0.0.1', port: 0 },
  });
  url = new URL(handle.mcp ?? '');
});

afterAll(() => handle.close());

async function v1(): Promise<ClientV1> {
  const client = new ClientV1({ name: 'plain', version: '1' });
  await client.connect(new HttpV1(url) as Parameters<ClientV1['connect']>[0]);
  return client;
}

async function v2(): Promise<ClientV2> {
  const client = new ClientV2({ name: 'plain', version: '1' });
  await client.connect(new HttpV2(url));
  return client;
}

describe.each([
  { sdk: '1.x', connect: v1 },
  { sdk: '2.x', connect: v2 },
])('a client of the SDK $sdk', ({ connect }) => {
  test('lists and reads every resource', async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['skill://index.json', 'skill://git-workflow/_manifest', 'skill://house/usage']),
    );
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      if (!uri.endsWith('/')) expect(contents.map((content) => content.uri)).toEqual([uri]);
    }
    const { contents } = await client.readResource({ uri: 'skill://git-workflow/' });
    expect(contents.map((content) => content.uri)).toEqual([
      'skill://git-workflow/assets/raw.bin',
      'skill://git-workflow/references/GUIDE.md',
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('skill://lookup/{name}');
    await client.close();
  });

  test('loads a skill with a tool and with a prompt', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(5);
    const loaded = await client.callTool({ name: 'load_skill', arguments: { skill: 'git-workflow' } });
    expect(loaded.content).toMatchObject([{ text: f1.text }, { text: expect.stringContaining('references/GUIDE.md') }]);
    const unknown = await client.callTool({ name: 'load_skill', arguments: { skill: 'nope' } });
    expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('git-workflow') }] });
    const outside = await client.callTool({
      name: 'read_skill_file',
      arguments: { skill: 'git-workflow', path: '../acme/billing/refunds/SKILL.md' },
    });
    expect(outside.isError).toBe(true);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['git-workflow', 'refunds', 'skill']);
    const { messages } = await client.getPrompt({ name: 'skill', arguments: { name: 'git-workflow' } });
    expect(messages[0]?.content).toMatchObject({ type: 'resource', resource: { text: f1.text } });
    await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('completes names and paths', async () => {
    const client = await connect();
    const ref = { type: 'ref/resource', uri: 'skill://lookup/{name}' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'GIT' } });
    expect(completion).toEqual({ values: ['git-workflow'], total: 1, hasMore: false });
    const prompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'skill' },
      argument: { name: 'name', value: 're' },
    });
    expect(prompt.completion.values).toEqual(['refunds']);
    await client.close();
  });
});

verifies(['C-11', 'sep2076:get', 'sep2076:list'], 'SEP-2076 works beside the extension', async () => {
  const wire = await httpWire(url.href);
  expect(wire.capabilities['skills']).toEqual({ listChanged: true });
  const { skills } = (await wire.request('skills/list')) as { skills: Record<string, unknown>[] };
  expect(skills[1]).toMatchObject({
    uri: 'skill://git-workflow/SKILL.md',
    resources: expect.any(Array),
    name: 'git-workflow',
    description: 'Follow team Git conventions for branching and commits.',
  });
  expect(await wire.request('skills/get', { name: 'git-workflow' })).toEqual({
    description: 'Follow team Git conventions for branching and commits.',
    instructions: '\n# Git Workflow\n',
    files: [
      { name: 'assets/raw.bin', uri: 'skill://git-workflow/assets/raw.bin', mimeType: 'application/octet-stream' },
      { name: 'references/GUIDE.md', uri: 'skill://git-workflow/references/GUIDE.md', mimeType: 'text/markdown' },
    ],
  });
  const both = await wire.request('skills/get', { uri: 'skill://git-workflow/SKILL.md', name: 'refunds' });
  expect(both['skill']).toMatchObject({ uri: 'skill://git-workflow/SKILL.md' });
  for (const params of [{}, { name: 'nope' }, { name: 7 }, { uri: 'skill://git-workflow', name: 'git-workflow' }])
    await expect(wire.request('skills/get', params)).rejects.toThrow(/-32602/);
  await wire.close();
});

verifies(['C-13'], 'a session of an older revision gets no fields of 2026-07-28', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (const uri of ['skill://index.json', 'skill://git-workflow/_manifest', 'skill://git-workflow']) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = await answer.text();
    const line = text.startsWith('{') ? text : (/data: (\{.*\})/.exec(text)?.[1] ?? '{}');
    expect(Object.keys((JSON.parse(line) as { result: object }).result)).toEqual(['contents']);
  }
});

test('a client of the newest revision follows the index over a stream', async () => {
  const seen: string[] = [];
  const abort = new AbortController();
  const stream = await fetch(url, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: {
          toolsListChanged: true,
          resourceSubscriptions: ['skill://index.json', 'skill://late/_manifest'],
        },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) seen.push(Buffer.from(chunk).toString());
  })().catch(() => undefined);
  await eventually(() => expect(seen.join('')).toContain('acknowledged'));
  source.add('late', { description: 'Comes later' }, '# Late\n');
  await eventually(() => {
    for (const part of ['"skill://index.json"', '"skill://late/_manifest"', 'notifications/tools/list_changed'])
      expect(seen.join('').split('acknowledged')[1]).toContain(part);
  });
  abort.abort();
  await reading;
});
