/** Streams that are open while something changes: a token is revoked by another process, the configuration is edited. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { legacySession, legacyVersion, modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { type OpenStream, openListen, openSessionStream } from '../open-stream.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
let server: CliProcess;
let streams: OpenStream[];

beforeEach(() => {
  folder = cliFolder();
  streams = [];
  folder.write({
    'docs/review/SKILL.md': skillText('review'),
    'docs/drafts/SKILL.md': skillText('drafts'),
    'shop/refunds/SKILL.md': skillText('refunds'),
  });
});

afterEach(async () => {
  for (const stream of streams) await stream.close();
  server.child.kill('SIGTERM');
  await server.ended;
  folder.remove();
});

async function serve(configuration: object): Promise<string> {
  folder.write({ 'skillwire.json': JSON.stringify(configuration) });
  server = folder.start(['serve', '--http', '0', '--json', '--log-format', 'json']);
  return (JSON.parse(await server.seen('stdout', /\n/)) as { mcp: string }).mcp;
}

async function open(opening: Promise<OpenStream>): Promise<OpenStream> {
  const stream = await opening;
  streams.push(stream);
  expect(stream.status).toBe(200);
  return stream;
}

async function tokenFor(name: string, profile = 'everything'): Promise<Record<string, string>> {
  const { stdout } = await folder.run(['token', 'add', name, '--profile', profile]);
  return { authorization: `Bearer ${stdout.trim()}` };
}

const acknowledged = (stream: OpenStream): Promise<void> =>
  eventually(() => expect(stream.text()).toContain('acknowledged'));

test('streams of a token end when another process revokes it, others stay, and the next request is refused', async () => {
  const mcp = await serve({ origins: { docs: './docs' }, profiles: { everything: {} } });
  const [revoked, other] = [await tokenFor('ci'), await tokenFor('boss')];
  const listen = await open(openListen(mcp, revoked));
  const session = await legacySession(mcp, legacyVersion, revoked);
  const get = await open(openSessionStream(mcp, session.headers));
  const stays = await open(openListen(mcp, other));
  await Promise.all([acknowledged(listen), acknowledged(stays)]);
  expect((await folder.run(['token', 'revoke', 'ci'])).exitCode).toBe(0);
  await Promise.all([listen.ended, get.ended]);
  expect((await modern(mcp, 'skills/list', {}, revoked)).status).toBe(401);
  expect((await session.call('skills/list')).status).toBe(401);
  expect((await openListen(mcp, revoked)).status).toBe(401);
  expect(stays.isEnded()).toBe(false);
  folder.write({ 'docs/late/SKILL.md': skillText('late') });
  await eventually(() => expect(stays.text()).toContain('list_changed'));
  expect(listen.text()).not.toContain('list_changed');
});

test('streams of a token end when its profile is removed or changed, and those of others stay', async () => {
  const origins = { docs: './docs' };
  const mcp = await serve({ origins, profiles: { everything: {}, some: { include: ['docs/review'] } } });
  const ends = await open(openListen(mcp, await tokenFor('ci', 'some')));
  const stays = await open(openListen(mcp, await tokenFor('boss')));
  await Promise.all([acknowledged(ends), acknowledged(stays)]);
  folder.write({ 'skillwire.json': JSON.stringify({ origins, profiles: { everything: {} } }) });
  await server.seen('stderr', /config\.applied/);
  await ends.ended;
  expect(stays.isEnded()).toBe(false);
});

test('a stream survives configuration changes and reports them; an invalid change is reported and ignored', async () => {
  const mcp = await serve({ origins: { docs: './docs' } });
  const stream = await open(openListen(mcp));
  await acknowledged(stream);
  const base = mcp.replace(/\/mcp$/, '');
  const status = async () =>
    JSON.parse((await folder.run(['status', base, '--json'])).stdout) as Record<string, unknown>;
  expect(await status()).toMatchObject({ configuration: { applied: 0, refused: 0 } });

  folder.write({ 'skillwire.json': '{ "origins": { "docs": { "folder": "./docs", "inclde": [] } } }' });
  await server.seen('stderr', /"event":"config\.refused"/);
  const refused = await folder.run(['status', base]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/configuration: refused at .*inclde/) });
  expect(await status()).toMatchObject({
    skills: 2,
    configuration: {
      applied: 0,
      refused: 1,
      refusal: { at: expect.any(String), reason: expect.stringContaining('inclde') },
    },
  });
  expect(stream.text()).not.toContain('list_changed');

  folder.write({ 'skillwire.json': JSON.stringify({ origins: { docs: './docs', shop: './shop' } }) });
  await eventually(() => expect(stream.text()).toContain('list_changed'));
  expect(stream.isEnded()).toBe(false);
  const { result } = await modern(mcp, 'skills/list');
  expect(((result?.['skills'] ?? []) as { uri: string }[]).map(({ uri }) => uri).sort()).toEqual([
    'skill://docs/drafts/SKILL.md',
    'skill://docs/review/SKILL.md',
    'skill://shop/refunds/SKILL.md',
  ]);
  const { configuration } = await status();
  expect(configuration).toEqual({ applied: 1, refused: 1 });
});
