/**
 * The official MCP client rejects a whole listing for one entry with `metadata` or `compatibility` of another type than text. By
 * default such skills are left out of `skills/list`, and nowhere else.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSkills } from '../../src/node/entries/skills-handle.ts';
import { type ServeHandle, type ServeSourceOptions, serve } from '../../src/node/serve.ts';
import { isListable } from '../../src/skill/client-rules.ts';
import type { JsonValue } from '../../src/skill/entry.ts';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { mcpServerSource } from '../../src/sources/mcp-server/mcp-server-source.ts';
import { memorySource } from '../../src/sources/memory.ts';
import { clientRow } from '../client-row.ts';

const command = join(import.meta.dirname, '../../dist/cli/main.js');

const shapes: readonly Readonly<Record<string, JsonValue>>[] = [
  {},
  { metadata: {} },
  { metadata: { version: '1.0' } },
  { metadata: { version: 1 } },
  { metadata: { version: 1.5, author: 'a' } },
  { metadata: { tags: ['a'] } },
  { metadata: { nested: { deep: 'x' } } },
  { metadata: { on: true } },
  { metadata: { none: null } },
  { metadata: null },
  { metadata: ['a'] },
  { metadata: 'text' },
  { compatibility: 'Node' },
  { compatibility: '' },
  { compatibility: 20 },
  { compatibility: ['a'] },
  { compatibility: null },
  { compatibility: { node: '20' } },
  { compatibility: 'a'.repeat(500) },
  { compatibility: 'a'.repeat(501) },
  { compatibility: '\u{1f600}'.repeat(500) },
  { compatibility: '\u{1f600}'.repeat(501) },
  { license: 7, 'allowed-tools': ['Read'], version: 2, other: { a: [1] } },
];
const nameOf = (index: number): string => `shape-${String(index).padStart(2, '0')}`;
const uriOf = (index: number): string => `skill://${nameOf(index)}/SKILL.md`;
const good = shapes.flatMap((shape, index) =>
  isListable({ name: 'a', description: 'a', ...shape }) ? [uriOf(index)] : [],
);

let folder: string;
let server: ServeHandle;
let lenient: ServeHandle;
const log: string[] = [];

const listed = (given: Partial<ServeSourceOptions>): Promise<ServeHandle> =>
  serve({ source: directorySource([folder], { watch: false }), http: { host: '127.0.0.1', port: 0 }, ...given });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillwire-listing-'));
  for (const [index, shape] of shapes.entries()) {
    const name = nameOf(index);
    await mkdir(join(folder, name));
    // JSON is YAML, so that every shape arrives as it is.
    const fields = Object.entries(shape).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    const text = `---\nname: ${name}\ndescription: Tells of herons, number ${index}.\n${fields.join('')}---\n\n# Herons\n`;
    await writeFile(join(folder, name, 'SKILL.md'), text);
  }
  server = await listed({ log: (line) => log.push(line) });
  lenient = await listed({ listing: 'all' });
}, 60_000);

afterAll(async () => {
  await Promise.all([server?.close(), lenient?.close()]);
  await rm(folder, { recursive: true, force: true });
});

const eras = { legacy: 'legacy', modern: { pin: '2026-07-28' }, auto: 'auto' } as const;
type Era = keyof typeof eras;
type Extensions = Record<string, Readonly<Record<string, string>>>;

async function withOfficial<T>(
  transport: () => StreamableHTTPClientTransport | StdioClientTransport,
  era: Era,
  work: (client: Client, skills: SkillsClient) => Promise<T>,
  options: { readonly skipInvalid?: boolean; readonly extensions?: Extensions } = {},
): Promise<T> {
  const { skipInvalid = false, extensions } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    { ...(extensions === undefined ? {} : { capabilities: { extensions } }), versionNegotiation: { mode: eras[era] } },
  );
  await client.connect(transport());
  try {
    return await work(client, new SkillsClient(client, skipInvalid ? { skipInvalid } : {}));
  } finally {
    await client.close();
  }
}

const http = (handle: ServeHandle) => () => new StreamableHTTPClientTransport(new URL(handle.mcp ?? ''));
const stdio =
  (...flags: readonly string[]) =>
  () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [command, 'serve', folder, '--stdio', '--no-watch', ...flags],
      stderr: 'ignore',
    });

const urisOf = async (skills: SkillsClient): Promise<readonly string[]> =>
  (await skills.list()).skills.map(({ uri }) => uri).sort();

describe('the official client with its defaults', () => {
  test.each<[Era, Extensions | undefined]>([
    ['modern', undefined],
    ['modern', { [SKILLS_EXTENSION_ID]: {} }],
    ['legacy', undefined],
    ['legacy', { [SKILLS_EXTENSION_ID]: {} }],
    ['auto', undefined],
  ])('lists every listed skill over HTTP (%s, declaring %o)', async (era, extensions) => {
    const options = extensions === undefined ? {} : { extensions };
    expect(await withOfficial(http(server), era, (_, skills) => urisOf(skills), options)).toEqual(good);
  });

  test.each<Era>(['modern', 'legacy'])('lists every listed skill over stdio (%s)', async (era) => {
    expect(await withOfficial(stdio(), era, (_, skills) => urisOf(skills))).toEqual(good);
  });

  test('rejects exactly the entries that the rules predict', async () => {
    const { invalid, skills } = await withOfficial(http(lenient), 'modern', (_, client) => client.list(), {
      skipInvalid: true,
    });
    expect(skills.map(({ uri }) => uri).sort()).toEqual(good);
    expect(invalid.map(({ uri }) => uri).sort()).toEqual(
      shapes.map((_, index) => uriOf(index)).filter((uri) => !good.includes(uri)),
    );
    await expect(withOfficial(http(lenient), 'modern', (_, client) => client.list())).rejects.toThrow(
      'skills/list returned invalid entries',
    );
  });

  test('rejects the whole listing of --list-all', async () => {
    await expect(withOfficial(stdio('--list-all'), 'modern', (_, client) => client.list())).rejects.toThrow(
      'skills/list returned invalid entries',
    );
  });

  clientRow(
    {
      client: '@modelcontextprotocol/client',
      folder: join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/client'),
      needs:
        '`SkillsClient` rejects a listing with `metadata` or `compatibility` of another type than text: such skills are [not listed by default](../guides/serve-a-folder.md#skills-that-are-not-listed)',
    },
    import.meta,
  );
});

describe('a skill that is left out of the listing', () => {
  const left = shapes.map((_, index) => uriOf(index)).filter((uri) => !good.includes(uri));
  const context = { signal: AbortSignal.timeout(60_000) };

  test('is returned by skills/get and resources/read', async () => {
    await withOfficial(http(server), 'modern', async (client) => {
      for (const uri of left) {
        const { contents } = await client.readResource({ uri });
        expect(contents[0]?.uri).toBe(uri);
      }
    });
    for (const uri of left) expect((await server.catalog.find(uri, context))?.entry.uri).toBe(uri);
  });

  test('is found by search', async () => {
    const answer = await fetch(`${server.url}/api/search?q=herons&limit=50`);
    const { hits } = (await answer.json()) as { hits: { uri: string }[] };
    expect(hits.map(({ uri }) => uri).sort()).toEqual(shapes.map((_, index) => uriOf(index)));
  });

  test('is in both indexes of the site', async () => {
    for (const form of ['agent-skills', 'skills']) {
      const answer = await fetch(`${server.url}/.well-known/${form}/index.json`);
      const { skills } = (await answer.json()) as { skills: readonly unknown[] };
      expect(skills).toHaveLength(shapes.length);
    }
  });

  test('has a finding about it', async () => {
    const { findings } = await server.catalog.snapshot();
    const notListed = findings.filter(({ rule }) => rule === 'frontmatter-not-listed');
    expect(new Set(notListed.map(({ file }) => file)).size).toBe(left.length);
  });

  test('is counted in one line at the start', () => {
    const lines = log.filter((line) => line.includes('not listed'));
    expect(lines).toEqual([
      `${left.length} skills are not listed: the official MCP client would reject the whole listing. Fix them with ` +
        '"skillwire validate --fix", or list them with listing: "all" (--list-all)',
    ]);
  });
});

describe('all parts agree on the number of listed skills', () => {
  test.each([
    ['compatible', () => server, good.length],
    ['all', () => lenient, shapes.length],
  ] as const)('with listing %s', async (_, handle, count) => {
    const { url } = handle();
    const [info, rows, status] = (await Promise.all(
      ['/api', '/api/skills', '/status'].map(async (path) => (await fetch(`${url}${path}`)).json()),
    )) as [{ counts: { listed: number } }, { skills: { listed: boolean }[] }, { listed: number; skills: number }];
    expect(info.counts.listed).toBe(count);
    expect(rows.skills.filter((row) => row.listed)).toHaveLength(count);
    expect(rows.skills).toHaveLength(shapes.length);
    expect(status).toMatchObject({ listed: count, skills: shapes.length });
    const overview = await (await fetch(`${url}/ui/plain`)).text();
    expect(overview).toContain(`offers ${count} Agent Skills`);
    const instructions = await withOfficial(http(handle()), 'modern', async (client) => client.getInstructions());
    expect(instructions).toContain(`offers ${count} skills`);
  });
});

describe('a reader that checks each entry', () => {
  test('declares it and gets everything', async () => {
    const source = mcpServerSource({ url: server.mcp ?? '' });
    const uris: string[] = [];
    for await (const page of source.list({})) uris.push(...page.skills.map(({ entry }) => entry.uri));
    await source.close();
    expect(uris.sort()).toEqual(shapes.map((_, index) => uriOf(index)));
  });

  test.each<[string, unknown, number]>([
    ['an object', {}, shapes.length],
    ['settings', { more: 'words' }, shapes.length],
  ])('may declare %s', async (_, value, count) => {
    const extensions = { 'dev.skillwire/any-entry': value as Readonly<Record<string, string>> };
    const found = await withOfficial(http(server), 'modern', (__, client) => client.list(), {
      extensions,
      skipInvalid: true,
    });
    expect(found.skills.length + found.invalid.length).toBe(count);
  });
});

describe('addSkills', () => {
  test('accepts the setting for folders and sources, but not for a catalog with its own', async () => {
    const source = memorySource();
    source.add('a', { description: 'Does a.', metadata: { version: 1 } }, '# A');
    const all = openSkills({}, source, { listing: 'all' }, () => {});
    const some = openSkills({}, source, {}, () => {});
    expect((await all.catalog.snapshot()).listing).toBe('all');
    expect((await some.catalog.snapshot()).listing).toBe('compatible');
    expect(() => openSkills({}, all.catalog, { listing: 'all' }, () => {})).toThrow(
      '"listing" is an option of the catalog',
    );
    await Promise.all([all.close(), some.close()]);
  });
});
