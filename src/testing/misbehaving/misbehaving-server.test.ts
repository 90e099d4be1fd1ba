import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { rawCall } from '../../../test/raw-call.ts';
import { type MisbehavingServerOptions, misbehavingServer, misbehaviors } from './misbehaving-server.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function start(options: MisbehavingServerOptions) {
  const server = await misbehavingServer(options);
  cleanUp.push(() => server.close());
  return server;
}

type Server = Awaited<ReturnType<typeof start>>;
type Mode = 'legacy' | 'auto' | { readonly pin: '2026-07-28' };

async function connect(server: Server, mode: Mode): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { extensions: { [SKILLS_EXTENSION_ID]: {} } }, versionNegotiation: { mode } },
  );
  await client.connect(
    server.transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(server.url))
      : new StdioClientTransport({ command: server.command, args: [...server.args], stderr: 'ignore' }),
  );
  cleanUp.push(() => client.close());
  return client;
}

describe('the server without a misbehavior', () => {
  const routes = [
    ['http', 'legacy'],
    ['http', 'auto'],
    ['stdio-script', 'legacy'],
    ['stdio-script', 'auto'],
    ['stdio-script', { pin: '2026-07-28' }],
  ] as const;

  test.each(routes)('satisfies the official client (%s, %s)', async (transport, mode) => {
    const server = await start({ transport });
    const client = await connect(server, mode);
    const modern = mode !== 'legacy';
    expect(client.getNegotiatedProtocolVersion()).toBe(modern ? '2026-07-28' : '2025-11-25');
    const skills = new SkillsClient(client);
    expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://release-notes/SKILL.md',
      'skill://refunds/SKILL.md',
      'skill://acme/docs/glossary/SKILL.md',
    ]);
    for (const skill of listed) {
      expect((await skills.get(skill.uri)).skill).toEqual(skill);
      for (const { uri } of skill.resources === 'dynamic' ? [] : skill.resources)
        expect((await skills.read(skill, uri)).verified, uri).toBe(true);
    }
    const directory = await skills.readDirectory('skill://refunds/templates');
    expect(directory.resources.map(({ uri }) => uri)).toEqual([
      'skill://refunds/templates/letter.md',
      'skill://refunds/templates/regional',
    ]);
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(3);
    const methods = server.requests.map(({ method }) => method);
    expect(methods).toContain(modern ? 'server/discover' : 'initialize');
    expect(methods.filter((method) => method === 'skills/list')).toHaveLength(2);
    expect(server.requests.map(({ order }) => order)).toEqual(server.requests.map((_, index) => index));
  });

  test.each([
    ['http', 'modern', 'auto', '2026-07-28'],
    ['http', 'legacy', 'auto', '2025-11-25'],
    ['stdio-script', 'legacy', 'auto', '2025-11-25'],
  ] as const)('can be limited to one era (%s, %s)', async (transport, era, mode, version) => {
    const client = await connect(await start({ transport, era }), mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await new SkillsClient(client).list()).skills).toHaveLength(3);
  });

  test('refuses older clients if it is limited to the new era', async () => {
    const server = await start({ era: 'modern' });
    await expect(connect(server, 'legacy')).rejects.toThrow();
  });

  test('answers wrong calls as the specification says', async () => {
    const { url } = { url: '', ...(await start({})) };
    const code = async (method: string, params = {}, era: 'modern' | 'legacy' = 'modern') => {
      const { status, body } = await rawCall(url, method, params, { era });
      return [status, JSON.parse(body.toString()).error.code];
    };
    const gone = { uri: 'skill://gone/SKILL.md' };
    expect(await code('skills/get', gone)).toEqual([200, -32602]);
    expect(await code('resources/read', gone)).toEqual([200, -32602]);
    expect(await code('resources/read', gone, 'legacy')).toEqual([200, -32002]);
    expect(await code('resources/directory/read', { uri: 'skill://refunds/SKILL.md' })).toEqual([200, -32602]);
    expect(await code('skills/list', { cursor: 'page-99' })).toEqual([200, -32602]);
    expect(await code('skills/list', { cursor: '' })).toEqual([200, -32602]);
    expect(await code('tools/list')).toEqual([404, -32601]);
    expect(await code('tools/list', {}, 'legacy')).toEqual([200, -32601]);
    const noVersion = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } };
    expect(await code('skills/list', noVersion, 'legacy')).toEqual([400, -32022]);
    const wrongHeader = await rawCall(url, 'skills/list', {}, { headers: { 'mcp-method': 'skills/get' } });
    expect([wrongHeader.status, JSON.parse(wrongHeader.body.toString()).error.code]).toEqual([400, -32020]);
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: 'POST', body: '[' })).status).toBe(400);
  });
});

test.each([
  ['size-too-small', 'size'],
  ['trailing-byte', 'size'],
  ['digest-lie', 'digest'],
  ['frontmatter-field-changed', 'frontmatter'],
  ['allowed-tools-only-in-file', 'frontmatter'],
  ['unlisted-file', 'unlisted'],
] as const)('the official client refuses %s because of the %s', async (behavior, reason) => {
  const skills = new SkillsClient(await connect(await start({ behavior }), 'auto'));
  const { skills: listed } = await skills.list();
  const refunds = listed.find(({ uri }) => uri === 'skill://refunds/SKILL.md');
  if (refunds === undefined) throw new Error('not listed');
  const file = misbehaviors.find(({ id }) => id === behavior)?.at ?? refunds.uri;
  const refusal = await skills.read(refunds, file).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SkillVerificationError);
  expect(refusal).toHaveProperty('reason', reason);
});

test('misbehavingServer() refuses an id that is not in the table', async () => {
  await expect(misbehavingServer({ behavior: 'does-no-harm' })).rejects.toMatchObject({ code: 'USAGE' });
});

test('every behavior starts and closes on every transport that it names, with or without requests', async () => {
  for (const { id, transports } of misbehaviors)
    for (const transport of transports) await (await misbehavingServer({ behavior: id, transport })).close();
});

test('close() ends answers that hang, drip or never end', async () => {
  for (const behavior of ['hang-list', 'drip-list', 'endless-message', 'notification-flood']) {
    const server = await misbehavingServer({ behavior });
    const waiting = rawCall(server.url, 'skills/list', {}, { bytes: Number.POSITIVE_INFINITY, ms: 15_000 });
    await eventually(() => expect(server.requests).toHaveLength(1));
    await server.close();
    expect((await waiting).end, behavior).toBe('cut');
  }
});
