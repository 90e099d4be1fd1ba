/**
 * With all dialects enabled, requests that are answered without the SDK still get the SDK's answer, to the byte. The answers of
 * the final extension are the same with all dialects and with none.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCatalog } from '../../src/catalog/create-catalog.ts';
import { lazyArchives } from '../../src/node/lazy-archives.ts';
import { memorySource } from '../../src/sources/memory.ts';
import { type McpHandler, mcpHandler } from '../../src/surfaces/mcp/mcp-handler.ts';
import type { SkillsServerOptions } from '../../src/surfaces/mcp/server-options.ts';
import { createSkillsServer } from '../../src/surfaces/mcp/skills-server.ts';
import { bodyFor, headersFor, meta } from './hot-call-cases.ts';

const source = memorySource();
source.add('git-workflow', { description: 'How we work with git' }, '# Git\n', {
  'references/GUIDE.md': '# Guide\n',
  'assets/raw.bin': Uint8Array.of(0, 255, 254, 128, 10),
});
source.add('acme/billing/refunds', { description: 'Pay & <back>', tags: ['money'] }, '# Refunds\n');
source.add('acme/support/refunds', { description: 'Refunds again' }, '# More\n');
source.add('live', { description: 'Made for each reader' }, ({ clientCapabilities }) =>
  JSON.stringify(clientCapabilities),
);
const catalog = createCatalog(source);

const declared = { extensions: { 'io.modelcontextprotocol/skills': {} } };
const aliases = [
  'skill://index.json',
  'skill://index',
  'skill://prompt-xml',
  'skill://git-workflow',
  'skill://git-workflow/',
  'skill://git-workflow/_manifest',
  'skill://git-workflow/documents',
  'skill://git-workflow/document/references/GUIDE.md',
  'skill://git-workflow/document/none.md',
  'skill://git-workflow.tar.gz',
  'skill://git-workflow.zip',
  'skill://lookup/refunds',
  'skill://acme-support-refunds',
  'skill://refunds/SKILL.md',
  'skill://house/usage',
  'skill://live',
  'skill://live/_manifest',
  'skill://none',
];
const calls: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ['server/discover', {}],
  ['skills/list', {}],
  ['skills/get', { uri: 'skill://git-workflow/SKILL.md' }],
  ['skills/get', { uri: 'skill://git-workflow' }],
  ['skills/get', { uri: 'skill://index.json' }],
  ['resources/directory/read', { uri: 'skill://git-workflow' }],
  ['resources/directory/read', { uri: 'skill://' }],
  ...aliases.map((uri) => ['resources/read', { uri }] as const),
];
/** The extension's own answers, for every caller. */
const final = calls.filter(([method, { uri }]) => method !== 'server/discover' && !aliases.includes(String(uri)));

const all: SkillsServerOptions = {
  dialects: 'all',
  experimentalCapability: true,
  usage: { label: 'house', skill: 'git-workflow' },
  archives: lazyArchives(catalog),
};
let ours: McpHandler;
let plain: McpHandler;
let sdk: ReturnType<typeof createMcpHandler>;

beforeAll(async () => {
  await catalog.snapshot();
  ours = mcpHandler(catalog, all);
  plain = mcpHandler(catalog, { dialects: 'none' });
  sdk = createMcpHandler(createSkillsServer(catalog, all));
});

afterAll(async () => {
  await Promise.all([ours.close(), plain.close(), sdk.close()]);
  await catalog.close();
});

function request(method: string, params: object, capabilities: object): Request {
  const envelope = { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: headersFor(method, params),
    body: bodyFor(method, { ...params, _meta: envelope }),
  });
}

describe.each([
  { who: 'a client that declares the extension', capabilities: declared },
  { who: 'any other client', capabilities: {} },
])('$who gets, with and without the SDK,', ({ capabilities }) => {
  test.each(calls)('the same answer to %s %j', async (method, params) => {
    const sent = request(method, params, capabilities);
    const { headers } = sent;
    const hot = await ours.plain({
      target: '/mcp',
      method: 'POST',
      header: (name) => headers.get(name) ?? undefined,
      body: Buffer.from(await sent.clone().arrayBuffer()),
      signal: sent.signal,
    });
    expect(hot?.status).toBe(200);
    const own = await (await ours(sent.clone())).text();
    expect(own).toBe(await (await sdk.fetch(sent)).text());
  });
});

describe('with all dialects and with none', () => {
  test.each(final)('the extension answers the same to %s %j', async (method, params) => {
    const [withAll, withNone] = await Promise.all(
      [ours, plain].map(async (handler) => (await handler(request(method, params, declared))).text()),
    );
    expect(withAll).toBe(withNone);
  });
});
