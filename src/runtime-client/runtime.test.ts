import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../../test/eventually.ts';
import { type MdpServerProcess, startMdpServer } from '../../test/peers/mdp-server.ts';
import { createRuntime, type Runtime, type RuntimeOptions, type RuntimeStatus } from './index.node.ts';

let peer: MdpServerProcess;
const runtimes: Runtime[] = [];

beforeAll(async () => {
  peer = await startMdpServer();
});

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
});

afterAll(() => peer.close());

function runtimeOf(options: Partial<RuntimeOptions> = {}): Runtime {
  const runtime = createRuntime({ url: peer.ws, id: 'lab', ...options });
  runtimes.push(runtime);
  return runtime;
}

async function read(path: string, client = 'lab'): Promise<{ status: number; type: string | null; text: string }> {
  const answer = await fetch(`${peer.http}/skills/${client}/${path}`);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

describe.each(['ws', 'http'] as const)('a runtime over %s at a server of the protocol', (kind) => {
  test('registers, answers, changes its skills and leaves', async () => {
    const runtime = runtimeOf({ url: peer[kind] });
    runtime.expose('/a/skill.md', '# A\n\nFirst text.');
    runtime.expose(
      '/b/:item/skill.md',
      { description: 'By item' },
      ({ params, queries }) => `${params.item} ${queries.q}`,
    );
    await runtime.connect();
    expect(runtime.status).toEqual({ state: 'connected' });
    expect(await eventually(() => served('a'))).toEqual({
      status: 200,
      type: 'text/markdown; charset=utf-8',
      text: '# A\n\nFirst text.',
    });
    expect((await read('b/42?q=x')).text).toBe('42 x');

    runtime.expose('/a/skill.md', 'Second text.');
    runtime.expose('/c/skill.md', { description: 'Fails' }, () => {
      throw new Error('kaput');
    });
    await eventually(async () => expect((await read('a')).text).toBe('Second text.'));
    expect(await read('c')).toMatchObject({ status: 502, text: expect.stringContaining('kaput') });

    expect(runtime.unexpose('/a/skill.md')).toBe(true);
    expect(runtime.unexpose('/a/skill.md')).toBe(false);
    await eventually(async () => expect((await read('a')).status).toBe(404));

    await runtime.close();
    expect(runtime.status).toEqual({ state: 'closed' });
    await eventually(async () => expect((await read('b/1')).status).toBe(404));
  });
});

/** Registration has no acknowledgment, so callers retry this. */
async function served(path: string): Promise<Awaited<ReturnType<typeof read>>> {
  const answer = await read(path);
  if (answer.status !== 200) throw new Error(`${path} is not served: ${answer.status}`);
  return answer;
}

test('connect() fails if nobody listens, and may be called again', async () => {
  const statuses: RuntimeStatus[] = [];
  const runtime = runtimeOf({ url: 'ws://127.0.0.1:1', onStatus: (status) => statuses.push(status) });
  await expect(runtime.connect()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await expect(runtime.connect()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(statuses.map(({ state }) => state)).toEqual(['connecting', 'idle', 'connecting', 'idle']);
  await expect(runtimeOf({ url: 'http://127.0.0.1:1' }).connect()).rejects.toMatchObject({ code: 'UNREACHABLE' });
});

test('connect() stops when its signal aborts', async () => {
  const runtime = runtimeOf({ url: 'ws://127.0.0.1:1' });
  const stop = new AbortController();
  const connecting = runtime.connect({ keepTrying: true, signal: stop.signal });
  await eventually(() => expect(runtime.status.state).toBe('waiting'));
  stop.abort(new Error('enough'));
  await expect(connecting).rejects.toThrow('enough');
  expect(runtime.status.state).toBe('idle');
});

test('connect() with keepTrying waits for the hub', async () => {
  const { server, url, sockets } = await hub();
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const runtime = runtimeOf({ url });
  const connecting = runtime.connect({ keepTrying: true });
  await eventually(() => expect(runtime.status.state).toBe('waiting'));
  const again = await hub(port);
  await connecting;
  expect(again.sockets).toHaveLength(1);
  expect(sockets).toHaveLength(0);
  await runtime.close();
  again.server.close();
});

test('a second session with the same id replaces the first, which does not return', async () => {
  const first = runtimeOf();
  first.expose('/a/skill.md', 'first');
  await first.connect();
  const second = runtimeOf();
  second.expose('/a/skill.md', 'second');
  await second.connect();
  await eventually(() =>
    expect(first.status).toEqual({ state: 'replaced', reason: 'Replaced by newer client session' }),
  );
  expect((await read('a')).text).toBe('second');
});

describe('a runtime and a scripted hub', () => {
  test('reconnects after the connection is lost, with its current skills', async () => {
    const { server, url, sockets, messages } = await hub();
    const runtime = runtimeOf({ url });
    runtime.expose('/a/skill.md', 'A');
    await runtime.connect();
    await eventually(() => expect(messages).toHaveLength(1));
    sockets[0]?.terminate();
    await eventually(() => expect(runtime.status.state).toBe('waiting'));
    runtime.expose('/b/skill.md', 'B');
    await eventually(() => expect(messages).toHaveLength(2));
    expect(messages[1]).toMatchObject({
      type: 'registerClient',
      client: { paths: [{ path: '/a/skill.md' }, { path: '/b/skill.md' }] },
    });
    await runtime.close();
    server.close();
  });

  test('retries more slowly after a refusal', async () => {
    const { server, url, sockets } = await hub();
    const runtime = runtimeOf({ url });
    await runtime.connect();
    await eventually(() => expect(sockets).toHaveLength(1));
    sockets[0]?.close(1008, 'not you');
    await eventually(() =>
      expect(runtime.status).toMatchObject({ state: 'waiting', reason: 'not you', refused: true }),
    );
    expect(runtime.status.retryMs).toBeGreaterThanOrEqual(15_000);
    await runtime.close();
    server.close();
  });

  test('declares digest and size of static text, and sends its token', async () => {
    const { server, url, messages } = await hub();
    const runtime = runtimeOf({ url, name: 'The lab', auth: { token: 'secret' }, version: '1.2.3' });
    runtime.expose('/a/skill.md', '# Ä\n\nText.');
    runtime.expose('/b/skill.md', { description: 'Live' }, () => 'x');
    await runtime.connect();
    await eventually(() => expect(messages).toHaveLength(1));
    expect(messages[0]).toEqual({
      type: 'registerClient',
      auth: { scheme: 'Bearer', token: 'secret' },
      client: {
        id: 'lab',
        name: 'The lab',
        version: '1.2.3',
        paths: [
          {
            type: 'skill',
            path: '/a/skill.md',
            contentType: 'text/markdown',
            description: 'Text.',
            _meta: {
              'dev.skillwire/digest': 'sha256:077c4903a527814adc6038b33ffcbd447a6dbc2d89952fdc01b4fa40ede017ab',
              'dev.skillwire/size': 11,
            },
          },
          { type: 'skill', path: '/b/skill.md', contentType: 'text/markdown', description: 'Live' },
        ],
      },
    });
    await runtime.close();
    await eventually(() => expect(messages.at(-1)).toEqual({ type: 'unregisterClient', clientId: 'lab' }));
    server.close();
  });

  test('answers pings and calls, reports several changes together, and ignores unknown messages', async () => {
    const { server, url, sockets, messages } = await hub();
    const faults: string[] = [];
    const runtime = runtimeOf({ url, onFault: (fault) => faults.push(fault) });
    runtime.expose('/number/skill.md', { description: 'no text' }, () => 7 as unknown as string);
    runtime.expose('/large/skill.md', { description: 'too long' }, () => 'x'.repeat(2_000_000));
    await runtime.connect();
    const say = (message: object): unknown => sockets[0]?.send(JSON.stringify(message));
    const call = (requestId: string, path: string, more: object = {}): unknown =>
      say({ type: 'callClient', requestId, clientId: 'lab', method: 'GET', path, ...more });
    say({ type: 'ping', timestamp: 17 });
    say({ type: 'news', about: 'nothing' });
    sockets[0]?.send(Buffer.from('{}'), { binary: true });
    call('1', '/nowhere/skill.md');
    call('2', '/number/skill.md');
    call('3', '/large/skill.md');
    call('4', '/number/skill.md', { method: 'POST' });
    call('5', '/number/skill.md', { clientId: 'other' });
    const answers = await eventually(() => {
      expect(messages).toHaveLength(6);
      return messages.slice(1);
    });
    expect(answers).toContainEqual({ type: 'pong', timestamp: 17 });
    const errors = answers.flatMap((message) => ('error' in message ? [[message.requestId, message.error]] : []));
    expect(Object.fromEntries(errors)).toEqual({
      1: { code: 'not_found', message: 'no skill is exposed at "/nowhere/skill.md"' },
      2: { code: 'handler_error', message: expect.stringContaining('returned no text') },
      3: { code: 'handler_error', message: expect.stringContaining('the limit is 1048576') },
      4: { code: 'not_found', message: expect.any(String) },
    });
    expect(faults).toHaveLength(2);
    for (const name of ['a', 'b', 'c']) runtime.expose(`/${name}/skill.md`, name);
    await eventually(() => expect(messages.at(-1)).toMatchObject({ type: 'updateClientCatalog' }));
    const updates = messages.filter(({ type }) => type === 'updateClientCatalog');
    expect(updates).toHaveLength(1);
    expect(updates[0]).toMatchObject({ paths: expect.objectContaining({ length: 5 }) });
    await runtime.close();
    server.close();
  });
});

test.each([
  ['/Upper/skill.md', 'segments may contain only a-z'],
  ['relative/skill.md', 'must start with "/"'],
  ['/a//skill.md', 'empty segment'],
  ['/a/skill.md/', 'must not end with "/"'],
  ['/a/../skill.md', 'a segment ".."'],
  ['/a b/skill.md', 'segments may contain only a-z'],
  ['/a/skill.md?x=1', 'must not contain "?" or "#"'],
  ['/a/README.md', 'last segment must be "skill.md"'],
  ['/a/SKILL.md', 'last segment must be "skill.md"'],
  ['/.meta/skill.md', 'segments may contain only a-z'],
])('expose() refuses the path %s', (path, fault) => {
  expect(() => runtimeOf().expose(path, 'x')).toThrow(fault);
});

test('expose() refuses values other than text and functions, and text that is too long for a message', () => {
  const runtime = runtimeOf();
  const options = { description: 'x' } as const;
  expect(() => runtime.expose('/a/skill.md', options, undefined as unknown as string)).toThrow(
    'neither text nor a function',
  );
  expect(() => runtime.expose('/a/skill.md', 'x'.repeat(1_100_000))).toThrow('the limit is');
  expect(() => runtime.expose('/a/skill.md', { description: 'x'.repeat(10_000) }, 'x')).toThrow('"description"');
});

test.each([
  [{ url: 'ftp://x' }, 'not the address of a hub'],
  [{ url: 'nonsense' }, 'not the address of a hub'],
  [{ id: '' }, 'its id is not text'],
  [{ name: 'x'.repeat(300) }, 'its name is not text'],
])('createRuntime() refuses %j', (options, fault) => {
  expect(() => runtimeOf(options)).toThrow(fault);
});

interface Hub {
  readonly server: Server;
  readonly url: string;
  readonly sockets: WebSocket[];
  readonly messages: ({ type: string } & Record<string, unknown>)[];
}

/** A hub that records messages and sends none on its own. */
async function hub(port = 0): Promise<Hub> {
  const server = createServer();
  const [sockets, messages]: [Hub['sockets'], Hub['messages']] = [[], []];
  new WebSocketServer({ server }).on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, messages };
}
