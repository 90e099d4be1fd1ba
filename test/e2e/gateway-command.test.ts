/** `serve` with a configuration of many kinds, what it does when that is changed, and the commands about it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { listedUris, listeningAt } from '../served-folder.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';
import { type ServedSkills, serveSkills } from './served-skills.ts';

/** The configuration of the operator, so nothing in it needs to be trusted. */
const named = ['--config', 'skillwire.json'];
let folder: CliFolder;
let upstream: ServedSkills;

beforeEach(async () => {
  folder = cliFolder();
  folder.write({
    'skills/refunds/SKILL.md': skillText('refunds'),
    'docs/review/SKILL.md': skillText('review'),
    'docs/drafts/SKILL.md': skillText('drafts'),
  });
  upstream = await serveSkills(folder);
});

afterEach(async () => {
  await upstream.stop();
  folder.remove();
});

function configure(origins: unknown, more: object = {}): void {
  folder.write({ 'skillwire.json': JSON.stringify({ origins, ...more }) });
}

interface Status {
  readonly ready: boolean;
  readonly origins: { readonly label: string; readonly state: string; readonly reason?: string }[];
}

async function statusOf(url: string): Promise<{ status: Status; exitCode: number | null }> {
  const { stdout, exitCode } = await folder.run(['status', url, '--json']);
  return { status: JSON.parse(stdout) as Status, exitCode };
}

test('a configuration is served, reloaded when it changes, and kept if the change is invalid', async () => {
  const url = upstream.origin.slice('mcp:'.length);
  configure({ docs: './docs', shop: { mcp: url, prefix: 'vendor' } });
  const gateway = folder.start(['serve', ...named, '--http', '0', '--json', '--log-format', 'json']);
  const { mcp, url: base } = await listeningAt(gateway);
  expect(await listedUris(mcp)).toEqual([
    'skill://docs/drafts/SKILL.md',
    'skill://docs/review/SKILL.md',
    'skill://shop/vendor/refunds/SKILL.md',
  ]);
  const { status, exitCode } = await statusOf(base);
  expect(exitCode).toBe(0);
  expect(status.origins.map(({ label, state }) => [label, state])).toEqual([
    ['docs', 'ok'],
    ['shop', 'ok'],
  ]);

  configure({ docs: { folder: './docs', exclude: ['drafts/'] }, store: { mcp: 'nowhere' } });
  await gateway.seen('stderr', /"event":"config\.refused".*is not an address/);

  configure({ docs: { folder: './docs', exclude: ['drafts/'] }, store: { mcp: url } });
  await gateway.seen('stderr', /"event":"config\.applied"/);
  await eventually(async () => {
    expect(await listedUris(mcp)).toEqual(['skill://docs/review/SKILL.md', 'skill://store/refunds/SKILL.md']);
  });

  folder.write({ 'skillwire.json': '{ "origins": { ' });
  await eventually(() => expect(gateway.stderr().match(/config\.refused/g)).toHaveLength(2));
  expect(await listedUris(mcp)).toHaveLength(2);
  const metrics = await (await fetch(`${base}/metrics`)).text();
  expect(metrics).toContain('skillwire_configuration_reloads_total{outcome="refused"} 2');
  expect(metrics).toContain('skillwire_origin_state{origin="store",kind="mcp",state="ok"} 1');
  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).exitCode).toBe(0);
  for (const line of gateway.stderr().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
});

test('an origin that is down leaves the gateway ready, is reported, and status exits with 1', async () => {
  configure({ docs: './docs', gone: { mcp: 'http://127.0.0.1:9/mcp', deadline: '2s' } });
  const gateway = folder.start(['serve', ...named, '--http', '0', '--json']);
  const { mcp, url } = await listeningAt(gateway);
  expect(await listedUris(mcp)).toHaveLength(2);
  const { status, exitCode } = await statusOf(url);
  expect(exitCode).toBe(1);
  expect(status.origins[1]).toMatchObject({ label: 'gone', state: 'unreachable', reason: expect.any(String) });
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, 'ready: 1 of 2 origins answer\n']);
  gateway.child.kill('SIGTERM');
  await gateway.ended;
});

test('a configuration of only folders is reloaded, too', async () => {
  configure({ docs: './docs' });
  const server = folder.start(['serve', '--http', '0', '--json']);
  const { mcp } = await listeningAt(server);
  configure({ docs: './docs', more: './skills' });
  await server.seen('stderr', /Configuration reloaded: 2 origins/);
  expect(await listedUris(mcp)).toHaveLength(3);
  server.child.kill('SIGTERM');
  await server.ended;
});

test('config check reports each origin, missing parts, and never a secret', async () => {
  configure({
    docs: './docs',
    gone: './gone',
    api: { mcp: 'https://api.example.com/mcp', auth: { bearer: '$' + '{API_TOKEN}' } },
  });
  const checked = async () => {
    const { stdout, exitCode } = await folder.run(['config', 'check', '--json']);
    expect(exitCode).toBe(1);
    const { trusted, origins } = JSON.parse(stdout) as {
      trusted: boolean;
      origins: { label: string; problems: string[] }[];
    };
    return { trusted, problems: Object.fromEntries(origins.map(({ label, problems }) => [label, problems])) };
  };
  const gone = [expect.stringContaining('there is no')];
  expect(await checked()).toEqual({ trusted: false, problems: { docs: [], gone, api: ['not trusted'] } });
  const plain = await folder.run(['config', 'check']);
  expect(plain.stdout).toContain('api: not trusted\n');
  expect(plain.stderr).toContain('it wants to send a header or a token. Review it with "skillwire trust"');
  await folder.trust();
  const unset = [expect.stringContaining('"API_TOKEN"')];
  expect(await checked()).toEqual({ trusted: true, problems: { docs: [], gone, api: unset } });
  folder.write({ 'gone/x/SKILL.md': skillText('x') });
  const good = await folder.run(['config', 'check'], { API_TOKEN: 'hunter2-hunter2' });
  expect(good.exitCode).toBe(0);
  expect(good.stdout + good.stderr).not.toContain('hunter2');
  folder.write({ 'skillwire.json': '{}' });
  expect((await folder.run(['config', 'check'])).exitCode).toBe(2);
});

test('status explains why it has no result', async () => {
  expect((await folder.run(['status', 'http://127.0.0.1:9'])).exitCode).toBe(4);
  expect((await folder.run(['status', 'ftp://x.example'])).exitCode).toBe(2);
  expect((await folder.run(['status', 'http://x.example'])).exitCode).toBe(2);
});

test('the configuration enables older dialects and kinds of origin like the command line', async () => {
  const url = upstream.origin.slice('mcp:'.length);
  const origins = { docs: './docs', shop: { mcp: url, dialect: 'skill-index' } };
  const rows = async (flags: readonly string[]): Promise<readonly unknown[]> => {
    const gateway = folder.start(['serve', ...named, '--http', '0', '--json', ...flags]);
    const { mcp, url: base } = await listeningAt(gateway);
    const { result, error } = await modern(mcp, 'resources/read', { uri: 'skill://index.json' });
    const { origins: reports } = (await (await fetch(`${base}/status`)).json()) as { origins: { dialect?: string }[] };
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    return [result !== undefined, error !== undefined, reports.map(({ dialect }) => dialect)];
  };
  configure(origins, { surfaces: { mcp: { dialects: 'none' } } });
  expect(await rows([])).toEqual([false, true, [undefined, 'skill-index']]);
  expect(await rows(['--dialects', 'all'])).toEqual([true, false, [undefined, 'skill-index']]);
});
