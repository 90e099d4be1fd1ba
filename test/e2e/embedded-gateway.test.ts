/**
 * A program of ten lines serves a configuration as the command does. `skillwire serve --config` and
 * `examples/library/serve-configuration.ts` run side by side on one configuration and one state. Every surface of both gets the
 * same requests in the same order, and the answers are the same bytes. Then the file is changed, and both reload to the same
 * answers.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ask, get, type Heard, listings, modern, questions } from '../contract/access-requests.ts';
import { eventually } from '../eventually.ts';
import { listeningAt } from '../served-folder.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Only the values that must differ between two servers. */
const replacements: readonly (readonly [what: string, pattern: RegExp, by: string])[] = [
  ['the port of the server', /(127\.0\.0\.1|localhost):\d{4,5}/g, '$1:PORT'],
  ['the id of a session', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
  ['times', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  ['how long an origin took', /"ms":[\d.]+/g, '"ms":MS'],
  [
    'what is left of the time for which a remote listing is fresh',
    /"ttlMs":(?!0\b|60000\b|300000\b)\d+/g,
    '"ttlMs":LEFT',
  ],
  ['measures of the process', /^(?:process|nodejs)_.*\n?/gm, ''],
  ['durations', /^(\S*seconds\S*) .*$/gm, '$1 SECONDS'],
];

const same = (text: string): string =>
  replacements.reduce((replaced, [, pattern, by]) => replaced.replaceAll(pattern, by), text);

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

let folder: CliFolder;
let upstream: Server;
let command: Server;
let program: Server;
const tokens: Record<string, string | undefined> = {};

async function startCommand(argv: readonly string[]): Promise<Server> {
  const started = folder.start(['serve', ...argv, '--http', '127.0.0.1:0', '--json']);
  const { url } = await listeningAt(started);
  return {
    url,
    async stop() {
      started.child.kill();
      await started.ended;
    },
  };
}

/** The example as it is in the documentation, in a project that has the package. */
async function startProgram(): Promise<Server> {
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(project, join(folder.path, 'node_modules/skillwire'), 'junction');
  copyFileSync(join(project, 'examples/library/serve-configuration.ts'), join(folder.path, 'program.mjs'));
  const { PATH = '', SystemRoot = '' } = process.env;
  const child = spawn(process.execPath, ['program.mjs'], {
    cwd: folder.path,
    env: {
      PATH,
      SystemRoot,
      HOME: folder.path,
      USERPROFILE: folder.path,
      SKILLWIRE_HOME: join(folder.path, 'no-home'),
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = await Promise.race([
    eventually(() => {
      const found = /skills at (http:\S+)\/mcp/.exec(stdout)?.[1];
      if (found === undefined) throw new Error(`not ready: ${stdout}${errors}`);
      return found;
    }, 400),
    ended.then(() => {
      throw new Error(`ended: ${stdout}${errors}`);
    }),
  ]);
  return {
    url,
    async stop() {
      child.kill();
      expect(await ended, errors).toBe(0);
    },
  };
}

const configuration = (more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    origins: {
      docs: './content',
      web: { site: upstream.url },
      tools: { mcp: `${upstream.url}/mcp` },
    },
    rules: [{ match: 'docs/hidden/', listed: false }],
    profiles: { writers: { origins: ['docs'] }, everything: {} },
    policy: { mode: 'approved-only' },
    ...more,
  });

/** One that is approved, one that waits, one that is denied, and one of each remote origin. */
const uris = [
  { path: 'docs/refunds', name: 'refunds' },
  { path: 'docs/waiting', name: 'waiting' },
  { path: 'docs/denied', name: 'denied' },
  { path: 'docs/hidden/plan', name: 'plan' },
  { path: 'web/style', name: 'style' },
  { path: 'tools/style', name: 'style' },
].map((skill) => ({ ...skill, file: 'steps.md', artifact: `sha256-${'0'.repeat(64)}.tar.gz` }));

/** Requests about the server itself. */
const own: Readonly<Record<string, Ask>> = Object.fromEntries(
  [
    ...['/', '/healthz', '/readyz', '/status', '/metrics', '/nothing', '/favicon.svg'],
    ...['', '/hosts', '/origins', '/queue', '/runtimes', '/templates', '/audit', '/nothing'].map((at) => `/api${at}`),
    '/.well-known/oauth-protected-resource/mcp',
  ].map((path) => [`GET ${path}`, get(path)]),
);

const all: readonly (readonly [name: string, ask: Ask])[] = [
  ...Object.entries(listings(['refunds', 'style'])),
  ...uris.flatMap((skill) =>
    Object.entries(questions(skill)).map(([name, ask]): [string, Ask] => [`${name} of ${skill.path}`, ask]),
  ),
  ['tools/call without a tool', modern('tools/call', { name: 'none', arguments: {} }, 'none')],
  ...Object.entries(own),
];

function answer({ status, headers, body }: Heard): string {
  const comparable = same(body);
  const lines = Object.entries(headers)
    // The length and the tag follow from the body; they differ only if something of the table is in it.
    .filter(([name]) => comparable === body || (name !== 'content-length' && name !== 'etag'))
    .map(([name, value]) => `${name}: ${same(value)}`);
  return [String(status), ...lines.sort(), '', comparable].join('\n');
}

/** The same request to both, so that counters stay equal. */
async function askBoth(ask: Ask, token: string | undefined): Promise<readonly [theirs: Heard, ours: Heard]> {
  return [await ask({ url: command.url, token }), await ask({ url: program.url, token })];
}

/** Asks both everything. Origins are asked for changes at other moments, so a difference counts only if it lasts. */
async function compare(profile: string): Promise<ReadonlyMap<string, number>> {
  const statuses = new Map<string, number>();
  for (const [name, ask] of all) {
    let [theirs, ours] = await askBoth(ask, tokens[profile]);
    for (let attempt = 0; answer(ours) !== answer(theirs) && attempt < 3; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      [theirs, ours] = await askBoth(ask, tokens[profile]);
    }
    expect.soft(answer(ours), `${name}, for ${profile}`).toBe(answer(theirs));
    statuses.set(name, ours.status);
  }
  return statuses;
}

async function approve(label: string, name: string): Promise<void> {
  const digest = await eventually(async () => {
    const { waiting } = JSON.parse((await folder.run(['waiting', '--json'])).stdout) as {
      waiting: { origin: string; name: string; setDigest: string }[];
    };
    const found = waiting.find((skill) => skill.origin === label && skill.name === name);
    if (found === undefined) throw new Error(`${label}/${name} does not wait: ${JSON.stringify(waiting)}`);
    return found.setDigest;
  }, 200);
  const approved = await folder.run(['approve', label, name, '--yes', digest]);
  expect(approved.exitCode, approved.stderr).toBe(0);
}

/** Waits until both list what is expected. */
async function bothList(expected: RegExp): Promise<void> {
  await eventually(async () => {
    const answers = await askBoth(modern('skills/list'), tokens['everything']);
    for (const { body } of answers) expect(body).toMatch(expected);
  }, 200);
}

beforeAll(async () => {
  folder = cliFolder();
  folder.write({
    'content/refunds/SKILL.md': skillText('refunds', 'Within 30 days.\n'),
    'content/refunds/steps.md': '# Steps\n',
    'content/waiting/SKILL.md': skillText('waiting'),
    'content/denied/SKILL.md': skillText('denied'),
    'content/hidden/plan/SKILL.md': skillText('plan'),
    'upstream/style/SKILL.md': skillText('style', 'Short sentences.\n'),
    'upstream/style/steps.md': '# Steps\n',
  });
  upstream = await startCommand(['./upstream']);
  folder.write({ 'skillwire.json': configuration() });
  await folder.trust();
  command = await startCommand(['--config', 'skillwire.json']);
  for (const [label, name] of [
    ['docs', 'refunds'],
    ['docs', 'denied'],
    ['docs', 'plan'],
    ['web', 'style'],
    ['tools', 'style'],
  ] as const)
    await approve(label, name);
  expect((await folder.run(['deny', 'add', '--match', 'docs/denied', '--reason', 'INC-7'])).exitCode).toBe(0);
  for (const [profile, ...rights] of [['writers'], ['everything', '--operator', '--approver']] as const) {
    const added = await folder.run(['token', 'add', profile, '--profile', profile, ...rights]);
    tokens[profile] = added.stdout.trim();
  }
  // Both start on what was decided, and have been asked nothing yet.
  await command.stop();
  command = await startCommand(['--config', 'skillwire.json']);
  program = await startProgram();
}, 240_000);

afterAll(async () => {
  await Promise.all([command?.stop(), program?.stop(), upstream?.stop()]);
  folder.remove();
});

test('both serve approved skills, and nothing else', async () => {
  await bothList(/skill:\/\/docs\/refunds\/.*skill:\/\/tools\/style\/.*skill:\/\/web\/style\//);
  for (const { body } of await askBoth(modern('skills/list'), tokens['everything']))
    expect(body).not.toMatch(/waiting|denied|plan/);
});

test('both answer the same to callers without a token, and to those of each profile', async () => {
  for (const profile of ['nobody', 'writers']) await compare(profile);
  const statuses = await compare('everything');
  for (const name of [
    ...['initialize', 'server/discover', 'skills/list', 'the tool search_skills', 'GET /api/search'],
    ...['the index of v0.2', 'the index of v0.1', 'a file of v0.2 of docs/refunds', 'a file of v0.1 of docs/refunds'],
    ...['an archive by name of docs/refunds', 'skills/get of web/style', 'resources/read of a file of tools/style'],
    ...['the rows of the page', 'the page about it of docs/waiting', 'GET /api/queue', 'GET /api/origins'],
    ...['GET /', 'GET /healthz', 'GET /readyz', 'GET /status', 'GET /metrics'],
  ])
    expect.soft(statuses.get(name), name).toBe(200);
}, 180_000);

test('both reload a changed file to the same answers', async () => {
  folder.write({ 'skillwire.json': configuration({ rules: [], profiles: { writers: {}, everything: {} } }) });
  await bothList(/skill:\/\/docs\/hidden\/plan\//);
  for (const profile of ['nobody', 'writers', 'everything']) await compare(profile);
  const [, { body }] = await askBoth(get('/status'), tokens['everything']);
  expect(JSON.parse(body)).toMatchObject({ configuration: { applied: 1, refused: 0 } });
}, 180_000);
