import { expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import { boundedAnswer, boundedStream } from './bounded-stream.ts';
import { mcpHandler } from './mcp-handler.ts';

function pushed() {
  let own: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      own = controller;
    },
    cancel() {
      cancelled = true;
    },
  });
  return {
    body,
    push: (text: string) => own?.enqueue(new TextEncoder().encode(text)),
    end: () => own?.close(),
    isCancelled: () => cancelled,
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test('passes on its input, also one event larger than the limit', async () => {
  const { body, push, end } = pushed();
  const bounded = boundedStream(body, { events: 2, bytes: 10 });
  push('x'.repeat(50));
  await settled();
  const reader = bounded.getReader();
  expect((await reader.read()).value).toHaveLength(50);
  push('b');
  end();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('b');
  expect((await reader.read()).done).toBe(true);
});

test.each([
  ['events', ['a', 'b', 'c', 'd'], 'ab'],
  ['bytes', ['12345678', '12345678', 'x'], '1234567812345678'],
])('ends with the reason if too many %s wait, and releases the sender', async (_, events, passed) => {
  const { body, push, isCancelled } = pushed();
  const bounded = boundedStream(body, _ === 'events' ? { events: 2, bytes: 100 } : { events: 100, bytes: 10 });
  for (const event of events) push(event);
  await eventually(() => expect(isCancelled()).toBe(true));
  const reason = _ === 'events' ? '2 events or 100 bytes' : '100 events or 10 bytes';
  expect(await new Response(bounded).text()).toBe(`${passed}: closed, because more than ${reason} were not read\n\n`);
});

test('a reader that leaves releases the sender, and answers without a stream are not changed', async () => {
  const { body, isCancelled } = pushed();
  await boundedStream(body, { events: 2, bytes: 10 }).cancel();
  expect(isCancelled()).toBe(true);
  const plain = Response.json({});
  expect(boundedAnswer(plain)).toBe(plain);
});

test('a stream of changes that is not read ends with the reason, and the next one starts again', {
  timeout: 60_000,
}, async () => {
  const source = memorySource({ first: { 'SKILL.md': '---\nname: first\ndescription: One.\n---\n' } });
  const catalog = createCatalog(source);
  const handler = mcpHandler(catalog);
  await catalog.snapshot();
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const listen = (): Promise<Response> =>
    handler(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: { notifications: { resourcesListChanged: true }, _meta },
        }),
      }),
    );
  const unread = await listen();
  let changes = 0;
  catalog.subscribe(() => changes++);
  for (let count = 0; changes < limits.http.stream.events + 10; count++) {
    source.add(`s${count}`, { description: 'Another' }, '# Another\n');
    await new Promise((resolve) => setImmediate(resolve));
  }
  const text = await unread.text();
  expect(text).toContain(': closed, because more than 256 events');
  expect(text.split('list_changed').length).toBeLessThanOrEqual(limits.http.stream.events + 1);
  const next = await listen();
  expect(next.status).toBe(200);
  await next.body?.cancel();
  await handler.close();
  await catalog.close();
});
