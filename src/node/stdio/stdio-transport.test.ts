import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

interface Pipe {
  readonly stdin: PassThrough;
  readonly transport: StdioTransport;
  readonly received: JSONRPCMessage[];
  readonly sent: unknown[];
  readonly errors: Error[];
}

async function pipe(maxLineBytes?: number): Promise<Pipe> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const sent: unknown[] = [];
  stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) if (line !== '') sent.push(JSON.parse(line));
  });
  const transport = createStdioTransport(stdin, stdout, maxLineBytes === undefined ? {} : { maxLineBytes });
  const received: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error);
  await transport.start();
  return { stdin, transport, received, sent, errors };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

test('requests are not read while the client does not read its answers', async () => {
  const stdin = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 16 });
  const transport = createStdioTransport(stdin, stdout);
  let received = 0;
  transport.onmessage = () => {
    received++;
    void transport.send({ jsonrpc: '2.0', id: received, result: { text: 'x'.repeat(1_000) } });
  };
  await transport.start();
  for (let n = 0; n < 50; n++) {
    stdin.write(`${JSON.stringify({ ...ping, id: n })}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(received).toBeLessThan(5);
  stdout.resume();
  await eventually(() => expect(received).toBe(50));
});

test('the end of stdin is noticed while the client does not read, and earlier requests are answered later', async () => {
  const stdin = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 16 });
  const transport = createStdioTransport(stdin, stdout);
  const received: unknown[] = [];
  transport.onmessage = (message) => {
    const { id } = message as { id: number };
    received.push(id);
    void transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1_000) } });
  };
  await transport.start();
  stdin.write(`${JSON.stringify(ping)}\n`);
  await eventually(() => expect(received).toEqual([1]));
  const rest = `${JSON.stringify({ ...ping, id: 2 })}\n${JSON.stringify({ ...ping, id: 3 })}\n`;
  stdin.write(rest.slice(0, 20));
  await new Promise((resolve) => setImmediate(resolve));
  stdin.end(rest.slice(20));
  await transport.ended;
  expect(received).toEqual([1]);
  stdout.resume();
  await transport.idle();
  expect(received).toEqual([1, 2, 3]);
});

describe('lines', () => {
  test('are messages, however they are split and joined', async () => {
    const { stdin, received } = await pipe();
    const text = `${JSON.stringify(ping)}\r\n\n${JSON.stringify({ ...ping, id: 'ü' })}\n${JSON.stringify({ ...ping, id: 3 })}\n`;
    for (const byte of Buffer.from(text)) stdin.write(Uint8Array.of(byte));
    stdin.write(text);
    await eventually(() => expect(received).toHaveLength(6));
    expect(received.map((message) => 'id' in message && message.id)).toEqual([1, 'ü', 3, 1, 'ü', 3]);
  });

  test.each([
    ['no JSON', 'hello', { id: null, error: { code: -32700 } }],
    ['a byte order mark', '\uFEFF{}', { id: null, error: { code: -32700 } }],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), { id: null, error: { code: -32700 } }],
    ['a batch', JSON.stringify([ping]), { id: null, error: { code: -32600 } }],
    ['a message of a wrong shape', '{"jsonrpc":"2.0","id":5,"method":7}', { id: 5, error: { code: -32600 } }],
    ['no message, with a huge id', JSON.stringify({ id: 'x'.repeat(1000) }), { id: null, error: { code: -32600 } }],
    ['deep nesting', '['.repeat(100_000), { id: null, error: { code: -32600 } }],
  ])('with %s are answered with an error, and the next line is read', async (_, line, expected) => {
    const { stdin, received, sent } = await pipe();
    stdin.write(line);
    stdin.write(`\n${JSON.stringify(ping)}\n`);
    await eventually(() => expect(received).toEqual([ping]));
    expect(sent).toEqual([expect.objectContaining({ ...expected, error: expect.objectContaining(expected.error) })]);
  });

  test.each([
    ['in one piece', [`${'x'.repeat(151)}\n`]],
    ['in pieces', ['x'.repeat(50), 'x'.repeat(51), 'x'.repeat(500), `${'x'.repeat(99)}\n`]],
    ['that ends with its piece', ['x'.repeat(101), '\n']],
  ])('beyond the limit are refused once and skipped to their end: one %s', async (_, pieces) => {
    const { stdin, received, sent, errors } = await pipe(100);
    for (const piece of pieces) stdin.write(piece);
    stdin.write(`${JSON.stringify(ping)}\n${'y'.repeat(101)}\n${JSON.stringify({ ...ping, id: 2 })}\n`);
    await eventually(() => expect(received).toEqual([ping, { ...ping, id: 2 }]));
    const error = { code: -32600, message: 'Invalid Request: a line may have at most 100 bytes' };
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: null, error },
      { jsonrpc: '2.0', id: null, error },
    ]);
    expect(errors).toEqual([]);
  });

  test('of exactly the limit are read', async () => {
    const line = JSON.stringify(ping);
    const { stdin, received } = await pipe(line.length);
    stdin.write(`${line}\n`);
    await eventually(() => expect(received).toEqual([ping]));
  });

  test('beyond the limit are not kept in memory', async () => {
    const { stdin, sent } = await pipe(1000);
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const pieceBytes = 1024 * 1024;
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 64; count++)
      await new Promise((resolve) => stdin.write(Buffer.alloc(pieceBytes, 'x'), resolve));
    collectGarbage();
    expect(sent).toHaveLength(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * pieceBytes);
  });
});

describe('idle()', () => {
  test('waits for the answers to requests that were read', async () => {
    const { stdin, transport, received } = await pipe();
    stdin.write(`${JSON.stringify(ping)}\n${JSON.stringify({ ...ping, id: '1' })}\n`);
    await eventually(() => expect(received).toHaveLength(2));
    let idle = false;
    const waiting = transport.idle().then(() => {
      idle = true;
    });
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect(idle).toBe(false);
    await transport.send({ jsonrpc: '2.0', id: '1', error: { code: 1, message: 'no' } });
    await waiting;
  });

  test('does not wait for canceled requests, notification streams, or nothing', async () => {
    const { stdin, transport, received } = await pipe();
    await transport.idle();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const listen = { ...ping, id: 2, method: 'subscriptions/listen' };
    for (const message of [ping, listen, cancelled]) stdin.write(`${JSON.stringify(message)}\n`);
    await eventually(() => expect(received).toHaveLength(3));
    await transport.idle();
  });

  test('ends when the transport is closed', async () => {
    const { stdin, transport, received } = await pipe();
    stdin.write(`${JSON.stringify(ping)}\n`);
    await eventually(() => expect(received).toHaveLength(1));
    const waiting = transport.idle();
    await transport.close();
    await waiting;
    await expect(transport.send({ jsonrpc: '2.0', id: 1, result: {} })).rejects.toThrow(/closed/);
  });
});

describe('the end', () => {
  test('of stdin is reported, and earlier requests are still answered', async () => {
    const { stdin, transport, received, sent } = await pipe();
    stdin.end(`${JSON.stringify(ping)}\n`);
    await transport.ended;
    expect(received).toEqual([ping]);
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await eventually(() => expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]));
  });

  test('of stdout closes the connection and does not end the process', async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const transport = createStdioTransport(stdin, stdout);
    let closed = 0;
    transport.onclose = () => {
      closed++;
    };
    await transport.start();
    stdout.destroy(new Error('EPIPE'));
    await transport.ended;
    expect(closed).toBe(1);
    stdout.emit('error', new Error('EPIPE'));
    await transport.close();
    expect(closed).toBe(1);
  });

  test('of a stdin that ended earlier is reported, too', async () => {
    const stdin = new PassThrough();
    stdin.destroy();
    const transport = createStdioTransport(stdin, new PassThrough());
    await transport.start();
    await transport.ended;
  });
});
