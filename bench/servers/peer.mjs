// A server of another implementation: `node peer.mjs sdk|ext http|stdio FOLDER`. Over HTTP it prints its port.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { discoverSkills, registerSkillResources } from '@olaservo/ext-skills/server';

const [, , implementation, transport, folder = '.'] = process.argv;
const info = { name: implementation ?? '', version: '1.0.0' };

async function sdkFactory() {
  const catalog = await loadSkills(folder);
  return () => {
    const server = new McpServer(info);
    catalog.attach(server);
    return server;
  };
}

function extFactory() {
  const skills = discoverSkills(folder);
  return () => {
    const server = new McpServer(info, { capabilities: { resources: {} } });
    registerSkillResources(server, skills, folder, { template: true, directoryRead: true });
    return server;
  };
}

const factory = implementation === 'sdk' ? await sdkFactory() : extFactory();
if (transport === 'stdio') serveStdio(factory);
else {
  const server = createServer(toNodeHandler(createMcpHandler(factory)));
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${/** @type {import('node:net').AddressInfo} */ (server.address()).port}\n`);
  });
}
