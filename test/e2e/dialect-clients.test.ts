/**
 * One `skillwire serve ./skills --dialects all` and every client of the table at once, over HTTP and over pipes. Our own command reads the
 * same endpoint in each dialect. The tables of docs/reference/dialects.md are what was seen here.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DialectId, dialectIds } from '../../src/dialects/dialect-skill.ts';
import { f1, f2 } from '../dialect-fixtures.ts';
import { eventually } from '../eventually.ts';
import { expectSection, table } from '../generated-section.ts';
import { fastAgent, formC, foundry, goose, mcpc, mcpcList, mcpcUri } from '../peers/clients/index-clients.ts';
import {
  promptsHost,
  readByFolder,
  scopedList,
  sep2076,
  templatePicker,
  toolsHost,
} from '../peers/clients/other-clients.ts';
import { type ReadSkill, readText, type StandInClient } from '../peers/clients/reading.ts';
import {
  fastmcp,
  fastmcpNames,
  nimblebrain,
  skilljackPrompts,
  skilljackResources,
  skilljackTools,
  skillsOverMcp,
} from '../peers/clients/survey-clients.ts';
import { httpWire, stdioWire, type Wire } from '../peers/clients/wire.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';

interface ExpectedSkill {
  readonly skillMd: string;
  readonly files: Readonly<Record<string, string>>;
}

const text = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n# ${name}\n\nSee the files.\n`;

/** The files on the disk, by name. */
const expected: Readonly<Record<string, ExpectedSkill>> = {
  'git-workflow': { skillMd: f1.text, files: { 'references/GUIDE.md': f2.text } },
  refunds: { skillMd: text('refunds', 'tags: [money]\n'), files: { 'templates/a b.md': 'Dear\n' } },
  plain: { skillMd: text('plain'), files: {} },
};

/** How much of that a client gets. */
interface ClientRow {
  readonly client: StandInClient;
  /** Default: all. */
  readonly skills?: readonly string[];
  /** `none`: the client reads `SKILL.md` only. */
  readonly files?: 'all' | 'none';
  /** It gets the text behind the frontmatter. */
  readonly bodyOnly?: boolean;
  readonly remark: string;
}

const clients: readonly ClientRow[] = [
  { client: mcpc, files: 'none', remark: 'list from the index, text by name' },
  { client: goose, remark: 'archives and single files, by digest' },
  { client: fastAgent, remark: 'archives first, by digest' },
  { client: formC, remark: 'every file by digest' },
  { client: foundry, remark: 'both entries as one skill' },
  { client: scopedList, remark: 'files from the scoped list' },
  {
    client: nimblebrain,
    skills: ['git-workflow'],
    files: 'none',
    remark: 'the chosen skill, named in the instructions',
  },
  { client: skilljackResources, remark: 'text and collection' },
  { client: skilljackTools, remark: 'tools "skill" and "skill-resource"' },
  { client: skilljackPrompts, files: 'none', remark: 'prompt "skill" with completion' },
  { client: skillsOverMcp, remark: 'index, prompt-xml, documents, lookup' },
  { client: fastmcp, remark: 'manifest and files, nested paths too' },
  { client: sep2076, bodyOnly: true, remark: 'list and get by name' },
  { client: templatePicker, skills: ['refunds'], files: 'none', remark: 'a folder of skills, picked by completion' },
  { client: toolsHost, remark: 'list_skills, load_skill, read_skill_file' },
  { client: promptsHost, files: 'none', remark: 'a prompt for each skill' },
];

const flags = ['--dialects', 'all', '--archive-entries', '--usage', 'house=git-workflow'];

let folder: CliFolder;
let url = '';
let stop: () => Promise<void>;

async function serve(more: readonly string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const process = folder.start(['serve', './skills', '--http', '0', '--json', ...more]);
  const { mcp } = JSON.parse(await process.seen('stdout', /\n/)) as { mcp: string };
  return {
    url: mcp,
    async stop() {
      process.child.kill('SIGTERM');
      await process.ended;
    },
  };
}

beforeAll(async () => {
  folder = cliFolder();
  folder.write({
    'skills/git-workflow/SKILL.md': f1.text,
    'skills/git-workflow/references/GUIDE.md': f2.text,
    'skills/acme/billing/refunds/SKILL.md': text('refunds', 'tags: [money]\n'),
    'skills/acme/billing/refunds/templates/a b.md': 'Dear\n',
    'skills/plain/SKILL.md': text('plain'),
  });
  ({ url, stop } = await serve(flags));
}, 60_000);

afterAll(async () => {
  await stop?.();
  folder.remove();
});

function bodyOf(skillMd: string): string {
  return skillMd.slice(skillMd.indexOf('\n---\n') + 5);
}

/** Compares the files of a client with the disk, and returns their number. */
function check(
  { client, skills = Object.keys(expected), files = 'all', bodyOnly = false }: ClientRow,
  got: readonly ReadSkill[],
) {
  const names = got.map(({ name }) => name).sort();
  expect([client.name, names]).toEqual([client.name, [...skills].sort()]);
  let count = 0;
  for (const { name, skillMd, files: read } of got) {
    const wanted = expected[name];
    if (wanted === undefined) throw new Error(`${client.name} got ${name}`);
    expect(skillMd).toBe(bodyOnly ? bodyOf(wanted.skillMd) : wanted.skillMd);
    const own = [...(read ?? [])].filter(([path]) => path !== 'SKILL.md');
    const texts = Object.fromEntries(own.map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]));
    // Single files are fetched by readers of archives only where there is one file.
    if (files === 'all') expect(texts).toEqual(read === undefined ? {} : wanted.files);
    count += 1 + own.length;
  }
  return { skills: got.length, files: count };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

async function readBy(row: ClientRow, open: () => Promise<Wire>): Promise<{ skills: number; files: number }> {
  const wire = await open();
  try {
    return check(row, await row.client.read(wire));
  } finally {
    await wire.close();
  }
}

describe('one endpoint with all dialects', () => {
  test('is read by every client simultaneously, over HTTP', async () => {
    const rows = await Promise.all(clients.map(async (row) => ({ row, seen: await readBy(row, () => httpWire(url)) })));
    const lines = rows.map(({ row: { client, remark }, seen }) => [
      client.name,
      client.dialect,
      `${counted(seen.skills, 'skill')}, ${counted(seen.files, 'file')}`,
      remark,
      client.facts,
    ]);
    expectSection(
      'docs/reference/dialects.md',
      'clients',
      table(['client', 'needs', 'read of 3 skills with 5 files', 'how', 'facts from'], lines),
    );
  });

  test('is read by every client over pipes', async () => {
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const argv = [main, 'serve', `${folder.path}/skills`, '--stdio', '--no-cache', ...flags];
    for (const row of [clients[0], clients[1], ...clients.slice(7, 13)])
      if (row !== undefined) await readBy(row, () => stdioWire(process.execPath, argv));
  }, 120_000);

  test('uses only the extension for a client that declares it', async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/skills': {} } };
    const wire = await httpWire(url, { capabilities });
    const { skills } = (await wire.request('skills/list')) as { skills: Record<string, unknown>[] };
    for (const entry of skills) expect(Object.keys(entry).sort()).toEqual(['frontmatter', 'resources', 'uri']);
    expect(await wire.request('tools/list')).toEqual({ tools: [] });
    expect(await wire.request('prompts/list')).toEqual({ prompts: [] });
    await wire.close();
    const other = await httpWire(url);
    const { tools } = (await other.request('tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual([
      'list_skills',
      'load_skill',
      'read_skill_file',
      'skill',
      'skill-resource',
    ]);
    await other.close();
  });

  test('notifies clients that follow the index, a manifest, a collection or everything', async () => {
    const wire = await httpWire(url);
    const followed = [
      'skill://index.json',
      'skill://index',
      'skill://',
      'skill://plain',
      'skill://plain/',
      'skill://plain/_manifest',
      'skill://plain.zip',
      'skill://git-workflow/_manifest',
    ];
    for (const uri of followed) await wire.request('resources/subscribe', { uri });
    await expect(wire.request('resources/subscribe', { uri: 'skill://none/_manifest' })).rejects.toThrow(/-32002/);
    folder.write({ 'skills/plain/note.md': 'New\n' });
    await eventually(() => {
      const updated = wire.notifications
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map(({ params }) => params['uri']);
      expect(new Set(updated)).toEqual(new Set(followed.slice(0, -1)));
    });
    const methods = new Set(wire.notifications.map(({ method }) => method));
    for (const list of ['resources', 'tools', 'prompts', 'skills'])
      expect(methods).toContain(`notifications/${list}/list_changed`);
    await wire.close();
  });
});

/** The results of our own reader on our own server, dialect by dialect. */
const ownReader: Readonly<Record<DialectId, { readonly skills: readonly string[]; readonly remark?: string }>> = {
  'skills-extension': { skills: ['git-workflow (full)', 'plain (full)', 'refunds (full)'] },
  'skill-index': { skills: ['git-workflow (full)', 'plain (full)', 'refunds (full)'] },
  'sep-2076': {
    skills: ['git-workflow (none)', 'plain (none)', 'refunds (none)'],
    remark: 'asked without declaring the extension (C-11)',
  },
  fastmcp: { skills: ['git-workflow (full)', 'plain (full)', 'refunds (full)'] },
  'skills-over-mcp': { skills: ['git-workflow (none)', 'plain (none)', 'refunds (none)'] },
  skilljack: { skills: ['git-workflow (none)', 'plain (none)', 'refunds (none)'] },
  nimblebrain: { skills: ['git-workflow (none)'], remark: 'the one of `--usage`' },
  'resource-list': { skills: ['git-workflow (none)', 'plain (none)', 'refunds (none)'] },
  'resource-templates': { skills: [], remark: 'templates list no skills; `skillwire templates` completes them' },
  instructions: { skills: [], remark: 'the instructions name no skill by its URI' },
};

test('the same endpoint is read by our command in each dialect', async () => {
  const { url: own, stop: end } = await serve([...flags, '--list-aliases']);
  const rows: (string | undefined)[][] = [];
  for (const id of dialectIds) {
    const { stdout } = await folder.run(['list', `mcp:${own}`, '--dialect', id, '--json']);
    const { skills } = JSON.parse(stdout) as { skills: { name: string; verified?: string }[] };
    const seen = skills.map(({ name, verified = '?' }) => `${name} (${verified})`).sort();
    const { skills: wanted, remark } = ownReader[id];
    expect([id, seen]).toEqual([id, wanted]);
    rows.push([`\`${id}\``, seen.join(', ') || 'none', remark]);
  }
  const { stdout } = await folder.run(['list', `mcp:${own}`, '--json']);
  expect((JSON.parse(stdout) as { origins: { dialect: string }[] }).origins[0]?.dialect).toBe('skills-extension');
  expectSection('docs/reference/dialects.md', 'own', table(['dialect', 'skills (how far each is verified)', ''], rows));
  await end();
}, 120_000);

describe('mcpc', () => {
  test('finds skills without an index by scanning the resources', async () => {
    const { url: bare, stop: end } = await serve(['--dialects', 'none']);
    const wire = await httpWire(bare);
    expect(await mcpcList(wire)).toContainEqual({
      name: 'refunds',
      description: 'About refunds.',
      type: 'skill-md',
      url: 'skill://acme/billing/refunds/SKILL.md',
    });
    await wire.close();
    await end();
  });

  test('resolves names, paths and folders like mcpc', async () => {
    const wire = await httpWire(url);
    for (const name of ['git-workflow', 'skill://git-workflow', 'skill://git-workflow/', '/git-workflow/'])
      expect(await readText(wire, mcpcUri(name))).toBe(f1.text);
    expect(await readText(wire, mcpcUri('/acme/billing/refunds/'))).toBe(expected['refunds']?.skillMd);
    await wire.close();
  });
});

describe('by configuration', () => {
  test('--list-aliases and --resources all-files list readable resources', async () => {
    const { url: open, stop: end } = await serve(['--list-aliases', '--resources', 'all-files']);
    const wire = await httpWire(open);
    const { resources } = (await wire.request('resources/list')) as { resources: { uri: string }[] };
    const uris = resources.map(({ uri }) => uri);
    for (const uri of [
      'skill://plain/_manifest',
      'skill://plain',
      'skill://index',
      'skill://acme/billing/refunds/templates/a%20b.md',
    ])
      expect(uris).toContain(uri);
    for (const uri of uris) await wire.request('resources/read', { uri });
    await wire.close();
    await end();
  });

  test('--scheme publishes under a scheme of the server, and the index uses it', async () => {
    const { url: own, stop: end } = await serve(['--scheme', 'github', '--experimental-capability']);
    const wire = await httpWire(own);
    expect(wire.capabilities['experimental']).toEqual({ 'io.modelcontextprotocol/skills': { directoryRead: true } });
    const { skills } = (await wire.request('skills/list')) as {
      skills: { uri: string; resources: { uri: string }[] }[];
    };
    expect(skills.map(({ uri }) => uri)).toContain('github://acme/billing/refunds/SKILL.md');
    const uri = 'github://git-workflow/SKILL.md';
    expect(await readText(wire, uri)).toBe(f1.text);
    const got = (await wire.request('skills/get', { uri })) as { skill: { uri: string } };
    expect(got.skill.uri).toBe(uri);
    await expect(wire.request('skills/get', { uri: 'skill://git-workflow/SKILL.md' })).rejects.toThrow(/-32602/);
    const { resources } = (await wire.request('resources/list')) as { resources: { uri: string }[] };
    expect(resources.map((row) => row.uri).filter((one) => one.startsWith('skill://'))).toEqual(['skill://index.json']);
    const index = JSON.parse(await readText(wire, 'skill://index.json')) as {
      skills: { url: string; archives?: { url: string }[] }[];
    };
    for (const { url: entry, archives = [] } of index.skills)
      for (const one of [entry, ...archives.map((archive) => archive.url)]) {
        expect(one).toMatch(/^github:\/\//);
        await wire.request('resources/read', { uri: one });
      }
    const children = (await wire.request('resources/directory/read', { uri: 'github://git-workflow' })) as {
      resources: { uri: string }[];
    };
    expect(children.resources[0]?.uri).toBe(uri);
    await wire.close();
    await end();
  });

  test('a folder with another name than its skill is readable under both', async () => {
    folder.write({ 'odd/acme/billing/refunds/SKILL.md': text('refund-handling') });
    const process = folder.start(['serve', './odd', '--http', '0', '--json']);
    const { mcp } = JSON.parse(await process.seen('stdout', /\n/)) as { mcp: string };
    const wire = await httpWire(mcp);
    expect(await readByFolder(wire, 'acme/billing/refunds')).toBe(text('refund-handling'));
    expect(await fastmcpNames(wire)).toEqual(['acme/billing/refunds/refund-handling']);
    await wire.close();
    process.child.kill('SIGTERM');
    await process.ended;
  });

  test.each([
    [['--dialects', 'skill-index,telepathy'], /--dialects does not know "telepathy"/],
    [['--fallback', 'songs'], /--fallback does not know "songs"/],
    [['--usage', 'Not A Label'], /--usage "Not A Label" is not LABEL=SKILL/],
    [['--scheme', 'https'], /--scheme "https" cannot be used/],
    [['--resources', 'some'], /--resources/],
  ] as const)('%j is refused with the correct form', async (argv, message) => {
    const { exitCode, stderr } = await folder.run(['serve', './skills', ...argv]);
    expect({ exitCode, said: message.test(stderr) }).toEqual({ exitCode: 2, said: true });
  });
});
