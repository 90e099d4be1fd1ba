/** Examples of SEP-2640 and of the discussion of it, and of the draft before it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { decodeReadText } from '../../src/dialects/read-text.ts';
import { buildSkillIndex, createCatalog, memorySource } from '../../src/index.ts';
import { createHost, listSkills, memoryStore, readSkillUri, skillTools } from '../../src/node/entries/host.ts';
import { addSkills } from '../../src/node/entries/index.ts';
import { foundry, goose, mcpc, mcpcList, mcpcUri } from '../peers/clients/index-clients.ts';
import { readBytes, readText } from '../peers/clients/reading.ts';
import { untar } from '../peers/clients/untar.ts';
import type { Example } from './example.ts';
import { jsonAt, reads, rowsOf } from './steps.ts';

const same = { document: 'sep2640', verdict: 'same' } as const;

export const sep2640: readonly Example[] = [
  {
    document: 'sep2640',
    example: '`github://owner/repo/skills/refunds/SKILL.md`',
    verdict: 'set',
    here: 'a server publishes under its own scheme; `skill://index.json` lists it, and its skill path is `owner/repo/skills/refunds`',
    why: '`skill` is the scheme that clients expect',
    set: '`--scheme github`',
    async run({ github }) {
      const uri = 'github://owner/repo/skills/refunds/SKILL.md';
      expect(await readText(github, uri)).toContain('name: refunds');
      const { skills } = await jsonAt(github, 'skill://index.json');
      expect((skills as { url: string }[]).map(({ url }) => url)).toEqual([uri]);
      expect(await readText(github, 'github://owner/repo/skills/refunds/policy.md')).toBe('# Policy\n');
      const got = await github.request('skills/get', { uri });
      expect(got['skill']).toMatchObject({ uri });
    },
  },
  {
    ...same,
    example:
      '`{"name": "read_resource", "inputSchema": {"properties": {"server", "uri"}, "required": ["server", "uri"]}}`',
    here: 'the tool of that name and schema in `skillwire/host`',
    async run() {
      const host = await createHost({ store: memoryStore(), origins: [] });
      const tools = await skillTools(host);
      await host.close();
      expect(tools.find(({ name }) => name === 'read_resource')?.inputSchema).toMatchObject({
        type: 'object',
        properties: { server: { type: 'string' }, uri: { type: 'string' } },
        required: ['server', 'uri'],
      });
      expect(tools.map(({ name }) => name)).toContain('load_skill');
    },
  },
  {
    ...same,
    example: 'clients enumerate skills by reading `skill://index.json`',
    here: 'one document that is right in the forms A, B and C, listed in `resources/list`',
    async run({ wire }) {
      const { skills } = await jsonAt(wire, 'skill://index.json');
      const listed = await rowsOf(wire, 'skills/list', 'skills');
      expect((skills as { uri: string }[]).map(({ uri }) => uri)).toEqual(listed.map(({ uri }) => uri));
      const rows = await rowsOf(wire, 'resources/list', 'resources');
      expect(rows).toContainEqual(expect.objectContaining({ uri: 'skill://index.json', mimeType: 'application/json' }));
    },
  },
  {
    ...same,
    example: '`skill://code-review/checklist.json`',
    here: 'the file',
    run: reads('skill://code-review/checklist.json', 'code-review/checklist.json'),
  },
  {
    document: 'sep2640',
    example: '`buildSkillIndex`, `parseSkillResourceUri`, `buildSkillResourceUri` (skilljack)',
    verdict: 'other',
    here: '`buildSkillIndex`, `parseSkillUri` and `buildSkillUri` of `skillwire`',
    why: 'one name for URIs of skills and of their files',
    set: 'nothing',
    async run() {
      const catalog = createCatalog(memorySource({ x: { 'SKILL.md': '---\nname: x\ndescription: X.\n---\n' } }));
      const { listed } = await catalog.snapshot();
      const index = buildSkillIndex(listed.map(({ entry }) => ({ entry })));
      expect(index.skills).toMatchObject([{ name: 'x', type: 'skill-md', url: 'skill://x/SKILL.md' }]);
      await catalog.close();
    },
  },
  {
    ...same,
    example: '`skill://pdf-processing.tar.gz` unpacks to `skill://pdf-processing/`',
    here: 'an archive with SKILL.md at its root and the files that are readable one by one',
    async run({ wire, file }) {
      const files = untar(await readBytes(wire, 'skill://pdf-processing.tar.gz'));
      expect(Buffer.from(files.get('SKILL.md') ?? []).equals(file('pdf-processing/SKILL.md'))).toBe(true);
      for (const [path, bytes] of files)
        expect(Buffer.from(await readBytes(wire, `skill://pdf-processing/${path}`)).equals(Buffer.from(bytes))).toBe(
          true,
        );
    },
  },
  {
    ...same,
    example: '`skill://acme/billing/refunds.zip` to `skill://acme/billing/refunds/`',
    here: 'the same as zip, `application/zip`',
    async run({ wire }) {
      const { contents } = await wire.request('resources/read', { uri: 'skill://acme/billing/refunds.zip' });
      const [{ mimeType, blob }] = contents as [{ mimeType: string; blob: string }];
      expect(mimeType).toBe('application/zip');
      expect(Buffer.from(blob, 'base64').subarray(0, 2).toString()).toBe('PK');
    },
  },
  {
    document: 'sep2640',
    example: 'a skill as `skill-md` and as `archive` in one index (Foundry Toolbox)',
    verdict: 'set',
    here: 'both entries; readers take them for one skill',
    why: '`archives` in the entry of the skill says the same without a second entry',
    set: '`--archive-entries`',
    async run({ wire, all, listStandIn }) {
      const types = async (one: typeof wire): Promise<unknown[]> =>
        ((await jsonAt(one, 'skill://index.json'))['skills'] as { name: string; type: string }[])
          .filter(({ name }) => name === 'wrangler')
          .map(({ type }) => type);
      expect(await types(wire)).toEqual(['skill-md']);
      expect(await types(all)).toEqual(['skill-md', 'archive']);
      expect((await foundry.read(all)).find(({ name }) => name === 'wrangler')?.files?.size).toBe(4);
      const { skills } = await listStandIn('skill://index.json, both entries (Foundry toolbox)');
      expect(skills).toHaveLength(1);
    },
  },
  {
    document: 'sep2640',
    example: '`skill://example_skill/SKILL.md`, `skill://example_skill/X.md`',
    verdict: 'other',
    here: 'not served; `validate` says that the name has an underscore and what to call it',
    why: 'Agent Skills allows a-z, 0-9 and hyphens in names',
    set: 'nothing: rename the skill',
    async run({ wire, run }) {
      await expect(readText(wire, 'skill://example_skill/SKILL.md')).rejects.toThrow(/-32002/);
      const { stdout, stderr, exitCode } = await run('validate', './skills');
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toMatch(/example_skill/);
    },
  },
  {
    ...same,
    example: '`mcpc @session skills-list` gives `[{ name, description, type, url }, ...]`',
    here: 'from the index; without it from `resources/list`',
    async run({ wire }) {
      expect(await mcpcList(wire)).toContainEqual({
        name: 'wrangler',
        description: 'Deploy and manage Cloudflare Workers projects.',
        type: 'skill-md',
        url: 'skill://wrangler/SKILL.md',
      });
      expect((await mcpc.read(wire)).length).toBeGreaterThan(8);
    },
  },
  {
    ...same,
    example: '`mcpc @session skills-get <name>` gives the full `ReadResourceResult`',
    here: 'as text/markdown',
    async run({ wire, file }) {
      const { contents } = await wire.request('resources/read', { uri: mcpcUri('wrangler') });
      expect(contents).toEqual([
        { uri: 'skill://wrangler/SKILL.md', mimeType: 'text/markdown', text: file('wrangler/SKILL.md').toString() },
      ]);
    },
  },
  {
    document: 'sep2640',
    example: '`capabilities.extensions` or `capabilities.experimental`',
    verdict: 'set',
    here: 'declared in `extensions`, and in `experimental` too if that is set',
    why: 'only `extensions` is in the final text',
    set: '`--experimental-capability`',
    async run({ wire, github }) {
      const declared = { 'io.modelcontextprotocol/skills': { directoryRead: true } };
      expect(wire.capabilities).toMatchObject({ extensions: declared });
      expect(wire.capabilities['experimental']).toBeUndefined();
      expect(github.capabilities).toMatchObject({ extensions: declared, experimental: declared });
    },
  },
  {
    ...same,
    example: 'entries with `frontmatter` verbatim, `url` and `digest`, `archives` with `url`, `mimeType`, `digest`',
    here: 'in every entry of a skill with fixed bytes',
    async run({ wire, file }) {
      const { skills } = await jsonAt(wire, 'skill://index.json');
      const entry = (skills as { name: string }[]).find(({ name }) => name === 'wrangler');
      expect(entry).toMatchObject({
        frontmatter: { name: 'wrangler', description: 'Deploy and manage Cloudflare Workers projects.' },
        url: 'skill://wrangler/SKILL.md',
        digest: expect.stringMatching(/^sha256:/),
        archives: [{ url: 'skill://wrangler.tar.gz', mimeType: 'application/gzip', digest: expect.any(String) }],
      });
      const read = await goose.read(wire);
      expect(read.find(({ name }) => name === 'wrangler')?.skillMd).toBe(file('wrangler/SKILL.md').toString());
    },
  },
  {
    document: 'sep2640',
    example: 'the index has no per-document version marker',
    verdict: 'other',
    here: 'it has `$schema`',
    why: 'readers of form A want it, all others ignore it',
    set: 'nothing',
    async run({ wire }) {
      expect((await jsonAt(wire, 'skill://index.json'))['$schema']).toMatch(/^https:/);
    },
  },
  {
    ...same,
    example:
      '`resources/directory/read`: direct children of a resource with mimeType `inode/directory`, opt-in by `directoryRead`',
    here: 'declared and answered for every directory',
    async run({ wire }) {
      const rows = await rowsOf(wire, 'resources/directory/read', 'resources', { uri: 'skill://pdf-processing' });
      expect(rows).toContainEqual({
        uri: 'skill://pdf-processing/references',
        name: 'references',
        mimeType: 'inode/directory',
      });
    },
  },
];

export const draft: readonly Example[] = [
  {
    document: 'draft',
    verdict: 'same',
    example: '`resources/list(uri="skill://")`',
    here: 'the SKILL.md of every listed skill and nothing else',
    async run({ wire }) {
      const scoped = await rowsOf(wire, 'resources/list', 'resources', { uri: 'skill://' });
      expect(scoped.map(({ uri }) => uri)).toEqual((await rowsOf(wire, 'skills/list', 'skills')).map(({ uri }) => uri));
    },
  },
  {
    document: 'draft',
    verdict: 'same',
    example: '`skill://foo/bar/code-review/SKILL.md`: the last path segment is the name',
    here: 'the file',
    run: reads('skill://foo/bar/code-review/SKILL.md', 'foo/bar/code-review/SKILL.md'),
  },
  {
    document: 'draft',
    verdict: 'other',
    example:
      '`skill://index.json`: `$schema`, `skills[]`, `url` holds the full URI, `digest` is omitted, `type` is `skill-md`',
    here: 'the same with a digest',
    why: 'later drafts require it, and readers of this one ignore what they do not know',
    set: 'nothing',
    async run({ wire }) {
      const { $schema, skills } = await jsonAt(wire, 'skill://index.json');
      expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
      for (const entry of skills as { type: string; url: string; digest: string }[])
        expect(entry).toMatchObject({
          type: 'skill-md',
          url: expect.stringMatching(/^skill:/),
          digest: expect.any(String),
        });
    },
  },
  {
    document: 'draft',
    verdict: 'same',
    example: '`mimeType`, `name` and `description` of the resource from the frontmatter',
    here: 'in every row',
    async run({ wire }) {
      expect(await rowsOf(wire, 'resources/list', 'resources')).toContainEqual({
        uri: 'skill://data-pipeline/SKILL.md',
        name: 'data-pipeline',
        description: 'Build and validate data pipelines. Use when processing datasets or ETL workflows.',
        mimeType: 'text/markdown',
        size: expect.any(Number),
      });
    },
  },
  {
    document: 'draft',
    verdict: 'other',
    example:
      '`{"contents": [{"uri": "file:///project/src/main.py", "dependencies": [...], "scopes": [...]}]}` (an idea of a reviewer)',
    here: 'read as plain content; the fields mean nothing',
    why: 'it was not taken up',
    set: 'nothing',
    async run() {
      const uri = 'file:///project/src/main.py';
      const content = {
        uri,
        mimeType: 'text/x-python',
        dependencies: [{ name: 'requests', version: '>=2.0.0', description: 'HTTP' }],
        scopes: [{ name: 'github:repo:read', description: 'Reading' }],
        text: 'import requests\n',
      };
      expect(decodeReadText({ contents: [content] }, uri, 1_000)).toBe('import requests\n');
    },
  },
  {
    document: 'draft',
    verdict: 'other',
    example: '`@server.skill(path)`, `client.list_skills()`, `client.read_skill_uri()`',
    here: '`addSkills(server, …).add(path, …)` of `skillwire/node`; `listSkills()` and `readSkillUri()` of `skillwire/host`',
    why: 'names of another language',
    set: 'nothing',
    async run({ mcp, file }) {
      const client = new Client({ name: 'founding', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
      const { skills } = await listSkills(client);
      expect(skills.map(({ uri }) => uri)).toContain('skill://wrangler/SKILL.md');
      const { bytes } = await readSkillUri(client, 'skill://wrangler/SKILL.md');
      expect(Buffer.from(bytes).equals(file('wrangler/SKILL.md'))).toBe(true);
      await client.close();
      expect(typeof addSkills).toBe('function');
    },
  },
];
