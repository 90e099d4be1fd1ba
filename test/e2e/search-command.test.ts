/** `search`, over a folder and over HTTP, and what a server offers to search with. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { type ServedSkills, serveSkills } from './served-skills.ts';

let folder: CliFolder;
let served: ServedSkills;

function text(name: string, description: string, body: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

beforeAll(async () => {
  folder = cliFolder();
  folder.write({
    'skills/pdf-tools/SKILL.md': text('pdf-tools', 'Fills in forms.', '# Signatures\n\nFlatten before sending.'),
    'skills/deploy/SKILL.md': text('deploy', 'Brings a service into production.', 'Watch the canary.'),
    'copies/deploy/SKILL.md': text('deploy', 'Brings a service into production.', 'Watch the canary.'),
    'copies/other/SKILL.md': skillText('other'),
  });
  served = await serveSkills(folder);
});

afterAll(async () => {
  await served.stop();
  folder.remove();
});

interface Found {
  readonly version: number;
  readonly query: string;
  readonly total: number;
  readonly origins: readonly { readonly origin: string; readonly state: string }[];
  readonly hits: readonly {
    readonly origin: string;
    readonly uri: string;
    readonly name: string;
    readonly state: string;
    readonly copies: readonly { readonly origin: string; readonly uri: string }[];
  }[];
}

async function search(...args: string[]): Promise<{ readonly found: Found; readonly exitCode: number | null }> {
  const { stdout, exitCode } = await folder.run(['search', ...args, '--json']);
  return { found: JSON.parse(stdout) as Found, exitCode };
}

describe('skillwire search', () => {
  test('shows the matching skills of a folder, by the texts of their files', async () => {
    const { stdout, stderr, exitCode } = await folder.run(['search', 'flattening', './skills']);
    expect(stdout).toMatch(/^NAME .*\npdf-tools .*Fills in forms\.\n$/);
    expect(stderr).toContain('1 match in 2 skills\n');
    expect(exitCode).toBe(0);
  });

  test('stores no bytes of a folder in the cache', async () => {
    const env = { SKILLWIRE_HOME: join(folder.path, 'fresh-home') };
    const { exitCode } = await folder.run(['search', 'flattening', './skills'], env);
    expect(exitCode).toBe(0);
    const files = existsSync(env.SKILLWIRE_HOME)
      ? readdirSync(env.SKILLWIRE_HOME, { recursive: true }).map(String)
      : [];
    expect(files.filter((file) => /blobs\/sha256\/../.test(file))).toEqual([]);
  });

  test('searches a server by its listing, and fetches no files', async () => {
    expect(await search('forms', served.origin)).toMatchObject({
      exitCode: 0,
      found: { total: 1, hits: [{ name: 'pdf-tools', uri: 'skill://pdf-tools/SKILL.md', state: 'not-approved' }] },
    });
    expect(await search('canary', served.origin)).toMatchObject({ exitCode: 1, found: { total: 0, hits: [] } });
  });

  test('searches texts that an approval stored', async () => {
    const { stdout } = await folder.run(['show', served.origin, 'deploy', '--json']);
    const { setDigest } = JSON.parse(stdout) as { setDigest: string };
    await folder.run(['approve', served.origin, 'deploy', '--yes', setDigest, '--reason', 'test']);
    const { exitCode, found } = await search('canary', served.origin);
    expect([exitCode, found.hits[0]?.name]).toEqual([0, 'deploy']);
  });

  test('shows the same SKILL.md of two origins as one hit', async () => {
    const { found } = await search('production', 'a=./skills', 'b=./copies');
    expect(found.hits).toHaveLength(1);
    expect(found.hits[0]).toMatchObject({
      origin: 'a',
      copies: [{ origin: 'b', uri: 'skill://deploy/SKILL.md' }],
    });
    const { stderr } = await folder.run(['search', 'production', 'a=./skills', 'b=./copies']);
    expect(stderr).toContain('Copies of deploy: b skill://deploy/SKILL.md\n');
  });

  test('respects the limit and prints the total', async () => {
    const { found } = await search('production forms', './skills', '--limit', '1');
    expect([found.total, found.hits.length]).toEqual([2, 1]);
    const { stderr } = await folder.run(['search', 'production forms', './skills', '--limit', '1']);
    expect(stderr).toContain('Best 1 of 2 matches in 2 skills\n');
  });

  test.each([
    [['search'], "Missing required argument 'query'"],
    [['search', '  ', './skills'], 'The query is empty'],
    [['search', 'x', './skills', '--limit', '0'], 'not a number from 1 to 50'],
    [['search', 'x', './skills', '--limit', '51'], 'not a number from 1 to 50'],
    [['search', 'x', './skills', '--limit', 'many'], 'not a number from 1 to 50'],
  ])('%j is wrong usage', async (args, message) => {
    const { stderr, exitCode } = await folder.run(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('exits with 1 if nothing matches, 4 if the origin is unreachable, 6 if another one answers', async () => {
    const { stderr, exitCode } = await folder.run(['search', 'horses', './skills']);
    expect([exitCode, stderr]).toEqual([1, 'No match in 2 skills. Try other words.\n']);
    const gone = 'gone=mcp:http://127.0.0.1:9/mcp';
    expect((await search('forms', gone)).exitCode).toBe(4);
    expect(await search('forms', './skills', gone)).toMatchObject({ exitCode: 6, found: { total: 1 } });
  });
});

test('serve --search offers models the tool, serve without it does not', async () => {
  const searching = folder.start(['serve', './skills', '--search', '--http', '0', '--json']);
  try {
    const { mcp } = JSON.parse(await searching.seen('stdout', /\n/)) as { mcp: string };
    expect((await modern(mcp, 'tools/list')).result).toMatchObject({ tools: [{ name: 'search_skills' }] });
    const without = await modern(served.origin.slice('mcp:'.length), 'tools/list');
    expect(without.result).toMatchObject({ tools: [] });
  } finally {
    searching.child.kill();
    await searching.ended;
  }
});

test('a server with a search is asked, because it knows its texts', async () => {
  folder.write({
    'wide/deploy/SKILL.md': text('deploy', 'Brings a service into production.', 'Watch the canary.'),
  });
  const searching = folder.start(['serve', './wide', '--search', '--http', '0', '--json']);
  try {
    const { mcp } = JSON.parse(await searching.seen('stdout', /\n/)) as { mcp: string };
    const origin = `mcp:${mcp}`;
    const env = { SKILLWIRE_HOME: join(folder.path, 'asking-home') };
    const canary = await folder.run(['search', 'canary', origin], env);
    expect(canary.stdout).toMatch(/\ndeploy /);
    expect(canary.stderr).toContain(`1 match by the search of ${origin}`);
    const both = await folder.run(['search', 'canary', origin, './skills', '--json'], env);
    expect(JSON.parse(both.stdout).origins.map((one: { searchedBy: string }) => one.searchedBy)).toEqual([
      'server',
      'listing',
    ]);
  } finally {
    searching.child.kill();
    await searching.ended;
  }
});

test('a skill that can no longer be read is found by its description', async () => {
  const own = cliFolder();
  own.write({ 'skills/a/SKILL.md': text('a', 'Rides horses.', 'Canter.'), 'skills/b/SKILL.md': skillText('b') });
  expect((await own.run(['search', 'horses', './skills'])).exitCode).toBe(0);
  rmSync(join(own.path, 'skills/a'), { recursive: true });
  expect((await own.run(['search', 'horses', './skills'])).exitCode).toBe(1);
  own.remove();
});
