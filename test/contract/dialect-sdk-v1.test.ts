/** A plain server of the official SDK 1.x, as most deployed ones are: its skills are resources like any others. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientSource, mcpServerSource } from '../../src/sources/mcp-server/mcp-server-source.ts';
import { f1, f2 } from '../dialect-fixtures.ts';
import { listed } from '../peers/servers/reading-source.ts';

const uri = 'skill://git-workflow/SKILL.md';
const guide = 'skill://git-workflow/references/GUIDE.md';

function plainServer(): McpServer {
  const server = new McpServer({ name: 'plain-v1', version: '1.0.0' });
  const texts = { [uri]: f1.text, [guide]: f2.text };
  for (const [address, text] of Object.entries(texts))
    server.registerResource(address, address, { mimeType: 'text/markdown' }, async () => ({
      contents: [{ uri: address, mimeType: 'text/markdown', text }],
    }));
  const products = ['router', 'switch'];
  const template = new ResourceTemplate('skill://docs/{product}/SKILL.md', {
    list: undefined,
    complete: { product: (typed) => products.filter((product) => product.startsWith(typed)) },
  });
  server.registerResource('docs', template, { description: 'Documentation' }, async (address, { product }) => ({
    contents: [{ uri: address.href, text: `---\nname: ${product}\ndescription: About it.\n---\n` }],
  }));
  return server;
}

async function served(): Promise<string> {
  const http = createServer(async (request, response) => {
    const server = plainServer();
    const transport = new StreamableHTTPServerTransport();
    response.on('close', () => Promise.all([transport.close(), server.close()]));
    await server.connect(transport as Parameters<McpServer['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

describe('a plain server of SDK 1.x', () => {
  test('is read over HTTP, with its templates', async () => {
    const source = mcpServerSource({ url: await served() });
    onTestFinished(() => source.close());
    const { skills, dialect } = await listed(source);
    expect(dialect).toBe('resource-list');
    expect(skills.map(({ entry }) => entry)).toMatchObject([{ uri, resources: 'dynamic' }]);
    expect(new TextDecoder().decode((await source.open(guide, {}))?.bytes)).toBe(f2.text);
    const [template] = await source.skillTemplates({});
    const question = { template: template?.template.text ?? '', variable: 'product', typed: 'r', chosen: {} };
    expect(await source.complete(question, {})).toMatchObject({ values: ['router'] });
    expect(await source.get('skill://docs/router/SKILL.md', {})).toMatchObject({ listed: false });
  });

  test('is read through a connected client', async () => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'host', version: '1' });
    await Promise.all([plainServer().connect(serverSide), client.connect(clientSide)]);
    onTestFinished(() => client.close());
    const source = clientSource(client as Parameters<typeof clientSource>[0]);
    const { skills, dialect } = await listed(source);
    expect(dialect).toBe('resource-list');
    expect(skills).toHaveLength(1);
    expect(new TextDecoder().decode((await source.open(uri, {}))?.bytes)).toBe(f1.text);
  });
});
