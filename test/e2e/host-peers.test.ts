/** The reading commands against servers that other people wrote: the official SDK and ext-skills. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { discoverSkills, registerSkillResources } from '@olaservo/ext-skills/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { sampleSkills } from './served-skills.ts';

let folder: CliFolder;
const servers = new Map<string, Server>();

const portOf = (server: Server | undefined): number => (server?.address() as AddressInfo | undefined)?.port ?? 0;

beforeAll(async () => {
  folder = cliFolder();
  folder.write(sampleSkills);
  const root = join(folder.path, 'skills');
  const catalog = await loadSkills(root);
  const reference = discoverSkills(root);
  servers.set(
    'the official SDK',
    await listen(() => {
      const mcp = new McpServer({ name: 'official', version: '1' });
      catalog.attach(mcp);
      return mcp;
    }),
  );
  servers.set(
    'ext-skills',
    await listen(() => {
      const mcp = new McpServer({ name: 'reference', version: '1' }, { capabilities: { resources: {} } });
      registerSkillResources(mcp, reference, root, { directoryRead: true });
      return mcp;
    }),
  );
});

afterAll(async () => {
  for (const server of servers.values()) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  folder.remove();
});

async function listen(create: () => McpServer): Promise<Server> {
  const handler = createMcpHandler(create);
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const { method = 'GET', url = '/' } = request;
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const body = method === 'POST' ? { body: Buffer.concat(parts) } : {};
      const answer = await handler.fetch(new Request(`http://127.0.0.1${url}`, { method, headers, ...body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe.each(['the official SDK', 'ext-skills'])('%s', (name) => {
  const run = (command: string, ...rest: string[]) =>
    folder.run([command, `mcp:http://127.0.0.1:${portOf(servers.get(name))}/mcp`, ...rest]);

  test.each(['modern', 'legacy'])('is listed (%s)', async (era) => {
    const { stdout, exitCode } = await run('list', '--json', '--era', era);
    expect(exitCode).toBe(0);
    const { origins, skills } = JSON.parse(stdout);
    expect(origins).toMatchObject([{ state: 'ready', skills: 3 }]);
    expect((skills as { name: string; state: string }[]).map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'on-call not-approved',
      'pdf-tools not-approved',
      'refunds not-approved',
    ]);
  });

  test('is shown, read and approved', async () => {
    const { setDigest, asks } = JSON.parse((await run('show', 'pdf-tools', '--fetch', '--json')).stdout);
    expect(asks.hosts).toEqual(['fetch.example.net', 'pdf.example.com']);
    expect((await run('read', 'pdf-tools', 'scripts/merge.sh')).stdout).toBe(
      sampleSkills['skills/pdf-tools/scripts/merge.sh'],
    );
    expect((await run('approve', 'pdf-tools', '--yes', setDigest)).exitCode).toBe(0);
    expect((await run('diff', 'pdf-tools')).exitCode).toBe(0);
  });
});
