/** A person pins and unpins a live skill on the page, as `skillwire pin` does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../../src/runtime-client/index.node.ts';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const uri = 'skill://mdp/shop/cart/SKILL.md';
let folder: CliFolder;
let server: CliProcess;
let url: string;
let runtime: Runtime;
let session: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = cliFolder();
  folder.write({ 'skills/notes/SKILL.md': skillText('notes') });
  server = folder.start(['serve', './skills', '--mdp', '--http', '0', '--json']);
  ({ url } = JSON.parse((await server.seen('stdout', /listening.*\n/)).split('\n')[0] ?? '') as { url: string });
  runtime = createRuntime({ url: url.replace('http:', 'ws:'), id: 'shop' });
  runtime.expose('/cart/skill.md', { description: 'The cart of this shop. Use when asked for it.' }, () => '# Cart\n');
  await runtime.connect();
  const [, key] = (await server.seen('stderr', /sign-in\/(\S+)/)).match(/sign-in\/(\S+)/) ?? [];
  const signedIn = await post('session', { key });
  const { csrf } = (await signedIn.json()) as { csrf: string };
  session = { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '', 'x-skillwire-csrf': csrf };
  await eventually(async () => expect(await (await fetch(`${url}/api/skills?q=cart`)).text()).toContain(uri));
});

afterAll(async () => {
  await runtime?.close();
  server?.child.kill();
  await server?.ended;
  folder?.remove();
});

function post(route: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: url, ...session };
  return fetch(`${url}/api/${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('a live skill is pinned and unpinned, and the log of this server has both', async () => {
  const pinned = await post('pin', { uri, for: '30d' });
  expect([pinned.status, await pinned.json()]).toEqual([200, { done: true, missing: [] }]);
  const listed = JSON.parse((await folder.run(['pin', '--list', '--json'])).stdout) as { pinned: unknown[] };
  expect(listed.pinned).toHaveLength(1);
  expect(await (await post('unpin', { uri })).json()).toMatchObject({ done: true });
  const { records } = (await (await fetch(`${url}/api/audit`, { headers: session })).json()) as {
    records: { action: string; elsewhere?: true }[];
  };
  const pins = records.filter(({ action }) => /pin/.test(action));
  expect(pins.map(({ action }) => action).sort()).toEqual(['pin', 'unpin']);
  for (const row of pins) expect(row).not.toHaveProperty('elsewhere');
});

test.each([
  ['a skill of a folder', { uri: 'skill://notes/SKILL.md' }, /is not live, so it cannot be pinned/],
  ['a wrong time', { uri, for: 'soon' }, /soon.. is not a duration/],
])('%s is refused', async (_, body, message) => {
  const answer = await post('pin', body);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(message);
});
