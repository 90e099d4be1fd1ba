import { describe, expect, test } from 'vitest';
import { f1, f2, f3, f5, f6 } from '../../../../test/dialect-fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { createCatalog } from '../../../catalog/create-catalog.ts';
import { decodeManifest } from '../../../dialects/fastmcp/manifest.ts';
import { decodeSkillIndex } from '../../../dialects/skill-index/decode-index.ts';
import { SkillwireError } from '../../../errors.ts';
import { lazyArchives } from '../../../node/lazy-archives.ts';
import { memorySource } from '../../../sources/memory.ts';
import type { MethodCall } from '../cache-fields.ts';
import type { ResourceContents } from '../file-contents.ts';
import { createSkillMethods, type SkillMethods } from '../skill-methods.ts';
import { type DialectOptions, defaultDialects, servedDialects } from './served-dialects.ts';

const modern: MethodCall = { era: 'modern', context: {} };
const legacy: MethodCall = { era: 'legacy', context: {} };

type Files = { 'SKILL.md': string } & Record<string, string | Uint8Array>;

const text = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n# ${name}\n`;

const gitWorkflow: Files = { 'SKILL.md': f1.text, 'references/GUIDE.md': f2.text, 'assets/raw.bin': f3.bytes };
const refunds: Files = { 'SKILL.md': text('refunds', 'license: MIT\n'), 'templates/a b.md': 'Dear\n' };
const skills: Readonly<Record<string, Files>> = {
  'git-workflow': gitWorkflow,
  'acme/billing/refunds': refunds,
  outer: { 'SKILL.md': f5.text, 'inner/SKILL.md': f6.text },
  'outer/inner': { 'SKILL.md': f6.text },
};

function serving(files: Readonly<Record<string, Files>> = skills, options: DialectOptions = {}): SkillMethods {
  const catalog = createCatalog(memorySource({ ...files }));
  return createSkillMethods(catalog, { archives: lazyArchives(catalog), ...options });
}

async function read(methods: SkillMethods, uri: string): Promise<readonly ResourceContents[]> {
  return (await methods.readResource({ uri }, modern)).contents;
}

async function textAt(methods: SkillMethods, uri: string): Promise<string> {
  const [content] = await read(methods, uri);
  if (content === undefined || !('text' in content)) throw new Error(`no text at ${uri}`);
  expect(content.uri).toBe(uri);
  return content.text;
}

const jsonAt = async (methods: SkillMethods, uri: string): Promise<unknown> => JSON.parse(await textAt(methods, uri));

async function refused(methods: SkillMethods, uri: string): Promise<string> {
  try {
    await methods.readResource({ uri }, modern);
  } catch (error) {
    if (error instanceof SkillwireError) return error.code;
    throw error;
  }
  return 'answered';
}

describe('dialect addresses', () => {
  verifies(
    ['C-7', 'survey:skilljack-uris', 'survey:groves-uris'],
    'the text of a skill has three of them',
    async () => {
      const methods = serving();
      for (const uri of ['skill://git-workflow', 'skill://git-workflow/SKILL.md', 'skill://lookup/git-workflow'])
        expect(await textAt(methods, uri)).toBe(f1.text);
      for (const uri of ['skill://refunds', 'skill://acme/billing/refunds', 'skill://lookup/refunds'])
        expect(await textAt(methods, uri)).toBe(refunds['SKILL.md']);
      const { skill } = await methods.getSkill({ uri: 'skill://git-workflow/SKILL.md' }, modern);
      expect(skill.uri).toBe('skill://git-workflow/SKILL.md');
      for (const uri of ['skill://git-workflow', 'skill://lookup/git-workflow', 'skill://refunds/SKILL.md'])
        await expect(async () => methods.getSkill({ uri }, modern)).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
      const { resources } = await methods.readDirectory({ uri: 'skill://git-workflow' }, modern);
      expect(resources.map(({ name }) => name)).toEqual(['SKILL.md', 'assets', 'references']);
    },
  );

  verifies(['C-8', 'survey:skilljack-collection'], 'a trailing slash requests all other files', async () => {
    const methods = serving();
    expect(await read(methods, 'skill://git-workflow/')).toEqual([
      { uri: 'skill://git-workflow/assets/raw.bin', mimeType: 'application/octet-stream', blob: 'AP/+gAo=' },
      { uri: 'skill://git-workflow/references/GUIDE.md', mimeType: 'text/markdown', text: f2.text },
    ]);
    const [file] = await read(methods, 'skill://refunds/');
    expect(file?.uri).toBe('skill://refunds/templates/a%20b.md');
    expect(await textAt(methods, 'skill://refunds/templates/a%20b.md')).toBe('Dear\n');
    const slashed = await methods.readDirectory({ uri: 'skill://git-workflow/' }, modern);
    expect(slashed).toEqual(await methods.readDirectory({ uri: 'skill://git-workflow' }, modern));
  });

  verifies(['survey:fastmcp-files', 'C-19'], 'a manifest is beside every skill, also nested ones', async () => {
    const methods = serving();
    expect(await jsonAt(methods, 'skill://git-workflow/_manifest')).toEqual({
      skill: 'git-workflow',
      files: [
        { path: 'SKILL.md', size: f1.size, hash: f1.digest },
        { path: 'assets/raw.bin', size: f3.size, hash: f3.digest },
        { path: 'references/GUIDE.md', size: f2.size, hash: f2.digest },
      ],
    });
    const nested = await jsonAt(methods, 'skill://acme/billing/refunds/_manifest');
    expect(nested).toMatchObject({ skill: 'acme/billing/refunds' });
    expect(decodeManifest(nested, 'skill://acme/billing/refunds/SKILL.md')).toMatchObject({ verified: 'full' });
    expect(await refused(methods, 'skill://acme/_manifest')).toBe('FILE_NOT_FOUND');
  });

  verifies(['survey:groves-uris', 'som:documents'], 'documents are listed and read one by one', async () => {
    const methods = serving();
    expect(await jsonAt(methods, 'skill://git-workflow/documents')).toEqual({
      skill: 'git-workflow',
      documents: [
        {
          path: 'assets/raw.bin',
          mimeType: 'application/octet-stream',
          size: f3.size,
          uri: 'skill://git-workflow/document/assets/raw.bin',
        },
        {
          path: 'references/GUIDE.md',
          mimeType: 'text/markdown',
          size: f2.size,
          uri: 'skill://git-workflow/document/references/GUIDE.md',
        },
      ],
    });
    expect(await textAt(methods, 'skill://git-workflow/document/references/GUIDE.md')).toBe(f2.text);
    expect(await refused(methods, 'skill://git-workflow/document/SKILL.md')).toBe('FILE_NOT_FOUND');
    expect(await jsonAt(methods, 'skill://index')).toContainEqual({
      name: 'refunds',
      description: 'About refunds.',
      uri: 'skill://refunds',
      documentsUri: 'skill://refunds/documents',
      documentCount: 1,
    });
    expect(await textAt(methods, 'skill://prompt-xml')).toContain('<name>refunds</name>');
  });

  verifies(['C-5', 'C-6'], 'an archive has the path of its skill, with its nested skills inside', async () => {
    const methods = serving();
    const { skills: entries } = decodeSkillIndex(await jsonAt(methods, 'skill://index.json'));
    const outer = entries.find(({ name }) => name === 'outer');
    const archive = outer?.retrievals.find(({ kind }) => kind === 'archive');
    expect(archive).toMatchObject({ uri: 'skill://outer.tar.gz', format: 'tar.gz' });
    const [packed] = await read(methods, 'skill://outer.tar.gz');
    expect(packed).toMatchObject({ uri: 'skill://outer.tar.gz', mimeType: 'application/gzip' });
    const [zip] = await read(methods, 'skill://acme/billing/refunds.zip');
    expect(zip).toMatchObject({ mimeType: 'application/zip' });
    expect(await refused(methods, 'skill://acme/billing.zip')).toBe('FILE_NOT_FOUND');
    expect(entries.map(({ skillPath }) => skillPath)).toContain('outer/inner');
  });

  test('a chosen skill is read at the usage address of the server', async () => {
    const methods = serving(skills, { usage: { label: 'ipinfo', skill: 'refunds' } });
    expect(await textAt(methods, 'skill://ipinfo/usage')).toBe(refunds['SKILL.md']);
    expect(await refused(serving(), 'skill://ipinfo/usage')).toBe('FILE_NOT_FOUND');
  });

  test('a skill made for each reader has a text, but no manifest, archive or collection', async () => {
    const source = memorySource();
    source.add('live', { description: 'Now' }, () => 'at once');
    const catalog = createCatalog(source);
    const methods = createSkillMethods(catalog, { archives: lazyArchives(catalog) });
    const { contents, cacheScope, ttlMs } = await methods.readResource({ uri: 'skill://live' }, modern);
    expect(contents).toMatchObject([{ text: expect.stringContaining('at once') }]);
    expect({ cacheScope, ttlMs }).toEqual({ cacheScope: 'private', ttlMs: 0 });
    for (const uri of ['skill://live/', 'skill://live/_manifest', 'skill://live/documents', 'skill://live.zip'])
      expect(await refused(methods, uri)).toBe('FILE_NOT_FOUND');
    expect(await jsonAt(methods, 'skill://index.json')).toMatchObject({
      skills: [{ name: 'live', resources: 'dynamic' }],
    });
  });

  test.each([
    'skill://git-workflow/../outer',
    'skill://git-workflow/%2e%2e/_manifest',
    'skill://lookup%2Fgit-workflow',
    'skill://git-workflow/document/..%2FSKILL.md',
    'skill://index.json?x=1',
    'skill://index#x',
    'skill://git-workflow//',
    'file:///etc/passwd',
  ])('%s is refused like any other ambiguous URI', async (uri) => {
    expect(await refused(serving(), uri)).toBe('FILE_NOT_FOUND');
  });
});

describe('real skills', () => {
  verifies(['C-9'], 'a real file wins over a dialect document at its address', async () => {
    const own: Files = {
      'SKILL.md': text('own'),
      _manifest: 'mine',
      documents: 'mine too',
      'document/x.md': 'nested',
      'x.md': 'outer',
    };
    const methods = serving({ own });
    expect(await textAt(methods, 'skill://own/_manifest')).toBe('mine');
    expect(await textAt(methods, 'skill://own/documents')).toBe('mine too');
    expect(await textAt(methods, 'skill://own/document/x.md')).toBe('nested');
    const plain = serving();
    const { resources: children } = await plain.readDirectory({ uri: 'skill://git-workflow' }, modern);
    expect(children.map(({ name }) => name)).not.toContain('_manifest');
    const { skill } = await plain.getSkill({ uri: 'skill://git-workflow/SKILL.md' }, modern);
    expect(skill.resources).toHaveLength(3);
  });

  verifies(['C-10'], 'a skill named like a dialect document wins over it', async () => {
    const named = ['index', 'prompt-xml', 'lookup', 'usage'];
    const methods = serving(
      {
        ...Object.fromEntries(named.map((name) => [name, { 'SKILL.md': text(name) }])),
        'a/usage': { 'SKILL.md': text('usage') },
      },
      { usage: { label: 'a', skill: 'index' } },
    );
    for (const name of named) expect(await textAt(methods, `skill://${name}`)).toBe(text(name));
    expect(await textAt(methods, 'skill://a/usage')).toBe(text('usage'));
    expect(await textAt(methods, 'skill://lookup/index')).toBe(text('index'));
  });

  verifies(['C-25'], 'the first of two skills with one name has it, the other one gets an alias', async () => {
    const methods = serving({
      'acme/billing/refunds': refunds,
      'acme/support/refunds': { 'SKILL.md': text('refunds', 'license: Other\n') },
    });
    expect(await textAt(methods, 'skill://refunds')).toBe(refunds['SKILL.md']);
    expect(await textAt(methods, 'skill://acme-support-refunds')).toContain('Other');
  });
});

describe('skill://index.json', () => {
  verifies(['C-1', 'C-4'], 'is right in each form, with the digests of the extension', async () => {
    const methods = serving();
    const document = (await jsonAt(methods, 'skill://index.json')) as {
      $schema: string;
      skills: Record<string, unknown>[];
    };
    expect(document.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    const { skills: listed } = await methods.listSkills({}, modern);
    expect(document.skills.map(({ uri, frontmatter, resources }) => ({ uri, frontmatter, resources }))).toEqual(listed);
    const entry = document.skills.find(({ name }) => name === 'git-workflow');
    expect(entry).toMatchObject({
      name: 'git-workflow',
      type: 'skill-md',
      url: 'skill://git-workflow/SKILL.md',
      digest: f1.digest,
      archives: [{ url: 'skill://git-workflow.tar.gz', mimeType: 'application/gzip' }],
    });
    const { refused: bad, skills: decoded } = decodeSkillIndex(document);
    expect(bad).toEqual([]);
    expect(decoded.map(({ verified }) => verified)).toEqual(['full', 'full', 'full', 'full']);
  });

  verifies(['C-2'], 'has archive entries if asked for, after those of skills', async () => {
    const { skills: entries } = (await jsonAt(serving(skills, { archiveEntries: true }), 'skill://index.json')) as {
      skills: Record<string, unknown>[];
    };
    const types = entries.filter(({ name }) => name === 'git-workflow').map(({ type }) => type);
    expect(types).toEqual(['skill-md', 'archive']);
    expect(entries.some((entry) => entry['type'] === 'archive' && 'frontmatter' in entry)).toBe(false);
    expect(decodeSkillIndex({ skills: entries }).skills).toHaveLength(4);
  });

  verifies(['C-3'], 'has templates of the source as entries without frontmatter', async () => {
    const source = memorySource({ ...skills });
    const catalog = createCatalog({
      ...source,
      templates: async () => [
        { uriTemplate: 'skill://docs/{product}/SKILL.md', name: 'docs', description: 'Documentation per product' },
        { uriTemplate: 'not a template', name: 'x', description: 'x' },
      ],
    });
    const methods = createSkillMethods(catalog, {});
    const { skills: entries } = (await jsonAt(methods, 'skill://index.json')) as { skills: unknown[] };
    expect(entries.at(-1)).toEqual({
      type: 'mcp-resource-template',
      description: 'Documentation per product',
      url: 'skill://docs/{product}/SKILL.md',
    });
    expect(entries).toHaveLength(5);
  });
});

test.each([
  [{ indexTemplates: true }, ['skill://acme/billing/{skill}/SKILL.md', 'skill://outer/{skill}/SKILL.md']],
  [{}, []],
  [{ indexTemplates: true, dialects: ['skill-index'] as const }, []],
])('the index has the listed folder templates if asked for: %j', async (options, expected) => {
  const methods = serving(skills, options);
  const { skills: entries } = (await jsonAt(methods, 'skill://index.json')) as { skills: Record<string, unknown>[] };
  const templates = entries.filter(({ type }) => type === 'mcp-resource-template');
  expect(templates.map(({ url }) => url)).toEqual(expected);
  expect(templates.every(({ description }) => String(description).startsWith('One of 1 skill'))).toBe(true);
  const { resourceTemplates } = await methods.listResourceTemplates({}, modern);
  const listed = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  expect(listed).toEqual(expect.arrayContaining(expected));
  const { skills: read, templates: completed } = decodeSkillIndex({ skills: entries });
  expect([read.length, completed.length]).toEqual([4, expected.length]);
});

describe('resources/list', () => {
  const uris = async (options: DialectOptions, params = {}): Promise<string[]> =>
    (await serving(skills, options).listResources(params, modern)).resources.map(({ uri }) => uri);
  const entryPoints = [
    'skill://acme/billing/refunds/SKILL.md',
    'skill://git-workflow/SKILL.md',
    'skill://outer/SKILL.md',
    'skill://outer/inner/SKILL.md',
  ];

  verifies(['C-23', 'list:scoped'], 'has skills and the index, and fewer or more by configuration', async () => {
    expect(await uris({})).toEqual([...entryPoints, 'skill://index.json'].sort());
    expect(await uris({ dialects: 'none' })).toEqual(entryPoints);
    expect(await uris({ listIndex: false })).toEqual(entryPoints);
    expect(await uris({}, { uri: 'skill://' })).toEqual(entryPoints);
    expect(await uris({}, { uri: 'skill://git-workflow/' })).toEqual([
      'skill://git-workflow/SKILL.md',
      'skill://git-workflow/assets/raw.bin',
      'skill://git-workflow/references/GUIDE.md',
    ]);
    expect(await uris({ dialects: ['fastmcp'] }, { uri: 'skill://git-workflow/' })).toEqual(entryPoints);
    expect(await uris({ resources: 'all-files' })).toContain('skill://git-workflow/assets/raw.bin');
  });

  test('lists aliases if asked for, and all can be read', async () => {
    const methods = serving(skills, { listAliases: true, usage: { label: 'house', skill: 'outer' } });
    const { resources } = await methods.listResources({}, modern);
    const shown = resources.map(({ uri }) => uri);
    for (const uri of [
      'skill://git-workflow/_manifest',
      'skill://git-workflow',
      'skill://git-workflow/',
      'skill://refunds/documents',
      'skill://index',
      'skill://prompt-xml',
      'skill://house/usage',
    ])
      expect(shown).toContain(uri);
    for (const uri of shown) expect(await refused(methods, uri)).toBe('answered');
  });

  test('can be read page by page over rows of all kinds', async () => {
    const methods = createSkillMethods(createCatalog(memorySource({ ...skills })), {
      listAliases: true,
      resources: 'all-files',
      pages: { entries: 1, bytes: 100_000 },
    });
    const seen: string[] = [];
    for (let cursor: string | undefined; seen.length < 100; ) {
      const { resources, nextCursor } = await methods.listResources(cursor === undefined ? {} : { cursor }, legacy);
      seen.push(...resources.map(({ uri }) => uri));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(['skill://git-workflow/', 'skill://index', 'skill://index.json']));
  });

  test('shows frontmatter in _meta if asked for', async () => {
    const { resources } = await serving(skills, { frontmatterMeta: true }).listResources({}, modern);
    expect(resources.find(({ name }) => name === 'refunds')).toMatchObject({
      _meta: { 'io.modelcontextprotocol.skills/license': 'MIT' },
    });
    expect(resources.find(({ name }) => name === 'git-workflow')).not.toHaveProperty('_meta');
  });
});

describe('disabled dialects', () => {
  const addresses: Readonly<Record<string, readonly string[]>> = {
    'skill-index': ['skill://index.json'],
    archives: ['skill://git-workflow.tar.gz', 'skill://git-workflow.zip'],
    fastmcp: ['skill://git-workflow/_manifest'],
    skilljack: ['skill://git-workflow/', 'skill://refunds/templates/a%20b.md'],
    'skills-over-mcp': ['skill://index', 'skill://prompt-xml', 'skill://git-workflow/documents'],
    nimblebrain: ['skill://house/usage'],
  };
  test.each(Object.entries(addresses))('With only %s, its own addresses answer and no others', async (id, own) => {
    const dialects = servedDialects.filter((one) => one === id);
    const methods = serving(skills, { dialects, usage: { label: 'house', skill: 'outer' } });
    for (const uri of Object.values(addresses).flat())
      expect([uri, await refused(methods, uri)]).toEqual([uri, own.includes(uri) ? 'answered' : 'FILE_NOT_FOUND']);
  });

  test('the default includes every address that is only read', () => {
    expect(servedDialects.filter((id) => !defaultDialects.includes(id))).toEqual(['skilljack-tools', 'sep-2076']);
  });
});
