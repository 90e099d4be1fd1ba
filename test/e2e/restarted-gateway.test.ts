/**
 * A gateway that is killed and started again while an origin is away. The last listing is served from the cache, marked as stale;
 * under `approved-only` exactly the approved versions.
 */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { listedUris, listeningAt } from '../served-folder.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';
import { type ServedSkills, serveSkills } from './served-skills.ts';

const uri = 'skill://shop/refunds/SKILL.md';
const secret = 'upstream-secret-0123456789';
/** The configuration of the operator, so nothing in it needs to be trusted. */
const named = ['--config', 'skillwire.json'];
let folder: CliFolder;
let upstream: ServedSkills;
let running: CliProcess | undefined;

beforeEach(async () => {
  folder = cliFolder();
  folder.write({
    'skills/refunds/SKILL.md': skillText('refunds', 'First.\n'),
    'own/review/SKILL.md': skillText('review'),
  });
  upstream = await serveSkills(folder);
});

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  await upstream.stop();
  folder.remove();
});

function configure(shop: object, more: object = {}): void {
  const origins = { own: './own', shop: { mcp: upstream.origin.slice('mcp:'.length), ...shop } };
  folder.write({ 'skillwire.json': JSON.stringify({ origins, ...more }) });
}

async function start(): Promise<string> {
  const argv = ['serve', ...named, '--http', '0', '--json', '--log-format', 'json'];
  running = folder.start(argv, { SHOP_TOKEN: secret });
  return (await listeningAt(running)).mcp;
}

async function kill(): Promise<void> {
  running?.child.kill('SIGKILL');
  await running?.ended;
}

async function stateOf(mcp: string, label: string): Promise<Record<string, unknown>> {
  const { origins } = (await (await fetch(mcp.replace(/mcp$/, 'status'))).json()) as {
    origins: Record<string, unknown>[];
  };
  return origins.find((origin) => origin['label'] === label) ?? {};
}

const bodyOf = async (mcp: string): Promise<string> => JSON.stringify(await modern(mcp, 'resources/read', { uri }));

/** @param beside a name that is passed over */
function stateText(path = join(folder.path, 'no-home'), beside = ''): string {
  return readdirSync(path)
    .filter((name) => name !== beside)
    .map((name) => join(path, name))
    .map((file) => (statSync(file).isDirectory() ? stateText(file, beside) : readFileSync(file, 'latin1')))
    .join('\n');
}

/** Unfinished writes are in a folder of their own, and would not outlive the process. */
const writtenText = (): string => stateText(undefined, 'tmp');

const untilCached = (): Promise<void> => eventually(() => expect(stateText()).toContain('"listing"'));

test('is stale with its cached listing, recovers, and has no secret on the disk', async () => {
  configure({ auth: { bearer: `\${SHOP_TOKEN}` }, stale: '1h' });
  const mcp = await start();
  expect(await listedUris(mcp)).toEqual(['skill://own/review/SKILL.md', uri]);
  expect(await bodyOf(mcp)).toContain('First.');
  await untilCached();
  // Answers do not wait for the cache, so they may arrive before the bytes are written.
  await eventually(() => expect(writtenText()).toContain('First.'));
  await kill();
  const { host } = new URL(upstream.origin.slice('mcp:'.length));
  await upstream.stop();
  const again = await start();
  expect(await listedUris(again)).toEqual(['skill://own/review/SKILL.md', uri]);
  expect(await stateOf(again, 'shop')).toMatchObject({ state: 'stale', skills: 1 });
  await eventually(async () => expect(await stateOf(again, 'shop')).toMatchObject({ code: 'UNREACHABLE' }), 200);
  const { since } = await stateOf(again, 'shop');
  const { result } = await modern(again, 'skills/get', { uri });
  expect(result).toMatchObject({ skill: { _meta: { 'dev.skillwire/origin': { stale: since, verified: 'files' } } } });
  expect(await bodyOf(again)).toContain('First.');
  expect(stateText()).not.toContain(secret);
  const back = folder.start(['serve', './skills', '--http', host, '--json']);
  await back.seen('stdout', /\n/);
  upstream = {
    ...upstream,
    async stop() {
      back.child.kill('SIGTERM');
      await back.ended;
    },
  };
  await eventually(async () => expect(await stateOf(again, 'shop')).toMatchObject({ state: 'ok' }), 200);
});

test.each([
  ['has another address', { mcp: 'http://127.0.0.1:9/mcp' }],
  ['is asked with other credentials', { headers: { 'x-key': 'another-key' } }],
])('serves nothing from the cache if the origin %s', async (_, change) => {
  configure({});
  const mcp = await start();
  expect(await listedUris(mcp)).toHaveLength(2);
  await untilCached();
  await kill();
  await upstream.stop();
  configure(change);
  expect(await listedUris(await start())).toEqual(['skill://own/review/SKILL.md']);
});

test('forgets the cache of an origin that is no longer configured', async () => {
  configure({});
  const mcp = await start();
  expect(await listedUris(mcp)).toHaveLength(2);
  await untilCached();
  await kill();
  await upstream.stop();
  folder.write({
    'skillwire.json': JSON.stringify({ origins: { own: './own', other: { mcp: 'http://127.0.0.1:9/mcp' } } }),
  });
  await start();
  await kill();
  configure({});
  expect(await listedUris(await start())).toEqual(['skill://own/review/SKILL.md']);
});

test('reports a damaged cached listing, and starts without it', async () => {
  configure({});
  const mcp = await start();
  expect(await listedUris(mcp)).toHaveLength(2);
  await untilCached();
  await kill();
  await upstream.stop();
  const [, piece = ''] = /"pieces":\["sha256:([0-9a-f]{64})"/.exec(stateText()) ?? [];
  const file = join(folder.path, 'no-home/cache/blobs/sha256', piece.slice(0, 2), piece.slice(2));
  chmodSync(file, 0o600);
  writeFileSync(file, '[]');
  expect(await listedUris(await start())).toEqual(['skill://own/review/SKILL.md']);
  await running?.seen('stderr', /"event":"cache\.unusable","label":"shop"/);
});

test('lists, returns and reads the approved version of an unreachable origin at the first start after a kill', async () => {
  configure({}, { policy: { mode: 'approved-only' } });
  const mcp = await start();
  expect(await listedUris(mcp)).toEqual([]);
  const waiting = async (): Promise<string> => {
    const { stdout } = await folder.run(['waiting', '--json']);
    const queue = (JSON.parse(stdout) as { waiting: { name: string; setDigest: string }[] }).waiting;
    const found = queue.find(({ name }) => name === 'refunds');
    if (found === undefined) throw new Error('it does not wait');
    return found.setDigest;
  };
  const set = await eventually(waiting, 200);
  expect((await folder.run(['approve', 'shop', 'refunds', '--yes', set, ...named])).exitCode).toBe(0);
  expect(await listedUris(mcp)).toEqual([uri]);
  await eventually(() => expect(writtenText()).toContain('First.'));
  await untilCached();
  await kill();
  await upstream.stop();
  const again = await start();
  expect(await listedUris(again)).toEqual([uri]);
  const { result } = await modern(again, 'skills/get', { uri });
  expect(result).toMatchObject({
    skill: {
      _meta: { 'dev.skillwire/approved': { current: true }, 'dev.skillwire/origin': { stale: expect.any(String) } },
    },
  });
  expect(await bodyOf(again)).toContain('First.');
  const verified = await folder.run(['verify', `mcp:${again}`]);
  expect(verified, verified.stdout + verified.stderr).toMatchObject({ exitCode: 0 });
});
