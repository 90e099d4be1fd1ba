/**
 * Every example of the documents that the project was made from, replayed against the built command and our readers. The
 * tables of docs/explanation/founding.md are made from what passed here.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, documents, type Example, type FoundingDocument, type ListedByUs } from '../founding/example.ts';
import { foundingFiles, hubFiles } from '../founding/founding-skills.ts';
import { exposeReview, mdp } from '../founding/mdp.ts';
import { draft, sep2640 } from '../founding/sep-2640.ts';
import { survey } from '../founding/survey.ts';
import { wellKnown } from '../founding/well-known.ts';
import { expectSection, table } from '../generated-section.ts';
import { httpWire, type Wire } from '../peers/clients/wire.ts';
import { standInServers } from '../peers/servers/all-servers.ts';
import { startStandIn } from '../peers/servers/stand-in.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';

const examples: readonly Example[] = [...survey, ...sep2640, ...wellKnown, ...draft, ...mdp];
const passed = new Set<Example>();

let folder: CliFolder;
let bench: Bench;
const ends: (() => Promise<unknown>)[] = [];

interface Served {
  readonly url: string;
  readonly mcp: string;
  readonly wire: Wire;
}

async function serve(...argv: readonly string[]): Promise<Served> {
  const process = folder.start(['serve', ...argv, '--http', '0', '--json']);
  const { url, mcp } = JSON.parse(await process.seen('stdout', /\n/)) as { url: string; mcp: string };
  const wire = await httpWire(mcp);
  ends.push(async () => {
    await wire.close();
    process.child.kill('SIGTERM');
    await process.ended;
  });
  return { url, mcp, wire };
}

async function listStandIn(what: string): Promise<ListedByUs> {
  const row = standInServers.find((one) => one.what === what);
  if (row === undefined) throw new Error(`there is no stand-in "${what}"`);
  const running = await startStandIn(await row.make());
  try {
    const { stdout } = await folder.run(['list', `mcp:${running.url}`, ...(row.options ?? []), '--json']);
    const listed = JSON.parse(stdout) as {
      skills: { name: string; uri: string }[];
      origins: { dialect?: string | { id: string } }[];
    };
    const [origin] = listed.origins;
    return {
      skills: listed.skills,
      dialect: typeof origin?.dialect === 'object' ? origin.dialect.id : (origin?.dialect ?? ''),
    };
  } finally {
    await running.close();
  }
}

beforeAll(async () => {
  folder = cliFolder();
  const below = (root: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]));
  folder.write({ ...below('skills', foundingFiles), ...below('hub', hubFiles) });
  const usual = await serve('./skills');
  const everything = ['--dialects', 'all', '--archive-entries', '--frontmatter-meta', '--usage', 'ipinfo=ip-lookup'];
  const all = await serve(
    './skills',
    ...everything,
    '--mdp',
    '--mdp-forward-header',
    'x-review-scope',
    '--state',
    'state',
  );
  const github = await serve('./hub', '--scheme', 'github', '--experimental-capability');
  const flat = await serve('./skills', '--no-nested', '--resources', 'all-files');
  const runtime = await exposeReview(all.url.replace(/^http/, 'ws'));
  ends.unshift(() => runtime.close());
  bench = {
    wire: usual.wire,
    site: usual.url,
    mcp: usual.mcp,
    all: all.wire,
    allSite: all.url,
    github: github.wire,
    flat: flat.wire,
    file(path) {
      const text = foundingFiles[path];
      if (text === undefined) throw new Error(`no example has the file "${path}"`);
      return Buffer.from(text);
    },
    run: (...argv) => folder.run(argv),
    listStandIn,
  };
}, 120_000);

afterAll(async () => {
  for (const end of ends) await end();
  folder.remove();
}, 60_000);

describe.each(Object.entries(documents))('%s: %s', (id) => {
  test.each(examples.filter(({ document }) => document === id))('$example', async (example) => {
    await example.run(bench);
    passed.add(example);
  });
});

test('an example that differs from its text has a reason and the setting', () => {
  for (const { example, verdict, why, set } of examples)
    expect([example, verdict === 'same', why === undefined, set === undefined]).toEqual([
      example,
      verdict === 'same',
      verdict === 'same',
      verdict === 'same',
    ]);
  expect(new Set(examples.map(({ document, example }) => `${document} ${example}`)).size).toBe(examples.length);
});

const verdicts = { same: 'as written', set: 'by setting', other: 'otherwise' } as const;

test('docs/explanation/founding.md shows every executed example', () => {
  expect(examples.filter((example) => !passed.has(example)).map(({ example }) => example)).toEqual([]);
  for (const [id, title] of Object.entries(documents) as [FoundingDocument, string][]) {
    const rows = examples
      .filter(({ document }) => document === id)
      .map(({ example, verdict, here, why, set }) => [example, verdicts[verdict], here, why, set]);
    const head = ['example', '', 'here', 'why', 'the switch'];
    expectSection('docs/explanation/founding.md', id, `## ${title}\n\n${table(head, rows)}`);
  }
});
