/** Skill servers of other people on a real socket: the official SDK with its own skills extension, and ext-skills. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { discoverSkills, registerSkillResources } from '@olaservo/ext-skills/server';

export interface SdkServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The official SDK 2.x. */
export async function officialServer(folder: string): Promise<SdkServer> {
  const catalog = await loadSkills(folder);
  return listen(() => {
    const mcp = new McpServer({ name: 'official', version: '2.4.0' });
    catalog.attach(mcp);
    return mcp;
  });
}

/** ext-skills. It lists files with names beyond ASCII, but cannot read them. */
export function extSkillsServer(folder: string): Promise<SdkServer> {
  const skills = discoverSkills(folder);
  return listen(() => {
    const mcp = new McpServer({ name: 'reference', version: '0.14.0' }, { capabilities: { resources: {} } });
    registerSkillResources(mcp, skills, folder, { directoryRead: true });
    return mcp;
  });
}

async function listen(create: () => McpServer): Promise<SdkServer> {
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
