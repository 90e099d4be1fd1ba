/** Real errors of the official clients, and our errors for them. */
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryTransportV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { discovered, Fault, type Methods, scriptedMcp } from '../../../test/scripted-http.ts';
import type { McpServerSource } from './connection-source.ts';
import { clientSource } from './mcp-server-source.ts';

const uri = 'skill://refunds/SKILL.md';
const me = { name: 'test', version: '1' };

async function list(source: McpServerSource): Promise<void> {
  for await (const _page of source.list({}));
}

/** A client of 2.x in the modern era. */
async function modern(methods: Methods): Promise<McpServerSource> {
  const server = await scriptedMcp(methods);
  const client = new Client(me, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  onTestFinished(() => client.close());
  return clientSource(client, { timeoutMs: 1_000 });
}

describe('a client of 2.x', () => {
  test('reports what the server is', async () => {
    const source = await modern({});
    expect(source.name).toBe('scripted');
    expect(await source.status({})).toMatchObject({ protocolVersion: '2026-07-28', skills: true, directoryRead: true });
  });

  test('recognizes an unknown method, even inside an HTTP error', async () => {
    const source = await modern({});
    await expect(list(source)).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION', data: { requirement: 'S-1' } });
  });

  test('does not report a missing result type that the client has removed', async () => {
    const skills = [{ uri, frontmatter: { name: 'refunds', description: 'x' }, resources: 'dynamic' }];
    const source = await modern({
      'skills/list': () => ({ resultType: 'complete', skills, ttlMs: 0, cacheScope: 'public' }),
    });
    for await (const page of source.list({})) expect(page.findings).toEqual([]);
  });

  test.each<[what: string, answer: () => unknown, code: string]>([
    ['an error of the server', () => new Fault(-32603, 'x'), 'ORIGIN_FAILED'],
    ['silence', () => undefined, 'TIMED_OUT'],
    ['an answer that the client refuses', () => ({ skill: {} }), 'BAD_ANSWER'],
    ['401', () => new Fault(-32000, 'x', { status: 401 }), 'NOT_AUTHORIZED'],
  ])('reports %s', async (_what, answer, code) => {
    const source = await modern({ 'skills/get': answer });
    await expect(source.get(uri, {})).rejects.toMatchObject({ code });
  });

  test('returns undefined for unknown URIs', async () => {
    const source = await modern({ 'resources/read': () => new Fault(-32602, 'x', { data: { uri } }) });
    expect(await source.open(uri, {})).toBeUndefined();
  });

  test('stops when its caller aborts', async () => {
    const source = await modern({ 'skills/get': () => undefined });
    await expect(source.get(uri, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  test('that was disconnected is unreachable', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    far.onmessage = (message) => {
      const result = { protocolVersion: '2025-11-25', capabilities: discovered.capabilities, serverInfo: me };
      if ('id' in message && 'method' in message && message.method === 'initialize')
        void far.send({ jsonrpc: '2.0', id: message.id ?? 0, result });
    };
    await far.start();
    const client = new Client(me);
    await client.connect(near);
    const source = clientSource(client);
    const waiting = source.get(uri, {});
    await client.close();
    await expect(waiting).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('a client of 1.x', () => {
  async function old(): Promise<{ source: McpServerSource; client: ClientV1 }> {
    const [near, far] = InMemoryTransportV1.createLinkedPair();
    far.onmessage = (message) => {
      if (!('id' in message) || !('method' in message)) return;
      const { id, method } = message;
      const result = { protocolVersion: '2025-06-18', capabilities: discovered.capabilities, serverInfo: me };
      if (method === 'initialize') void far.send({ jsonrpc: '2.0', id, result });
      else if (method === 'skills/get')
        void far.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'inside' } });
      else if (method === 'resources/read')
        void far.send({ jsonrpc: '2.0', id, error: { code: -32002, message: 'none' } });
    };
    await far.start();
    const client = new ClientV1(me);
    await client.connect(near);
    onTestFinished(() => client.close());
    return { source: clientSource(client, { timeoutMs: 200 }), client };
  }

  test('distinguishes errors of the server, silence and the end', async () => {
    const { source, client } = await old();
    const failure = source.get(uri, {});
    await expect(failure).rejects.toMatchObject({ code: 'ORIGIN_FAILED', data: { rpcCode: -32603 } });
    await expect(failure).rejects.toThrow('"inside"');
    expect(await source.open(uri, {})).toBeUndefined();
    await expect(list(source)).rejects.toMatchObject({ code: 'TIMED_OUT' });
    const waiting = source.request('x', {}, {});
    await client.close();
    await expect(waiting).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  test('stays open when the source is closed', async () => {
    const { source, client } = await old();
    await source.close();
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'CLOSED' });
    expect(client.getServerVersion()).toEqual(me);
  });
});
