/** Many upstreams are asked in parallel: none waits for another, however many are slow. */
import { createServer, type Server } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/create-catalog.ts';
import { limits } from '../../../src/limits.ts';
import { openGateway } from '../../../src/node/entries/gateway.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import { mcpHandler } from '../../../src/surfaces/mcp/mcp-handler.ts';
import { skill } from '../../skill-folders.ts';

const upstreams = limits.outbound.concurrency + 4;

/** An upstream that does not list its skills before `ready` resolves. */
async function startUpstream(number: number, ready: () => Promise<void>): Promise<string> {
  const catalog = createCatalog(memorySource({ [`task-${number}`]: { 'SKILL.md': skill(`task-${number}`) } }));
  const handler = mcpHandler(catalog);
  const server: Server = createServer(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (body.includes('"skills/list"')) await ready();
    const headers = message.headers as Record<string, string>;
    const method = message.method ?? 'GET';
    const received = new Request('http://127.0.0.1/mcp', { method, headers, ...(method === 'POST' ? { body } : {}) });
    const answer = await handler(received);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await handler.close();
    await catalog.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`;
}

test('a gateway lists more upstreams at once than the process has request slots', async () => {
  let questions = 0;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  // No upstream answers before all were asked.
  const ready = async (): Promise<void> => {
    questions++;
    if (questions === upstreams) open();
    await all;
  };
  const urls = await Promise.all(Array.from({ length: upstreams }, (_, number) => startUpstream(number, ready)));
  const gateway = await openGateway(
    { origins: urls.map((url, number) => ({ label: `up-${number}`, url })), rules: [] },
    { firstListingMs: 50_000 },
  );
  const catalog = createCatalog(gateway.source);
  onTestFinished(() => catalog.close());
  expect((await catalog.snapshot()).listed).toHaveLength(upstreams);
});
