/** The four tools of MDP over MCP: HTTP in both eras and stdio; and live skills as ordinary ones. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { type Hub, openHub } from '../../mdp-hub.ts';
import { answering, type Message, registration, type SocketPeer, skill, socketPeer } from '../../mdp-peer.ts';

const command = join(import.meta.dirname, '../../../dist/cli/main.js');
const examples = join(import.meta.dirname, '../../../examples/skills');

type Era = 'legacy' | 'auto';

function newClient(mode: Era = 'auto'): Client {
  return new Client(
    { name: 'test', version: '1' },
    { capabilities: { extensions: { [SKILLS_EXTENSION_ID]: {} } }, versionNegotiation: { mode } },
  );
}

async function connect(hub: Hub, mode: Era = 'auto'): Promise<Client> {
  const client = newClient(mode);
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.handle.mcp ?? '')));
  return client;
}

async function runtime(
  hub: Hub,
  id: string,
  paths: readonly Message[],
  data: unknown = `# ${id}\n`,
): Promise<SocketPeer> {
  const peer = await socketPeer(hub.ws);
  answering(peer, ({ path }) =>
    path === '/boom/skill.md' ? { ok: false, error: { code: 'handler_error', message: 'kaput' } } : { ok: true, data },
  );
  peer.send(registration(id, paths));
  await eventually(() => expect(hub.handle.mdp?.runtimes.client(id)).toBeDefined());
  return peer;
}

async function call(client: Client, name: string, args: Message = {}): Promise<Message> {
  return (await client.callTool({ name, arguments: { ...args } })) as unknown as Message;
}

function text({ content }: Message): string {
  return (content as readonly { readonly text: string }[])[0]?.text ?? '';
}

const get = { method: 'GET', path: '/a/skill.md' };

describe.each(['legacy', 'auto'] as const)('over HTTP, to clients in mode %s', (era) => {
  test('the tools are listed with their schemas', async () => {
    await using hub = await openHub();
    const client = await connect(hub, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['listClients', 'listPaths', 'callPath', 'callPaths']);
    const [, paths, path] = tools;
    expect(Object.keys(paths?.inputSchema.properties ?? {})).toEqual(['clientId', 'search', 'depth', 'type', 'cursor']);
    expect(path?.inputSchema).toMatchObject({ required: ['clientId', 'method', 'path'], additionalProperties: false });
    expect(path?.outputSchema).toMatchObject({ type: 'object', required: ['ok'] });
    await client.close();
  });

  test('clients and paths are listed, and a path is called', async () => {
    await using hub = await openHub();
    await runtime(hub, 'lab', [skill('/a/skill.md'), skill('/x/y/z/skill.md')]);
    const client = await connect(hub, era);
    const clients = await call(client, 'listClients');
    expect(clients.structuredContent).toMatchObject({
      clients: [
        { id: 'lab', name: 'Lab lab', status: 'online', connection: { mode: 'ws', secure: false, authSource: 'none' } },
      ],
    });
    expect(JSON.parse(text(clients))).toEqual(clients.structuredContent);
    expect((await call(client, 'listPaths')).structuredContent).toEqual({
      paths: [{ clientId: 'lab', clientName: 'Lab lab', ...skill('/a/skill.md') }],
    });
    expect((await call(client, 'callPath', { clientId: 'lab', ...get })).structuredContent).toEqual({
      ok: true,
      data: '# lab\n',
    });
    await client.close();
  });
});

describe('listPaths', () => {
  test('filters by depth, type, client and search, in pages', async () => {
    await using hub = await openHub();
    const deep = ['/skill.md', '/a/skill.md', '/a/b/skill.md', '/a/b/c/skill.md', '/a/b/c/d/skill.md'];
    await runtime(hub, 'deep', [...deep.map((path) => skill(path)), { type: 'endpoint', path: '/e', method: 'POST' }]);
    await runtime(
      hub,
      'many',
      Array.from({ length: 250 }, (_, index) => skill(`/s${index}/skill.md`)),
    );
    const client = await connect(hub);
    const paths = async (args: Message): Promise<string[]> => {
      const { paths: rows } = (await call(client, 'listPaths', args)).structuredContent as {
        paths: { path: string }[];
      };
      return rows.map(({ path }) => path);
    };
    expect(await paths({ clientId: 'deep', type: 'skill' })).toEqual(deep.slice(0, 3));
    expect(await paths({ clientId: 'deep', type: 'skill', depth: 2 })).toEqual(deep.slice(0, 4));
    expect(await paths({ clientId: 'deep', type: 'skill', depth: 3 })).toEqual(deep);
    expect(await paths({ clientId: 'deep', type: 'endpoint' })).toEqual(['/e']);
    expect(await paths({ search: ' B/C/D ' })).toEqual(['/a/b/c/d/skill.md']);
    const first = (await call(client, 'listPaths')).structuredContent as { paths: unknown[]; nextCursor: string };
    expect(first.paths).toHaveLength(200);
    expect(await paths({ cursor: first.nextCursor })).toHaveLength(54);
    expect(await call(client, 'listPaths', { cursor: 'garbage' })).toMatchObject({ isError: true });
    const zero = await call(client, 'listPaths', { depth: 0 });
    expect([zero.isError, text(zero)]).toEqual([
      true,
      expect.stringContaining('MCP error -32602: Input validation error'),
    ]);
    expect(text(zero)).toContain('depth');
    await client.close();
  });
});

describe('callPath and callPaths', () => {
  test('fail with the messages of the reference', async () => {
    await using hub = await openHub({ bounds: { callMs: 50 } });
    await runtime(hub, 'lab', [skill('/a/skill.md'), skill('/boom/skill.md')]);
    const silent = await socketPeer(hub.ws);
    silent.send(registration('silent'));
    await hub.registered('lab', 'silent');
    const client = await connect(hub);
    const failure = async (args: Message): Promise<unknown> => {
      const result = await call(client, 'callPath', { ...get, ...args });
      return [result.isError, text(result), result.structuredContent];
    };
    expect(await failure({ clientId: 'nope' })).toEqual([true, 'Client "nope" is not connected', undefined]);
    expect(await failure({ clientId: 'lab', path: '/x/skill.md' })).toEqual([
      true,
      'Path "/x/skill.md" with method "GET" was not found on client "lab"',
      undefined,
    ]);
    expect(await failure({ clientId: 'silent' })).toEqual([
      true,
      'Invocation timed out for client "silent"',
      undefined,
    ]);
    const error = { code: 'handler_error', message: 'kaput' };
    expect(await failure({ clientId: 'lab', path: '/boom/skill.md' })).toEqual([
      true,
      JSON.stringify({ ok: false, error }, null, 2),
      { ok: false, error },
    ]);
    expect(await call(client, 'callPaths', { ...get, path: '/none/skill.md' })).toMatchObject({
      isError: true,
      content: [{ text: 'No matching MDP clients were found' }],
    });
    for (const args of [{}, { clientId: 'lab', ...get, extra: 1 }, { clientId: 'lab', ...get, method: 'HEAD' }])
      expect(await call(client, 'callPath', args)).toMatchObject({ isError: true });
    await expect(call(client, 'callClient')).rejects.toThrow('Unknown tool');
    await client.close();
  });

  test('report the result of each runtime', async () => {
    await using hub = await openHub();
    await runtime(hub, 'one', [skill('/a/skill.md')], 1);
    await runtime(hub, 'two', [skill('/a/skill.md'), skill('/b/skill.md')], 2);
    const client = await connect(hub);
    expect((await call(client, 'callPaths', get)).structuredContent).toEqual({
      results: [
        { clientId: 'one', ok: true, data: 1 },
        { clientId: 'two', ok: true, data: 2 },
      ],
    });
    const mixed = await call(client, 'callPaths', { ...get, path: '/b/skill.md', clientIds: ['one', 'two', 'gone'] });
    expect(mixed.isError).toBeUndefined();
    expect(mixed.structuredContent).toMatchObject({
      results: [
        { clientId: 'one', ok: false, error: { code: 'not_found' } },
        { clientId: 'two', ok: true, data: 2 },
        { clientId: 'gone', ok: false, error: { code: 'not_ready', message: 'Client "gone" is not connected' } },
      ],
    });
    const all = Array.from({ length: 65 }, (_, index) => `c${index}`);
    expect(await call(client, 'callPaths', { ...get, clientIds: all })).toMatchObject({ isError: true });
    await client.close();
  });

  test('pass query, body, headers and credentials on unchanged', async () => {
    await using hub = await openHub();
    const peer = await socketPeer(hub.ws);
    peer.send(registration('lab', [{ type: 'endpoint', path: '/search', method: 'POST' }]));
    await hub.registered('lab');
    const client = await connect(hub);
    const given = { query: { n: 3 }, body: [1], headers: { a: 'b' }, auth: { scheme: 'Bearer', token: 't1' } };
    const result = call(client, 'callPath', { clientId: 'lab', method: 'POST', path: '/search', ...given });
    const { requestId, ...receivedCall } = await peer.next('callClient');
    expect(receivedCall).toEqual({
      type: 'callClient',
      clientId: 'lab',
      method: 'POST',
      path: '/search',
      params: {},
      ...given,
    });
    peer.send({ type: 'callClientResult', requestId, ok: true });
    expect((await result).structuredContent).toEqual({ ok: true });
    await client.close();
  });
});

describe('live skills', () => {
  test('are listed, loaded by the official client, and announced when they come and go', async () => {
    await using hub = await openHub();
    const client = newClient('legacy');
    let changes = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      changes++;
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(hub.handle.mcp ?? '')));
    const uri = 'skill://mdp/lab/a/SKILL.md';
    const uris = async (): Promise<string[]> => (await client.listResources()).resources.map((one) => one.uri);
    expect(await uris()).not.toContain(uri);
    const peer = await runtime(hub, 'lab', [skill('/a/skill.md')], '# Live\n');
    await eventually(async () => expect(await uris()).toContain(uri));
    await eventually(() => expect(changes).toBeGreaterThan(0));
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toContain('# Live');
    const before = changes;
    await peer.close();
    await eventually(async () => expect(await uris()).not.toContain(uri));
    await eventually(() => expect(changes).toBeGreaterThan(before));
    await client.close();
  });

  test('with parameters are templates, and are read by their URI', async () => {
    await using hub = await openHub();
    await runtime(hub, 'lab', [skill('/items/:item_id/skill.md')], '# Item\n');
    const client = await connect(hub);
    await eventually(async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
        'skill://mdp/lab/items/{item_id}/SKILL.md',
      );
    });
    const { contents } = await client.readResource({ uri: 'skill://mdp/lab/items/42/SKILL.md' });
    expect((contents[0] as { text: string }).text).toContain('# Item');
    const listed = await new SkillsClient(client).list();
    expect(JSON.stringify(listed)).not.toContain('items');
    await client.close();
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('over stdio the tools reach runtimes on a separate port', async () => {
  const port = await freePort();
  const client = newClient();
  const args = [command, 'serve', examples, '--stdio', '--mdp-port', String(port)];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  const peer = await eventually(() => socketPeer(`ws://127.0.0.1:${port}`));
  answering(peer, () => ({ ok: true, data: '# Live\n' }));
  peer.send(registration('lab'));
  await eventually(async () =>
    expect((await call(client, 'callPath', { clientId: 'lab', ...get })).structuredContent).toEqual({
      ok: true,
      data: '# Live\n',
    }),
  );
  expect((await fetch(`http://127.0.0.1:${port}/skills/lab/a`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/mcp`)).status).toBe(404);
  const { contents } = await client.readResource({ uri: 'skill://mdp/lab/a/SKILL.md' });
  expect((contents[0] as { text: string }).text).toContain('# Live');
  await client.close();
  await eventually(() => expect(peer.closed?.code).toBe(1001));
});
