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
  const revoked = await run('token', 'revoke', 'alice', '--json', ...named);
  expect(revoked.exitCode, revoked.stderr).toBe(0);
  expect(JSON.parse(revoked.stdout)).toMatchObject({
    confirmation: { done: true, confirmed: ['one', 'two'], missing: [] },
  });
  for (const mcp of [one, two]) expect(await statusOf(mcp, token)).toBe(401);
});

test('the page reports on how many replicas a decision took effect', async () => {
  const mcp = await replica('one');
  await replica('two');
  const added = await run('token', 'add', 'erin', '--profile', 'staff', '--approver', ...named);
  const { origin } = new URL(mcp);
  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json', origin, ...more };
    const answer = await fetch(new URL(path, origin), { method: 'POST', headers, body: JSON.stringify(body) });
    return { answer, json: (await answer.json()) as Record<string, unknown> };
  };
  const { answer, json: session } = await post('/api/session', { token: added.stdout.trim() });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const signedIn = { cookie, 'x-skillwire-csrf': String(session['csrf']) };
  const queue = async () => {
    const got = await fetch(new URL('/api/queue', origin), { headers: signedIn });
    return (await got.json()) as { waiting: readonly { uri: string; setDigest: string }[] };
  };
  const waiting = await eventually(async () => {
    const [found] = (await queue()).waiting;
    expect(found).toBeDefined();
    return found;
  });
  const denied = await post('/api/deny', { ...waiting, reason: 'a test' }, signedIn);
  expect(denied.json).toMatchObject({ confirmation: { done: true, confirmed: ['one', 'two'], missing: [] } });
  running[1]?.child.kill('SIGSTOP');
  const late = await post('/api/revoke', { uri: waiting?.uri, reason: '' }, signedIn);
  expect(late.json).toMatchObject({ confirmation: { done: false, confirmed: ['one'], missing: [{ id: 'two' }] } });
  running[1]?.child.kill('SIGCONT');
});

test('a person who signed in at one replica is signed in at the other one, until a sign-out there', async () => {
  const [one, two] = [await replica('one'), await replica('two')].map((mcp) => new URL(mcp));
  const added = await run('token', 'add', 'frank', '--profile', 'staff', '--approver', ...named);
  const signIn = await fetch(new URL('/api/session', one), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: one?.origin ?? '' },
    body: JSON.stringify({ token: added.stdout.trim() }),
  });
  const { csrf } = (await signIn.json()) as { csrf: string };
  // Behind a balancer, both have one host, and the cookie one name. Here the name ends with the port.
  const value = /=([^;]+)/.exec(signIn.headers.get('set-cookie') ?? '')?.[1];
  const headersAt = ({ port, origin }: URL) => ({
    cookie: `skillwire-page-${port}=${value}`,
    'x-skillwire-csrf': csrf,
    'content-type': 'application/json',
    origin,
  });
  const readers = async (at: URL) => {
    const answer = await fetch(new URL('/api', at), { headers: headersAt(at) });
    return (await answer.json()) as { locked?: boolean; session?: { name: string; mayApprove: boolean } };
  };
  for (const at of [one, two] as const)
    expect(await readers(at as URL)).toMatchObject({ session: { name: 'frank', mayApprove: true } });
  const stored = await server.sql(`select * from "skillwire_e2e-${clusters}".temporary`);
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(added.stdout.trim());
  const ended = await fetch(new URL('/api/session/end', two), {
    method: 'POST',
    headers: headersAt(two as URL),
    body: '{}',
  });
  expect(await ended.json()).toMatchObject({ ended: true });
  expect(await readers(two as URL)).toMatchObject({ locked: true });
  await eventually(async () => expect(await readers(one as URL)).toMatchObject({ locked: true }));
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

test('status and metrics show live and silent replicas, and a database that is away', async () => {
  const mcp = await replica('one');
  await replica('two');
  const added = await run('token', 'add', 'operator', '--profile', 'staff', '--operator', ...named);
  const token = added.stdout.trim();
  const { origin } = new URL(mcp);
  const status = (...more: readonly string[]): Promise<CliResult> =>
    folder.run(['status', origin, '--token-env', 'TOKEN', ...more], { TOKEN: token });
  const metrics = async (): Promise<string> =>
    (await fetch(new URL('/metrics', origin), { headers: { authorization: `Bearer ${token}` } })).text();
  const shown = await status();
  expect(shown.stdout).toMatch(/^REPLICA +STATE +BEHIND +HEARD +VERSION$/m);
  expect(shown.stdout).toMatch(/^one +live +- /m);
  expect(shown.stdout).toMatch(/^two +live /m);
  const { replicas } = JSON.parse((await status('--json')).stdout) as {
    replicas: { applied: number; serves: boolean; members: { id: string; live: boolean }[] };
  };
  expect(replicas).toMatchObject({ serves: true, lag: 0 });
  expect(replicas.applied).toBeGreaterThan(0);
  expect(replicas.members.map(({ id, live }) => [id, live])).toEqual([
    ['one', true],
    ['two', true],
  ]);
  expect(await metrics()).toMatch(/^skillwire_store_replicas\{state="live"\} 2$/m);
  running[1]?.child.kill('SIGSTOP');
  await eventually(async () => {
    const silent = await status();
    expect([silent.exitCode, silent.stdout]).toEqual([1, expect.stringMatching(/^two +silent /m)]);
  });
  running[1]?.child.kill('SIGCONT');
  await server.kill();
  try {
    await eventually(async () => {
      const away = await status();
      expect([away.exitCode, away.stdout]).toEqual([1, expect.stringMatching(/^shared store: away since 2\d{3}-/m)]);
    });
    expect(await metrics()).toMatch(/^skillwire_store_away_seconds [0-9.]+$/m);
    // It still answers from memory, so it stays in the balancer.
    expect((await fetch(new URL('/readyz', origin))).status).toBe(200);
  } finally {
    await server.start();
  }
});

test('a strict replica without its database leaves the balancer, and returns', async () => {
  configure({ whenAway: 'strict' });
  const mcp = await replica('one');
  const ready = async (): Promise<readonly [number, string]> => {
    const answer = await fetch(new URL('/readyz', mcp));
    return [answer.status, await answer.text()];
  };
  expect((await ready())[0]).toBe(200);
  await server.kill();
  try {
    await eventually(async () => expect(await ready()).toEqual([503, 'not ready\n']));
  } finally {
    await server.start();
  }
  await eventually(async () => expect((await ready())[0]).toBe(200));
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
