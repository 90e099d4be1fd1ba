/** A configuration served by a program: trust, refusals, and its replacement while it is served. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { skill } from '../../test/skill-folders.ts';
import type { ServingEvent } from '../gateway/server-reports.ts';
import { type Configuration, parseConfiguration } from './entries/gateway.ts';
import { type ConfiguredHandle, type ServeConfigurationOptions, serveConfiguration } from './serve-configuration.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-configuration-'));
  file = join(folder, 'skillwire.json');
  for (const name of ['demo', 'other']) {
    mkdirSync(join(folder, `skills-${name}`, name), { recursive: true });
    writeFileSync(join(folder, `skills-${name}`, name, 'SKILL.md'), skill(name));
  }
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const configuration = (value: object): Configuration => parseConfiguration(JSON.stringify(value), 'test');
const http = { host: '127.0.0.1', port: 0 };

async function served(
  given: string | Configuration,
  options: Partial<ServeConfigurationOptions> = {},
): Promise<ConfiguredHandle> {
  const handle = await serveConfiguration(given, { http, cache: false, state: join(folder, 'home'), ...options });
  onTestFinished(() => handle.close());
  return handle;
}

async function uris({ catalog }: ConfiguredHandle): Promise<readonly string[]> {
  return (await catalog.snapshot()).listed.map(({ entry }) => entry.uri);
}

describe('a file', () => {
  test('of plain folders needs no trust, and does not touch the state', async () => {
    writeFileSync(file, '{"origins": {"docs": "./skills-demo"}}');
    const handle = await served(file);
    expect(await uris(handle)).toEqual(['skill://docs/demo/SKILL.md']);
    expect((await fetch(`${handle.url}/status`)).status).toBe(200);
    await handle.close();
    expect(existsSync(join(folder, 'home'))).toBe(false);
  });

  test("that would act needs the user's trust, or its digest", async () => {
    const program = ['sh', '-c', `touch ${join(folder, 'canary')}`];
    writeFileSync(file, JSON.stringify({ origins: { docs: './skills-demo', tools: { stdio: program } } }));
    const error = await refusal(served(file));
    expect(error).toMatchObject({ code: 'NOT_TRUSTED', data: { acts: [{ kind: 'program', at: 'origins.tools' }] } });
    expect(existsSync(join(folder, 'canary'))).toBe(false);
    const handle = await served(file, { trustConfig: [String(error.data['digest'])] });
    expect(await uris(handle)).toEqual(['skill://docs/demo/SKILL.md']);
    expect(existsSync(join(folder, 'canary'))).toBe(true);
  });

  test('is read again on request; if it acts in a new way, nothing changes', async () => {
    const events: ServingEvent[] = [];
    writeFileSync(file, '{"origins": {"docs": "./skills-demo"}}');
    const handle = await served(file, { watch: false, log: { event: (event) => events.push(event) } });
    writeFileSync(file, '{"origins": {"docs": "./skills-demo", "more": "./skills-other"}}');
    expect(await handle.reload()).toEqual({ applied: 1, refused: 0 });
    expect(await uris(handle)).toEqual(['skill://docs/demo/SKILL.md', 'skill://more/other/SKILL.md']);
    writeFileSync(file, JSON.stringify({ origins: { docs: './skills-demo', tools: { stdio: ['true'] } } }));
    expect(await handle.reload()).toMatchObject({
      applied: 1,
      refused: 1,
      refusal: { reason: expect.stringMatching(/not trusted/) },
    });
    expect(await uris(handle)).toHaveLength(2);
    expect(events.map(({ event }) => event)).toEqual(['config.applied', 'config.refused']);
    expect(() => handle.reload(configuration({ origins: {} }))).toThrow(/Edit the file/);
  });

  test('is watched', async () => {
    writeFileSync(file, '{"origins": {"docs": "./skills-demo"}}');
    const handle = await served(file);
    expect(await uris(handle)).toHaveLength(1);
    const changed = new Promise((resolve) => handle.catalog.subscribe(resolve));
    writeFileSync(file, '{"origins": {"more": "./skills-other"}}');
    await changed;
    expect(await uris(handle)).toEqual(['skill://more/other/SKILL.md']);
  });
});

describe('an object', () => {
  test('needs no trust, has paths below its base, and can be replaced', async () => {
    const handle = await served(configuration({ origins: { docs: './skills-demo' } }), { base: folder });
    expect(await uris(handle)).toEqual(['skill://docs/demo/SKILL.md']);
    expect(await handle.reload(configuration({ origins: { docs: './skills-other' } }))).toMatchObject({ applied: 1 });
    expect(await uris(handle)).toEqual(['skill://docs/other/SKILL.md']);
    const refused = await handle.reload(configuration({ origins: { docs: './skills-demo' }, policy: {} }));
    expect(refused).toMatchObject({
      applied: 1,
      refused: 1,
      refusal: { reason: expect.stringMatching(/"policy" needs a restart/) },
    });
    expect(await uris(handle)).toEqual(['skill://docs/other/SKILL.md']);
  });
});

test('a decision on the page applies to the next answer', async () => {
  const given = configuration({ origins: { docs: './skills-demo' }, policy: { mode: 'approved-only' } });
  const handle = await served(given, { base: folder });
  const { url = '' } = handle;
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify(body),
    });
  expect(await uris(handle)).toEqual([]);
  const signedIn = await post('/api/session', { key: handle.pageLink?.()?.split('/sign-in/')[1] });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { csrf } = (await signedIn.json()) as { csrf: string };
  const queue = await fetch(`${url}/api/queue`, { headers: { cookie } });
  const { waiting } = (await queue.json()) as { waiting: { uri: string; setDigest: string }[] };
  const [{ uri, setDigest } = { uri: '', setDigest: '' }] = waiting;
  const approved = await post('/api/approve', { uri, setDigest, reason: 'read' }, { cookie, 'x-skillwire-csrf': csrf });
  expect(approved.status, await approved.text()).toBe(200);
  expect(await uris(handle)).toEqual(['skill://docs/demo/SKILL.md']);
});

test.each([
  ['neither an address nor stdio', { http: undefined }, /either "http" or "stdio"/],
  ['both', { stdio: true }, /either "http" or "stdio"/],
  ['a token that could be guessed', { page: { token: 'short' } }, /at least 16/],
  ['a base for a file', { base: '.' }, /Leave "base" out/],
])('%s is refused', async (_, options, message) => {
  writeFileSync(file, '{"origins": {"docs": "./skills-demo"}}');
  const all = { http, ...options } as ServeConfigurationOptions;
  expect(await refusal(serveConfiguration(file, all))).toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  });
});

test('a configuration without origins is refused', async () => {
  writeFileSync(file, '{"origins": {}}');
  expect(await refusal(served(file))).toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/Nothing to serve/),
  });
});
