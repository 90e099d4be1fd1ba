/** Two servers on one PostgreSQL: tokens and decisions of a command count on both, and a dead database stops nobody who reads. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { type PostgresServer, postgresServer, postgresTest as test } from '../postgres-server.ts';
import { listeningAt } from '../served-folder.ts';
import { type CliFolder, type CliProcess, type CliResult, cliFolder, skillText } from './cli-process.ts';

const uri = 'skill://docs/review/SKILL.md';
const named = ['--config', 'skillwire.json'];
let server: PostgresServer;
let folder: CliFolder;
let running: CliProcess[] = [];
let clusters = 0;

beforeAll(async () => {
  server = await postgresServer();
}, 120_000);
afterAll(() => server?.remove());

beforeEach(() => {
  folder = cliFolder();
  configure();
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  for (const { ended } of running) await ended;
  running = [];
  folder.remove();
});

function configure(store: object = {}): void {
  folder.write({
    'skills/review/SKILL.md': skillText('review'),
    'skillwire.json': JSON.stringify({
      origins: { docs: './skills' },
      policy: { mode: 'approved-only' },
      profiles: { staff: {} },
      store: { postgres: `\${DATABASE_URL}`, cluster: `e2e-${++clusters}`, ...store },
    }),
  });
}

const environment = (): Record<string, string> => ({ DATABASE_URL: server.url() });
const run = (...argv: readonly string[]): Promise<CliResult> => folder.run(argv, environment());

async function approve(): Promise<CliResult> {
  const setDigest = await eventually(async () => {
    const { stdout } = await run('waiting', '--json', ...named);
    const found = /"setDigest": ?"(sha256:[0-9a-f]{64})"/.exec(stdout)?.[1];
    expect(found, stdout).toBeDefined();
    return found ?? '';
  });
  return run('approve', 'docs', 'review', '--yes', setDigest, ...named);
}

async function replica(id: string): Promise<string> {
  const argv = ['serve', ...named, '--http', '0', '--json', '--replica', id, '--state', `${folder.path}/${id}`];
  const started = folder.start(argv, environment());
  running.push(started);
  return (await listeningAt(started)).mcp;
}

const statusOf = async (mcp: string, token?: string): Promise<number> => {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return (await fetch(mcp, { method: 'POST', headers, body: '{}' })).status;
};

async function reads(mcp: string, token: string): Promise<string> {
  return JSON.stringify(await modern(mcp, 'resources/read', { uri }, { authorization: `Bearer ${token}` }));
}

test('two replicas share tokens, approvals and denials', async () => {
  const [one, two] = [await replica('one'), await replica('two')];
  const added = await run('token', 'add', 'alice', '--profile', 'staff', ...named);
  expect(added.exitCode, added.stderr).toBe(0);
  const token = /skw_\S+/.exec(added.stdout)?.[0] ?? '';
  for (const mcp of [one, two]) {
    expect(await statusOf(mcp)).toBe(401);
    expect(await statusOf(mcp, token)).not.toBe(401);
    expect(await reads(mcp, token)).not.toContain('Do it.');
  }
  const approved = await approve();
  expect(approved.exitCode, approved.stderr).toBe(0);
  expect(approved.stderr).toContain('Done on 2 of 2 replicas.');
  for (const mcp of [one, two]) expect(await reads(mcp, token)).toContain('Do it.');
  const denied = await run('deny', 'add', '--match', 'docs/*', '--reason', 'a test', ...named);
  expect(denied.exitCode, denied.stderr).toBe(0);
  for (const mcp of [one, two]) expect(await reads(mcp, token)).not.toContain('Do it.');
  expect((await run('token', 'revoke', 'alice', ...named)).exitCode).toBe(0);
  for (const mcp of [one, two]) expect(await statusOf(mcp, token)).toBe(401);
});

test('a database that is away: readers notice nothing, writers get an error, and both work again afterwards', async () => {
  const mcp = await replica('one');
  const token = /skw_\S+/.exec((await run('token', 'add', 'bob', '--profile', 'staff', ...named)).stdout)?.[0] ?? '';
  expect((await approve()).exitCode).toBe(0);
  await eventually(async () => expect(await reads(mcp, token)).toContain('Do it.'));
  await server.kill();
  try {
    for (let turn = 0; turn < 20; turn += 1) expect(await reads(mcp, token)).toContain('Do it.');
    const refused = await run('token', 'revoke', 'bob', ...named);
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('cannot be reached')]);
  } finally {
    await server.start();
  }
  expect((await run('token', 'revoke', 'bob', ...named)).exitCode).toBe(0);
  await eventually(async () => expect(await statusOf(mcp, token)).toBe(401));
});

test('a decision that a replica cannot apply is recorded, and not reported as done', async () => {
  const mcp = await replica('one');
  await replica('two');
  const [, two] = running;
  two?.child.kill('SIGSTOP');
  const { exitCode, stdout, stderr } = await run('token', 'add', 'carol', '--profile', 'staff', ...named);
  expect([exitCode, stderr]).toEqual([
    10,
    expect.stringMatching(/Recorded; 1 of 2 replicas confirmed. Missing: two \(last heard \d+ s ago\)/),
  ]);
  expect(await statusOf(mcp, stdout.trim())).not.toBe(401);
  two?.child.kill('SIGCONT');
  await eventually(async () => {
    const again = await run('token', 'add', `dave-${Date.now()}`, '--profile', 'staff', ...named);
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('Done on 2 of 2 replicas.')]);
  });
});

test('a misspelled cluster, an unset variable and an untrusted file are refused', async () => {
  await replica('one');
  configure({ cluster: 'misspelled' });
  const wrong = await run('token', 'list', ...named);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('there is no cluster "misspelled"')]);
  const unset = await folder.run(['token', 'list', ...named]);
  expect([unset.exitCode, unset.stderr]).toEqual([2, expect.stringContaining('"DATABASE_URL"')]);
  const untrusted = await run('token', 'list');
  expect([untrusted.exitCode, untrusted.stderr]).toEqual([
    5,
    expect.stringContaining('store tokens and decisions in a database'),
  ]);
  await folder.trust();
  expect((await run('token', 'list')).stderr).toContain('there is no cluster "misspelled"');
});
