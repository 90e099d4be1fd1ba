import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { sha256Digest } from '../../src/skill/digest.ts';
import type { SkillEntry } from '../../src/skill/entry.ts';
import { entryFaults } from '../../src/skill/entry-faults.ts';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { memorySource } from '../../src/sources/memory.ts';
import { combine } from '../../src/transforms/combine.ts';
import { withRules } from '../../src/transforms/selected.ts';
import { verifies } from '../requirements/verifies.ts';
import { type LegacySession, legacySession, modern, type RawAnswer } from './raw-mcp.ts';

const skillText = (name: string, extra = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${extra}---\n\n# ${name}\n`;

/** Files of the served folder. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'git-workflow/SKILL.md': skillText('git-workflow', 'license: Apache-2.0\nmetadata:\n  zebra: "1"\n  alpha: "2"\n'),
  'git-workflow/references/GUIDE.md': '# Guide\n\nBranch from main.\n',
  'git-workflow/assets/raw.bin': new Uint8Array([0, 255, 254, 128, 10]),
  'git-workflow/scripts/run.sh': '#!/bin/sh\necho ok\n',
  'git-workflow/references/größe.md': 'x\n',
  'acme billing/eu/refunds/SKILL.md': skillText('refunds'),
  'outer/SKILL.md': '---\nname: outer\ndescription: Outer skill.\n---\nSee inner/SKILL.md\n',
  'outer/inner/SKILL.md': '---\nname: inner\ndescription: Inner skill.\nallowed-tools: Bash(*)\n---\nInner body\n',
  'drafts/hidden/SKILL.md': skillText('hidden'),
  'legacy-team/refunds/SKILL.md': skillText('refunds', 'metadata:\n  io.modelcontextprotocol/x: "1"\n'),
  'no-skill/README.md': 'no skill here',
  'bad-name/SKILL.md': skillText('Bad Name'),
  'no-description/SKILL.md': '---\nname: no-description\n---\n',
};

let root: string;
let handle: ServeHandle;
let url: string;
let session: LegacySession;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillwire-contract-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await mkdir(join(root, 'git-workflow/empty'));
  await chmod(join(root, 'git-workflow/scripts/run.sh'), 0o755);
  const many = Object.fromEntries(Array.from({ length: 513 }, (_, n) => [`too-many/f${n}.txt`, '']));
  for (const [path, content] of Object.entries({ ...many, 'too-many/SKILL.md': skillText('too-many') })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const live = memorySource();
  live.add('reports/daily', { description: 'Figures of today.' }, () => '# Today\n');
  const source = withRules(combine([directorySource(root, { watch: false }), live]), [
    { match: 'drafts/', listed: false },
  ]);
  handle = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
  url = handle.mcp ?? '';
  session = await legacySession(url);
}, 60_000);

afterAll(async () => {
  await handle.close();
  await rm(root, { recursive: true, force: true });
});

async function listed(): Promise<SkillEntry[]> {
  return (await modern(url, 'skills/list')).result?.['skills'] as SkillEntry[];
}

async function entry(uri: string): Promise<SkillEntry> {
  return (await modern(url, 'skills/get', { uri })).result?.['skill'] as SkillEntry;
}

async function bytesOf(uri: string): Promise<Buffer> {
  const { result } = await modern(url, 'resources/read', { uri });
  const [content] = (result?.['contents'] ?? []) as { uri: string; text?: string; blob?: string }[];
  expect(content?.uri).toBe(uri);
  return content?.text === undefined ? Buffer.from(content?.blob ?? '', 'base64') : Buffer.from(content.text);
}

const children = async (uri: string): Promise<{ uri: string; name: string; mimeType: string }[] | undefined> =>
  (await modern(url, 'resources/directory/read', { uri })).result?.['resources'] as never;

describe('declarations of the server', () => {
  verifies(
    ['S-1', 'S-2', 'S-3', 'S-4'],
    'both eras see the extension, directoryRead inline, and resources',
    async () => {
      const { result } = await modern(url, 'server/discover');
      for (const capabilities of [result?.['capabilities'], session.initialized.result?.['capabilities']])
        expect(capabilities).toMatchObject({
          resources: { listChanged: true, subscribe: true },
          extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
        });
      for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
        expect((await modern(url, method, { uri: 'skill://outer/SKILL.md' })).error?.code).not.toBe(-32601);
    },
  );

  verifies(['S-47'], 'the instructions mention skills and how to read them', async () => {
    const { result } = await modern(url, 'server/discover');
    for (const instructions of [result?.['instructions'], session.initialized.result?.['instructions']]) {
      expect(instructions).toMatch(/skill/i);
      expect(instructions).toMatch(/resources\/read/);
    }
  });
});

describe('entries', () => {
  verifies(['S-5', 'S-7', 'S-11', 'S-24', 'S-27', 'S-29', 'S-34'], 'every listed entry is valid', async () => {
    const skills = await listed();
    expect(skills.length).toBeGreaterThanOrEqual(6);
    for (const skill of skills) expect(entryFaults(skill), skill.uri).toEqual([]);
  });

  verifies(
    ['S-6', 'S-7', 'S-11', 'S-35'],
    'a skill that breaks a rule is not served, and a finding gives the reason',
    async () => {
      const { findings } = await handle.catalog.snapshot();
      for (const [uri, rule] of [
        ['skill://no-skill/SKILL.md', undefined],
        ['skill://bad-name/SKILL.md', 'name-invalid'],
        ['skill://no-description/SKILL.md', 'description-missing'],
        ['skill://too-many/SKILL.md', 'skill-too-many-files'],
      ] as const) {
        expect((await modern(url, 'skills/get', { uri })).error?.code).toBe(-32602);
        if (rule !== undefined) expect(findings.map((found) => found.rule)).toContain(rule);
      }
    },
  );

  verifies(
    ['S-8', 'S-9', 'S-22', 'S-28', 'S-30'],
    'an entry has each file once, readable, with its size and digest',
    async () => {
      const skill = await entry('skill://git-workflow/SKILL.md');
      const expected = Object.keys(files).filter((path) => path.startsWith('git-workflow/'));
      const resources = skill.resources === 'dynamic' ? [] : skill.resources;
      expect(resources.map(({ uri }) => uri)).toEqual(
        expected.map((path) => `skill://${path.split('/').map(encodeURIComponent).join('/')}`).sort(),
      );
      for (const resource of resources) {
        const bytes = await bytesOf(resource.uri);
        expect(bytes).toEqual(await readFile(join(root, decodeURIComponent(resource.uri.slice('skill://'.length)))));
        expect(resource).toEqual({ uri: resource.uri, digest: await sha256Digest(bytes), size: bytes.length });
      }
    },
  );

  verifies(['S-10', 'S-12', 'S-13'], 'a prefix of any depth comes before the name, percent-encoded', async () => {
    const uris = (await listed()).map(({ uri }) => uri);
    expect(uris).toContain('skill://acme%20billing/eu/refunds/SKILL.md');
    for (const uri of uris) expect(new URL(uri).href).toBe(uri);
  });

  verifies(['S-15', 'S-21', 'S-31'], 'a nested skill has its own entry, and its files are in both', async () => {
    const outer = await entry('skill://outer/SKILL.md');
    const inner = await entry('skill://outer/inner/SKILL.md');
    expect(Object.keys(inner).sort()).toEqual(['frontmatter', 'resources', 'uri']);
    expect(inner.resources).toEqual([
      {
        uri: 'skill://outer/inner/SKILL.md',
        digest: 'sha256:b88adb55b9612ce8e1673b546e83100c86de903ed94433205d9f0b7afa900f69',
        size: 80,
      },
    ]);
    expect(outer.resources).toEqual([
      {
        uri: 'skill://outer/SKILL.md',
        digest: 'sha256:ccddf3235ca45dbdbc71d4a02f905bde3f79d8d7eae2bbe0eb3f83d9c9ffd842',
        size: 65,
      },
      ...(inner.resources as []),
    ]);
  });

  verifies(['S-23'], 'frontmatter is verbatim, nested keys in file order', async () => {
    const { frontmatter } = await entry('skill://git-workflow/SKILL.md');
    expect(JSON.stringify(frontmatter)).toBe(
      '{"name":"git-workflow","description":"About git-workflow.","license":"Apache-2.0","metadata":{"zebra":"1","alpha":"2"}}',
    );
  });

  verifies(['S-25', 'S-26'], 'reserved metadata keys and shared names are served and reported', async () => {
    const names = (await listed()).map(({ frontmatter }) => frontmatter.name);
    expect(names.filter((name) => name === 'refunds')).toHaveLength(2);
    const rules = (await handle.catalog.snapshot()).findings.map(({ rule }) => rule);
    expect(rules).toContain('frontmatter-reserved-key');
    expect(rules).toContain('name-not-unique');
  });

  verifies(
    ['S-32'],
    'a generated skill is dynamic in list and get, never cached, and its text has the published frontmatter',
    async () => {
      const uri = 'skill://reports/daily/SKILL.md';
      const inList = (await listed()).find((skill) => skill.uri === uri);
      const answer = await modern(url, 'skills/get', { uri });
      expect(inList?.resources).toBe('dynamic');
      expect(answer.result).toMatchObject({ skill: inList, ttlMs: 0, cacheScope: 'private' });
      expect((await bytesOf(uri)).toString()).toBe(
        '---\nname: "daily"\ndescription: "Figures of today."\n---\n\n# Today\n',
      );
    },
  );

  verifies(['S-58', 'S-59'], 'annotations are only under our own prefix', async () => {
    for (const skill of await listed())
      for (const key of Object.keys(skill._meta ?? {})) expect(key).toMatch(/^dev\.skillwire\//);
    const { _meta } = await entry('skill://git-workflow/SKILL.md');
    expect(_meta).toEqual({ 'dev.skillwire/executable': ['skill://git-workflow/scripts/run.sh'] });
  });
});

describe('skills/list and skills/get', () => {
  verifies(['S-38', 'S-39', 'S-42', 'S-46', 'S-48'], 'results of 2026-07-28 are complete and cacheable', async () => {
    const cacheable = { resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'public' };
    expect((await modern(url, 'skills/list')).result).toMatchObject(cacheable);
    expect((await modern(url, 'resources/directory/read', { uri: 'skill://outer' })).result).toMatchObject(cacheable);
    const { result } = await modern(url, 'skills/get', { uri: 'skill://outer/SKILL.md' });
    expect(result).toMatchObject(cacheable);
    expect(result).not.toHaveProperty('nextCursor');
  });

  verifies(['S-39', 'S-46'], 'results of 2025 sessions have no cache fields', async () => {
    for (const answer of [
      await session.call('skills/list'),
      await session.call('skills/get', { uri: 'skill://outer/SKILL.md' }),
      await session.call('resources/directory/read', { uri: 'skill://outer' }),
      await session.call('resources/read', { uri: 'skill://outer/SKILL.md' }),
      await session.call('resources/list'),
    ]) {
      expect(answer.result).toBeDefined();
      expect(answer.result).not.toHaveProperty('ttlMs');
      expect(answer.result).not.toHaveProperty('cacheScope');
    }
  });

  verifies(['S-40', 'S-41', 'S-44'], 'an unlisted skill is returned by get and read', async () => {
    const uri = 'skill://drafts/hidden/SKILL.md';
    expect((await listed()).map((skill) => skill.uri)).not.toContain(uri);
    expect((await entry(uri)).frontmatter.name).toBe('hidden');
    expect((await bytesOf(uri)).toString()).toBe(files['drafts/hidden/SKILL.md']);
  });

  verifies(['S-45'], 'get returns the entry of the list with the requested URI, in both eras', async () => {
    for (const skill of await listed()) {
      expect(await entry(skill.uri)).toEqual(skill);
      expect((await session.call('skills/get', { uri: skill.uri })).result?.['skill']).toEqual(skill);
    }
  });

  verifies(['S-36', 'S-37', 'S-51'], 'pages are followed by cursor, with whole entries, none twice', async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => `s${String(n).padStart(4, '0')}`);
    const source = memorySource(
      Object.fromEntries(names.map((name) => [`many/${name}`, { 'SKILL.md': skillText(name) }])),
    );
    const large = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
    try {
      const walk = async (method: string, field: string, params = {}): Promise<{ pages: number; uris: string[] }> => {
        const uris: string[] = [];
        let pages = 0;
        for (let cursor: unknown; pages === 0 || cursor !== undefined; pages++) {
          const { result }: RawAnswer = await modern(large.mcp ?? '', method, {
            ...params,
            ...(cursor === undefined ? {} : { cursor }),
          });
          uris.push(...((result?.[field] ?? []) as { uri: string }[]).map(({ uri }) => uri));
          cursor = result?.['nextCursor'];
        }
        return { pages, uris };
      };
      const expected = names.map((name) => `skill://many/${name}/SKILL.md`);
      const pages = Math.ceil(names.length / limits.pages.entries);
      expect(await walk('skills/list', 'skills')).toEqual({ pages, uris: expected });
      expect((await walk('resources/list', 'resources')).uris).toEqual(['skill://index.json', ...expected]);
      const folders = names.map((name) => `skill://many/${name}`);
      expect(await walk('resources/directory/read', 'resources', { uri: 'skill://many' })).toEqual({
        pages,
        uris: folders,
      });
    } finally {
      await large.close();
    }
  });
});

describe('resources', () => {
  verifies(
    ['S-16', 'S-17', 'S-18', 'S-19', 'S-54'],
    'resources/list has a row per SKILL.md with its metadata, no directories',
    async () => {
      const rows = (await modern(url, 'resources/list')).result?.['resources'] as Record<string, unknown>[];
      const uris = [...(await listed()).map(({ uri }) => uri), 'skill://index.json'].sort();
      expect(rows.map((row) => row['uri'])).toEqual(uris);
      expect(rows).toContainEqual({
        uri: 'skill://outer/SKILL.md',
        name: 'outer',
        description: 'Outer skill.',
        mimeType: 'text/markdown',
        size: 65,
      });
      for (const row of rows) expect(row).not.toHaveProperty('_meta');
    },
  );

  verifies(
    ['S-20', 'S-50', 'S-52', 'S-54'],
    'directories have their direct children with media types, at every level',
    async () => {
      expect(await children('skill://git-workflow')).toEqual([
        { uri: 'skill://git-workflow/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: expect.any(Number) },
        { uri: 'skill://git-workflow/assets', name: 'assets', mimeType: 'inode/directory' },
        { uri: 'skill://git-workflow/empty', name: 'empty', mimeType: 'inode/directory' },
        { uri: 'skill://git-workflow/references', name: 'references', mimeType: 'inode/directory' },
        { uri: 'skill://git-workflow/scripts', name: 'scripts', mimeType: 'inode/directory' },
      ]);
      expect(await children('skill://git-workflow/empty')).toEqual([]);
      expect((await children('skill://git-workflow/assets'))?.[0]?.mimeType).toBe('application/octet-stream');
      expect((await children('skill://git-workflow/scripts'))?.[0]?.mimeType).toMatch(/^(text|application)\//);
      expect((await children('skill://acme%20billing'))?.map(({ uri }) => uri)).toEqual(['skill://acme%20billing/eu']);
      expect(await children('skill://git-workflow/')).toEqual(await children('skill://git-workflow'));
      expect((await children('skill://outer/inner'))?.map(({ name }) => name)).toEqual(['SKILL.md']);
    },
  );
});

describe('errors', () => {
  verifies(
    ['S-43', 'S-49', 'S-55', 'S-57', 'C-12'],
    'an unknown URI is -32602 with a message that names the URI',
    async () => {
      for (const [method, uri] of [
        ['skills/get', 'skill://git-workflow'],
        ['skills/get', 'skill://git-workflow/references/GUIDE.md'],
        ['skills/get', 'skill://nothing/SKILL.md'],
        ['resources/directory/read', 'skill://git-workflow/SKILL.md'],
        ['resources/directory/read', 'skill://nothing'],
        ['resources/read', 'skill://git-workflow/nothing.md'],
        ['resources/read', 'skill://acme%20billing'],
      ] as const) {
        const { status, error } = await modern(url, method, { uri });
        expect({ method, uri, status, code: error?.code }).toEqual({ method, uri, status: 200, code: -32602 });
        expect(error?.message).toContain(uri);
        expect(error?.message.length).toBeGreaterThan(30);
      }
      const legacyRead = await session.call('resources/read', { uri: 'skill://git-workflow/nothing.md' });
      expect(legacyRead.error?.code).toBe(-32002);
    },
  );

  verifies(['S-55'], 'URIs that try to leave the namespace are refused before normalization', async () => {
    for (const uri of [
      'skill://git-workflow/../outer/SKILL.md',
      'skill://git-workflow/%2e%2e/outer/SKILL.md',
      'skill://git-workflow/references%2FGUIDE.md',
      'skill://git-workflow/references%5CGUIDE.md',
      'skill://git-workflow/SKILL.md%00',
      'skill://git-workflow/SKILL.md?x=1',
      'skill://git-workflow/SKILL.md#x',
      'skill://git-workflow//SKILL.md',
      'file:///etc/passwd',
    ])
      for (const method of ['resources/read', 'skills/get', 'resources/directory/read'])
        expect((await modern(url, method, { uri })).error?.code, `${method} ${uri}`).toBe(-32602);
  });

  verifies(['S-36'], 'a cursor that this server did not make is -32602', async () => {
    for (const cursor of ['', 'garbage', '!!', Buffer.from('file:///x').toString('base64url'), 'a'.repeat(30_000)])
      for (const method of ['skills/list', 'resources/list'])
        expect((await modern(url, method, { cursor })).error?.code, cursor.slice(0, 20)).toBe(-32602);
  });
});
