/** Many clients use one gateway while one of its upstreams is killed and restarted repeatedly: no request fails. */
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type ServeHandle, serve } from '../../../src/node/serve.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import { skill } from '../../skill-folders.ts';
import { soakFactor } from '../../soak-factor.ts';
import { modernVersion } from '../raw-mcp.ts';
import { originAt, serveGateway, serveSkills } from './gateway-parts.ts';

const factor = soakFactor;
/** At a factor of ten: 500 requests per second for 60 seconds from 200 connections. */
const perSecond = Math.min(500, 50 * factor);
const seconds = 6 * factor;
const connections = Math.min(200, 20 * factor);
const upstreams = 5;
const skills = 20;

const sourceOf = (server: number) =>
  memorySource(
    Object.fromEntries(
      Array.from({ length: skills }, (_, index) => [`s${index}`, { 'SKILL.md': skill(`s${index}`, `# ${server}\n`) }]),
    ),
  );

function ask(agent: Agent, url: URL, method: string, params: Record<string, unknown>): Promise<string> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernVersion,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': modernVersion,
        'mcp-method': method,
        ...(method === 'resources/read' ? { 'mcp-name': String(params['uri']) } : {}),
      },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject);
      response.once('end', () =>
        response.statusCode === 200 && text.includes('"result"') ? resolve(text) : reject(new Error(text)),
      );
    });
    sent.end(body);
  });
}

test('no request fails while an upstream is killed and restarted every five seconds', async () => {
  const servers = await Promise.all(Array.from({ length: upstreams - 1 }, (_, index) => serveSkills(sourceOf(index))));
  let victim: ServeHandle = await serve({ source: sourceOf(9), http: { host: '127.0.0.1', port: 0 } });
  const port = Number(new URL(victim.url ?? '').port);
  onTestFinished(() => victim.close());
  const all = [...servers.map(({ mcp = '' }) => mcp), victim.mcp ?? ''];
  const { mcp, gateway } = await serveGateway(
    all.map((url, index) => originAt(`o${index}`, { kind: 'mcp', url }, { ttlMs: 1_000, deadlineMs: 2_000 })),
  );
  const url = new URL(mcp);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  onTestFinished(() => agent.destroy());
  const uris = all.flatMap((_, server) =>
    Array.from({ length: skills }, (__, index) => `skill://o${server}/s${index}/SKILL.md`),
  );
  for (const uri of uris) await ask(agent, url, 'resources/read', { uri });

  let stopped = false;
  let kills = 0;
  const killing = (async () => {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await victim.close();
      kills++;
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      victim = await serve({ source: sourceOf(9), http: { host: '127.0.0.1', port } });
    }
  })();
  const failures: string[] = [];
  const running: Promise<unknown>[] = [];
  for (let tick = 0; tick < seconds * 10; tick++) {
    for (let count = 0; count < perSecond / 10; count++) {
      const uri = uris[(tick * 31 + count * 7) % uris.length] ?? '';
      const kind = count % 5;
      const requested =
        kind === 0 && count % 25 === 0
          ? ask(agent, url, 'skills/list', {})
          : ask(agent, url, kind < 3 ? 'skills/get' : 'resources/read', { uri });
      running.push(requested.catch((error: unknown) => failures.push(String(error))));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await Promise.all(running);
  stopped = true;
  await killing;
  expect(failures).toEqual([]);
  expect(running.length).toBe(perSecond * seconds);
  expect(kills).toBeGreaterThan(0);
  expect(
    gateway
      .origins()
      .slice(0, -1)
      .every(({ state }) => state === 'ok'),
  ).toBe(true);
});
