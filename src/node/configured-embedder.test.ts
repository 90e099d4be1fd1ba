/** Search by meaning from a configuration: trust, requests, failures, and the cache after a restart. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbeddings } from '../../test/embeddings-server.ts';
import { refusal } from '../../test/refusal.ts';
import { type Configuration, parseConfiguration } from './entries/gateway.ts';
import { type ConfiguredHandle, type ServeConfigurationOptions, serveConfiguration } from './serve-configuration.ts';

let folder: string;
let file: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-embedder-'));
  file = join(folder, 'skillwire.json');
  lines = [];
  write('riding', 'Cares for a horse.');
  write('paying', 'Settles a bill.');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, description: string): void {
  mkdirSync(join(folder, 'skills', name), { recursive: true });
  writeFileSync(
    join(folder, 'skills', name, 'SKILL.md'),
    `---\nname: ${name}\ndescription: ${description}\n---\nText.\n`,
  );
}

interface Endpoint {
  readonly url: string;
  readonly model?: string;
  readonly keyEnv?: string;
}

const text = ({ model = 'small', ...embeddings }: Endpoint, more: object = {}): string =>
  JSON.stringify({ origins: { docs: './skills' }, search: { embeddings: { model, ...embeddings } }, ...more });
const configured = (endpoint: Endpoint, more: object = {}): Configuration =>
  parseConfiguration(text(endpoint, more), 'test');

async function served(
  given: string | Configuration,
  options: Partial<ServeConfigurationOptions> = {},
): Promise<ConfiguredHandle> {
  const handle = await serveConfiguration(given, {
    http: { host: '127.0.0.1', port: 0 },
    state: join(folder, 'home'),
    log: { line: (line) => lines.push(line) },
    ...(typeof given === 'string' ? {} : { base: folder }),
    ...options,
  });
  onTestFinished(() => handle.close());
  return handle;
}

async function names({ url }: ConfiguredHandle, query: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/search?q=${encodeURIComponent(query)}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { hits: { name: string }[] }).hits.map(({ name }) => name);
}

async function untilFirst(handle: ConfiguredHandle, query: string, name: string): Promise<void> {
  await vi.waitFor(async () => expect((await names(handle, query))[0]).toBe(name), { timeout: 30_000, interval: 100 });
}

const ofSkills = (texts: readonly string[]): readonly string[] => texts.filter((one) => one.includes(': '));

describe('a configured endpoint', () => {
  test('finds by meaning, with the key of the environment', async () => {
    const endpoint = await startEmbeddings();
    const handle = await served(configured({ url: endpoint.url, keyEnv: 'EMBED_KEY' }), {
      env: { EMBED_KEY: 'abc-123' },
    });
    await untilFirst(handle, 'equine', 'riding');
    expect(new Set(endpoint.authorizations)).toEqual(new Set(['Bearer abc-123']));
    expect([...ofSkills(endpoint.texts)].sort()).toEqual(['paying: Settles a bill.', 'riding: Cares for a horse.']);
    expect(lines.join('\n')).not.toContain('abc-123');
  });

  test("in a file that came with a folder sends nothing without the user's trust", async () => {
    const endpoint = await startEmbeddings();
    writeFileSync(file, text({ url: endpoint.url, keyEnv: 'EMBED_KEY' }));
    const env = { EMBED_KEY: 'abc-123' };
    const error = await refusal(served(file, { env }));
    expect(error).toMatchObject({ code: 'NOT_TRUSTED' });
    const acts = error.data['acts'] as { kind: string; at: string; value: string }[];
    expect(acts.map(({ kind }) => kind)).toEqual(['search-texts', 'inside-address', 'credential']);
    expect(acts.every(({ at }) => at === 'search.embeddings')).toBe(true);
    expect(JSON.stringify(acts)).not.toContain('abc-123');
    expect(endpoint.texts).toEqual([]);
    const handle = await served(file, { env, trustConfig: [String(error.data['digest'])] });
    await untilFirst(handle, 'equine', 'riding');
  });

  test('that a reload adds is refused without trust, and needs a restart with it', async () => {
    const endpoint = await startEmbeddings();
    writeFileSync(file, '{"origins": {"docs": "./skills"}}');
    const handle = await served(file, { watch: false });
    writeFileSync(file, text({ url: endpoint.url }));
    expect(await handle.reload()).toMatchObject({
      refused: 1,
      refusal: { reason: expect.stringMatching(/not trusted/) },
    });
    const object = await served(configured({ url: endpoint.url }));
    expect(await object.reload(configured({ url: endpoint.url, model: 'large' }))).toMatchObject({
      refused: 1,
      refusal: { reason: expect.stringMatching(/"search" needs a restart/) },
    });
    write('sailing', 'Steers a ship.');
    const more = { rules: [{ match: 'nothing/', listed: false }] };
    expect(await object.reload(configured({ url: endpoint.url }, more))).toMatchObject({ applied: 1 });
    await untilFirst(object, 'harbor', 'sailing');
    expect(endpoint.texts.length).toBeGreaterThan(0);
  });

  test.each<[string, (url: string) => Endpoint, number, RegExp]>([
    ['a variable that is not set', (url) => ({ url, keyEnv: 'NOT_SET' }), 200, /"NOT_SET" .*is not set/],
    [
      'plain http to another machine',
      () => ({ url: 'http://203.0.113.7/v1/embeddings' }),
      200,
      /http:\/\/203\.0\.113\.7/,
    ],
    ['a key that is not accepted', (url) => ({ url }), 401, /does not accept the key \(HTTP 401\)/],
    ['an endpoint that fails', (url) => ({ url }), 400, /answered HTTP 400/],
    ['a port that is closed', () => ({ url: 'http://127.0.0.1:9/v1/embeddings' }), 200, /127\.0\.0\.1:9/],
  ])('%s is reported once, and search continues by words', async (_, endpointOf, status, message) => {
    const endpoint = await startEmbeddings();
    endpoint.status = status;
    const handle = await served(configured(endpointOf(endpoint.url)));
    expect(await names(handle, 'horse')).toEqual(['riding']);
    await vi.waitFor(() => expect(lines.join('\n')).toMatch(message), { timeout: 30_000 });
    expect(await names(handle, 'bill')).toEqual(['paying']);
    const matching = lines.filter((line) => message.test(line));
    expect(matching).toHaveLength(1);
    expect(matching[0]).toMatch(/^warning: Search ranks by words only: /);
  });
});

describe('vectors of an earlier run', () => {
  const run = async (url: string, options: Partial<ServeConfigurationOptions> = {}, model = 'small'): Promise<void> => {
    const handle = await served(configured({ url, model }), options);
    await untilFirst(handle, 'equine', 'riding');
    await handle.close();
  };

  test('are used again: a second start embeds only queries and new texts', async () => {
    const endpoint = await startEmbeddings();
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toHaveLength(2);
    endpoint.texts.length = 0;
    write('sailing', 'Steers a ship.');
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toEqual(['sailing: Steers a ship.']);
    endpoint.texts.length = 0;
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toEqual([]);
    expect(endpoint.texts).toContain('equine');
  });

  test('belong to their model, and are not stored without a cache', async () => {
    const endpoint = await startEmbeddings();
    await run(endpoint.url, { cache: false });
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toHaveLength(4);
    await run(endpoint.url, {}, 'large');
    expect(ofSkills(endpoint.texts)).toHaveLength(6);
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toHaveLength(6);
  });

  test('that were damaged are reported and computed again', async () => {
    const endpoint = await startEmbeddings();
    await run(endpoint.url);
    const blobs = join(folder, 'home/cache/blobs');
    for (const name of readdirSync(blobs, { recursive: true, withFileTypes: true }))
      if (name.isFile()) writeFileSync(join(name.parentPath, name.name), 'damaged');
    await run(endpoint.url);
    expect(lines.join('\n')).toMatch(/warning: .*blobs/);
    expect(ofSkills(endpoint.texts)).toHaveLength(4);
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toHaveLength(4);
  });

  test('of another length are dropped, and the next start but one is complete again', async () => {
    const endpoint = await startEmbeddings();
    await run(endpoint.url);
    endpoint.padding = 4;
    const handle = await served(configured({ url: endpoint.url }));
    expect(await names(handle, 'horse')).toEqual(['riding']);
    await vi.waitFor(() => expect(lines.join('\n')).toMatch(/vectors now have 8 numbers instead of 4/), {
      timeout: 30_000,
    });
    await handle.close();
    endpoint.texts.length = 0;
    await run(endpoint.url);
    expect(ofSkills(endpoint.texts)).toHaveLength(2);
  });
});
