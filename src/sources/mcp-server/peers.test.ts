/** The source against servers that others wrote, and against ours, in both eras, over HTTP, stdio and a connected client. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID } from '@modelcontextprotocol/client/ext/skills';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryTransportV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { describe, expect, test } from 'vitest';
import { extSkillsServer, officialServer, type SdkServer } from '../../../test/sdk-servers.ts';
import type { Remark } from '../../dialects/skills-extension/remark.ts';
import { addSkills as addSkillsV1 } from '../../node/entries/mcp-v1.ts';
import { serve } from '../../node/serve.ts';
import { mcpServerSource } from '../../origins/mcp-server-source.ts';
import type { Finding } from '../../skill/finding.ts';
import { testSkillSource } from '../../testing/test-skill-source.ts';
import { memorySource } from '../memory.ts';
import type { SkillSource } from '../skill-source.ts';
import { clientSource } from './mcp-server-source.ts';

const examples = join(import.meta.dirname, '../../../examples/skills');
const command = join(import.meta.dirname, '../../../dist/cli/main.js');

async function ourServer(): Promise<SdkServer> {
  const handle = await serve({ roots: [{ path: examples }], watch: false, http: { host: '127.0.0.1', port: 0 } });
  return { url: handle.mcp ?? '', close: () => handle.close() };
}

/** Only ASCII names: this server lists other names, but cannot read them. */
const asciiExamples = join(examples, 'platform');

const servers = {
  'our server': ourServer,
  'the official SDK': () => officialServer(examples),
  'ext-skills': () => extSkillsServer(asciiExamples),
};

describe.each(Object.entries(servers))('%s over HTTP', (_name, start) => {
  describe.each(['modern', 'legacy'] as const)('%s', (era) => {
    testSkillSource({
      test,
      async create() {
        const served = await start();
        return { source: mcpServerSource({ url: served.url, era }), cleanUp: () => served.close() };
      },
    });
  });

  test('reports the revision, the name and the capabilities, and reads directories', async () => {
    const served = await start();
    const source = mcpServerSource({ url: served.url });
    const status = await source.status({});
    expect(status).toMatchObject({ protocolVersion: '2026-07-28', skills: true });
    expect(status.serverInfo?.name).toMatch(/skillwire|official|reference/);
    const [uri] = await firstFiles(source);
    const folder = uri?.slice(0, -'/SKILL.md'.length) ?? '';
    expect((await source.readDirectory(folder, {}))?.map((child) => child.name)).toContain('SKILL.md');
    expect(await source.readDirectory(`${folder}/no-such-folder`, {})).toBeUndefined();
    expect((await source.readResource(uri ?? '', {}))?.[0]).toMatchObject({ uri, mimeType: 'text/markdown' });
    await source.close();
    await served.close();
  });
});

async function firstFiles(source: SkillSource): Promise<string[]> {
  for await (const { skills } of source.list({})) return skills.map(({ entry }) => entry.uri);
  return [];
}

describe.each(['modern', 'legacy'] as const)('our server over stdio, %s', (era) => {
  testSkillSource({
    test,
    create: async () => ({
      source: mcpServerSource({ command: process.execPath, args: [command, 'serve', '--stdio', examples], era }),
    }),
  });
});

test('missing cache fields of ext-skills are tolerated and reported', async () => {
  const served = await extSkillsServer(asciiExamples);
  const remarks: Remark[] = [];
  const source = mcpServerSource({ url: served.url, onRemark: (remark) => remarks.push(remark) });
  const [uri = ''] = await firstFiles(source);
  expect(await source.get(uri, {})).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  expect(remarks.map(({ requirement }) => requirement)).toContain('S-46');
  await source.close();
  await served.close();
});

test('URIs that ext-skills does not encode are tolerated and reported', async () => {
  const served = await extSkillsServer(examples);
  const source = mcpServerSource({ url: served.url });
  const findings: Finding[] = [];
  const uris: string[] = [];
  for await (const page of source.list({})) {
    findings.push(...page.findings);
    uris.push(...page.skills.map(({ entry }) => entry.uri));
  }
  expect(uris).toContain('skill://translate-ui-text/SKILL.md');
  expect(findings).toContainEqual(
    expect.objectContaining({ rule: 'origin-entry-unusual', skill: 'skill://translate-ui-text/SKILL.md' }),
  );
  await source.close();
  await served.close();
});

describe('a connected client', () => {
  describe('of SDK 2.x', () => {
    testSkillSource({
      test,
      async create() {
        const catalog = await loadSkills(examples);
        const mcp = new McpServer({ name: 'official', version: '2.4.0' });
        catalog.attach(mcp);
        const [near, far] = InMemoryTransport.createLinkedPair();
        await mcp.connect(far);
        const client = new Client(
          { name: 'test', version: '1' },
          { capabilities: { extensions: { [SKILLS_EXTENSION_ID]: {} } } },
        );
        await client.connect(near);
        return { source: clientSource(client), cleanUp: () => client.close() };
      },
    });
  });

  describe('of SDK 1.x', () => {
    testSkillSource({
      test,
      async create() {
        const mcp = new McpServerV1({ name: 'old', version: '1' });
        const text = '---\nname: refunds\ndescription: About refunds.\n---\n';
        const skills = addSkillsV1(
          mcp,
          memorySource({ refunds: { 'SKILL.md': text, 'a b.bin': new Uint8Array([0, 255]) } }),
        );
        const [near, far] = InMemoryTransportV1.createLinkedPair();
        await mcp.connect(far);
        const client = new ClientV1({ name: 'test', version: '1' });
        await client.connect(near);
        return {
          source: clientSource(client),
          async cleanUp() {
            await client.close();
            await skills.close();
          },
        };
      },
    });
  });
});
