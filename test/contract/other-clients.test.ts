/** Clients that other people wrote read every file of the examples and of the unusual tree, in both eras. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, type Skill, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as extSkills from '@olaservo/ext-skills/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { readFrontmatter } from '../../src/skill/frontmatter.ts';
import { type UnusualTree, writeUnusualTree } from '../../src/testing/unusual-tree.ts';
import { clientRow } from '../client-row.ts';

const command = join(import.meta.dirname, '../../dist/cli/main.js');
const examples = join(import.meta.dirname, '../../examples/skills');

let unusual: UnusualTree;
const roots = new Map<string, string>([['the examples', examples]]);
const servers = new Map<string, ServeHandle>();

beforeAll(async () => {
  unusual = await writeUnusualTree(await mkdtemp(join(tmpdir(), 'skillwire-odd-')));
  roots.set('the unusual tree', unusual.root);
  for (const [name, path] of roots)
    servers.set(
      name,
      await serve({ roots: [{ path }], watch: false, listing: 'all', http: { host: '127.0.0.1', port: 0 } }),
    );
}, 60_000);

afterAll(async () => {
  for (const server of servers.values()) await server.close();
  await rm(unusual.root, { recursive: true, force: true });
});

const eras = { '2025': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
type Era = keyof typeof eras;
type Transport = 'http' | 'stdio';

async function connect(tree: string, era: Era, transport: Transport): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { extensions: { [SKILLS_EXTENSION_ID]: {} } }, versionNegotiation: { mode: eras[era] } },
  );
  const stdio = {
    command: process.execPath,
    args: [command, 'serve', '--stdio', '--list-all', roots.get(tree) ?? ''],
    maxBufferSize: 64 << 20,
  };
  await client.connect(
    transport === 'stdio'
      ? new StdioClientTransport({ ...stdio, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(servers.get(tree)?.mcp ?? '')),
  );
  return client;
}

/** A complete YAML parser, because the client's own one reads only a subset. */
function parseFrontmatter(yaml: string): Record<string, unknown> {
  const reading = readFrontmatter(new TextEncoder().encode(`---\n${yaml}\n---\n`));
  return reading.ok ? { ...reading.frontmatter } : {};
}

async function expectedUris(tree: string): Promise<string[]> {
  if (tree === 'the unusual tree') return unusual.skills.flatMap(({ uri }) => (uri === undefined ? [] : [uri])).sort();
  const files = await readdir(examples, { recursive: true });
  return files
    .filter((path) => path.endsWith('SKILL.md'))
    .map((path) => `skill://${path.split(/[\\/]/).map(encodeURIComponent).join('/')}`)
    .sort();
}

/** Skills whose optional fields the official client refuses. */
async function oddlyTyped(): Promise<string[]> {
  const { findings } = (await servers.get('the unusual tree')?.catalog.snapshot()) ?? { findings: [] };
  const files = findings.filter(
    ({ rule, message }) => rule === 'frontmatter-not-listed' && /metadata|compatibility/.test(message),
  );
  const folders = new Set(files.map(({ file }) => dirname(file ?? '').slice(unusual.root.length + 1)));
  return unusual.skills.flatMap(({ folder, uri }) => (uri !== undefined && folders.has(folder) ? [uri] : [])).sort();
}

describe.each(['the examples', 'the unusual tree'])('%s', (tree) => {
  const routes = [
    ['2025', 'http'],
    ['2026-07-28', 'http'],
    ['2025', 'stdio'],
    ['2026-07-28', 'stdio'],
  ] as const;

  test.each(routes)('the official client verifies every file (%s, %s)', async (era, transport) => {
    const client = await connect(tree, era, transport);
    try {
      const skills = new SkillsClient(client, { parseFrontmatter, skipInvalid: true });
      expect(skills.directoryRead).toBe(true);
      const listing = await skills.list();
      // The client takes no entry with fields of another type than the specification gives them; skills-ref and hosts do.
      const refused = listing.invalid.map(({ uri }) => uri ?? '');
      expect(refused.sort()).toEqual(tree === 'the unusual tree' ? await oddlyTyped() : []);
      expect([...listing.skills.map(({ uri }: Skill) => uri), ...refused].sort()).toEqual(await expectedUris(tree));
      for (const skill of listing.skills) {
        const { skill: fetched } = await skills.get(skill.uri);
        expect(fetched).toEqual(skill);
        for (const { uri } of skill.resources === 'dynamic' ? [] : skill.resources)
          expect((await skills.read(skill, uri)).verified, uri).toBe(true);
        const { resources } = await skills.readDirectory(skill.uri.replace(/\/SKILL\.md$/, ''));
        expect(resources.map(({ uri }) => uri)).toContain(skill.uri);
      }
    } finally {
      await client.close();
    }
  });

  test.each(routes)('the ext-skills client verifies every file (%s, %s)', async (era, transport) => {
    const client = await connect(tree, era, transport);
    try {
      const peer = client as unknown as extSkills.SkillsClient;
      const entries = await extSkills.listSkills(peer);
      expect(entries.map(({ uri }) => uri).sort()).toEqual(await expectedUris(tree));
      for (const entry of entries) {
        expect(extSkills.checkSkillLimits(entry).withinLimits).toBe(true);
        expect(await extSkills.getSkill(peer, entry.uri)).toEqual(entry);
        for (const { uri } of extSkills.manifestOf(entry) ?? [])
          expect(await extSkills.readSkillResource(peer, entry, uri), uri).toBeDefined();
      }
    } finally {
      await client.close();
    }
  });
});

test('bytes on the wire are the bytes on disk', async () => {
  const client = await connect('the examples', '2026-07-28', 'http');
  try {
    const skills = new SkillsClient(client);
    for (const skill of (await skills.list()).skills)
      for (const { uri } of skill.resources === 'dynamic' ? [] : skill.resources) {
        const file = await skills.read(skill, uri);
        const path = join(examples, ...uri.slice('skill://'.length).split('/').map(decodeURIComponent));
        expect(Buffer.from(file.bytes).equals(await readFile(path)), uri).toBe(true);
      }
  } finally {
    await client.close();
  }
});

clientRow(
  {
    client: '@olaservo/ext-skills',
    folder: join(import.meta.dirname, '../../node_modules/@olaservo/ext-skills'),
    needs: 'nothing',
  },
  import.meta,
);
