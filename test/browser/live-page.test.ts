/**
 * A real page in a real browser exposes skills at the built command; another process reads them in every way. The page changes, reloads and
 * closes, and pinned skills stay.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SKILLS_EXTENSION_ID, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, type CliProcess, cliFolder } from '../e2e/cli-process.ts';
import { eventually } from '../eventually.ts';
import { openChromium, type PageServer, patienceMs, servePage } from './chromium.ts';

const cart = 'skill://mdp/shop/cart/SKILL.md';
const project = join(import.meta.dirname, '../..');
const example = readFileSync(join(project, 'examples/runtime/page.html'), 'utf8');
let folder: CliFolder;
let site: PageServer;
let hub: CliProcess;
let address: { url: string; mcp: string; mdp: string };
let browser: Browser;
let page: Page;
let client: Client;

beforeAll(async () => {
  folder = cliFolder();
  folder.write({ 'skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes of the team.\n---\nText.\n' });
  site = await servePage(() => withHub(example));
  hub = folder.start(['serve', './skills', '--mdp', '--http', '0', '--json']);
  address = JSON.parse(await hub.seen('stdout', /listening.*\n/));
  browser = await openChromium();
  page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  client = new Client({ name: 'test', version: '1' }, { capabilities: { extensions: { [SKILLS_EXTENSION_ID]: {} } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(address.mcp)));
}, 120_000);

afterAll(async () => {
  await client?.close();
  await browser?.close();
  await site?.close();
  hub?.child.kill();
  await hub?.ended;
  folder?.remove();
});

afterEach(async () => {
  if (page.isClosed()) return;
  const folderOf = join(import.meta.dirname, '../../artifacts/browser');
  mkdirSync(folderOf, { recursive: true });
  const name = (expect.getState().currentTestName ?? 'test').replace(/[^a-z0-9]+/gi, '-').slice(0, 120);
  await page.screenshot({ path: join(folderOf, `live-${name}.png`) });
});

/** The text with the address of the hub of this test. */
function withHub(text: string): string {
  return text.replaceAll('http://127.0.0.1:4711', address.url);
}

async function openPage(filled = 'two apples', to?: string): Promise<void> {
  const queryString = new URLSearchParams({ cart: filled, ...(to === undefined ? {} : { hub: to }) });
  await page.goto(`${site.origin}/?${queryString}`);
  await page.locator('#status', { hasText: /^connected$/ }).waitFor();
}

async function callPath(query: object = {}): Promise<unknown> {
  const args = { clientId: 'shop', method: 'GET', path: '/cart/skill.md', query };
  return (await client.callTool({ name: 'callPath', arguments: args })).structuredContent;
}

async function readText(): Promise<string> {
  const { contents } = await client.readResource({ uri: cart });
  const [first] = contents;
  return first !== undefined && 'text' in first ? String(first.text) : '';
}

const listed = async (): Promise<string[]> => (await new SkillsClient(client).list()).skills.map(({ uri }) => uri);

describe('a page with a live skill', () => {
  test('is read over HTTP, with the tools, and as a skill', async () => {
    await openPage();
    await eventually(async () =>
      expect(await listed()).toEqual([cart, 'skill://mdp/shop/help/SKILL.md', 'skill://notes/SKILL.md']),
    );

    const answer = await fetch(`${address.url}/skills/shop/cart?currency=USD`);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await answer.text()).toBe('# Cart\n\nIt holds two apples. Currency: USD.');
    expect((await fetch(`${address.url}/shop/skills/cart/skill.md`)).status).toBe(200);

    expect(await callPath({ currency: 'CHF' })).toEqual({
      ok: true,
      data: '# Cart\n\nIt holds two apples. Currency: CHF.',
    });

    const skills = new SkillsClient(client);
    const { skill } = await skills.get(cart);
    expect(skill).toMatchObject({ resources: 'dynamic', frontmatter: { name: 'cart' } });
    expect(await readText()).toMatch(/\n\n# Cart\n\nIt holds two apples\. Currency: EUR\.\n$/);
    expect((await skills.get('skill://mdp/shop/help/SKILL.md')).skill.resources).toHaveLength(1);
  });

  test('exposes its current content', async () => {
    await page.fill('#cart', 'three pears');
    expect(await readText()).toContain('It holds three pears.');
  });

  test('returns after a reload', async () => {
    await openPage();
    await eventually(async () => expect(await readText()).toContain('It holds two apples.'));
    const { stdout } = await folder.run(['runtimes', `mdp:${address.mdp}`, '--json']);
    expect(JSON.parse(stdout).runtimes).toMatchObject([{ id: 'shop', name: 'A shop with a live skill', paths: 2 }]);
  });

  test('works without a WebSocket', async () => {
    await openPage('five plums', address.url);
    await eventually(async () => expect(await readText()).toContain('It holds five plums.'));
    const { stdout } = await folder.run(['runtimes', `mdp:${address.mdp}`, '--json']);
    expect(JSON.parse(stdout).runtimes).toMatchObject([{ id: 'shop', transport: 'http-loop' }]);
    await openPage();
    await eventually(async () => expect(await readText()).toContain('It holds two apples.'));
  });

  test('disappears with all its skills when it is closed', async () => {
    await page.close();
    await eventually(async () => expect(await listed()).toEqual(['skill://notes/SKILL.md']));
    expect((await fetch(`${address.url}/skills/shop/cart`)).status).toBe(404);
    await expect(client.readResource({ uri: cart })).rejects.toThrow();
    expect(
      (
        await client.callTool({
          name: 'callPath',
          arguments: { clientId: 'shop', method: 'GET', path: '/cart/skill.md' },
        })
      ).isError,
    ).toBe(true);
  });
});

test('a skill of the page is loaded by the official client, pinned, served without the page, and drifts', async () => {
  const skills = new SkillsClient(client);
  const load = async () => {
    const { skill } = await skills.get(cart);
    return { skill, file: await skills.read(skill, undefined, { cacheMode: 'refresh' }) };
  };
  page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  await openPage();
  await eventually(async () => expect(await listed()).toContain(cart));
  const live = await load();
  expect(live.file).toMatchObject({ verified: false, text: expect.stringContaining('It holds two apples.') });

  const origin = `mdp:${address.mdp}`;
  expect(await folder.run(['pin', origin, 'cart', '--for', '30d'])).toMatchObject({ exitCode: 0 });
  await eventually(async () => expect((await skills.get(cart)).skill.resources).toHaveLength(1), 100);
  await page.close();
  await eventually(async () => expect(await listed()).toEqual([cart, 'skill://notes/SKILL.md']), 100);
  const pinned = await load();
  expect(pinned.file).toMatchObject({ verified: true, text: live.file.text });
  expect(pinned.skill.frontmatter).toEqual(live.skill.frontmatter);
  const { setDigest } = JSON.parse((await folder.run(['show', origin, 'cart', '--json'])).stdout);
  expect(await folder.run(['approve', origin, 'cart', '--yes', setDigest])).toMatchObject({ exitCode: 0 });
  expect((await folder.run(['list', origin])).stdout).toMatch(/cart .* approved/);

  page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  await openPage('forty-two oranges');
  await eventually(async () => {
    const { stdout, exitCode } = await folder.run(['pin', '--list', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).pinned).toMatchObject([{ uri: cart, state: 'drift' }]);
  }, 500);
  // The server looks at the live skill in its own time.
  await eventually(async () => {
    expect((await skills.get(cart)).skill).toMatchObject({ _meta: { 'dev.skillwire/pinned': { drift: true } } });
  }, 100);
  expect((await load()).file).toMatchObject({ verified: true, text: live.file.text });
  expect((await folder.run(['list', origin])).stderr).toContain('[pinned-drift]');
  expect((await folder.run(['show', origin, cart])).stdout).toContain('The live skill changed');

  expect(await folder.run(['unpin', origin, 'cart'])).toMatchObject({ exitCode: 0 });
  await eventually(async () => expect((await load()).file.text).toContain('forty-two oranges'), 100);
});

test('the page of the guide exposes a skill with one import; a page of a foreign origin gets no client', async () => {
  const guide = readFileSync(join(project, 'docs/guides/expose-a-live-program.md'), 'utf8');
  const [, block = ''] = /```html\n([\s\S]*?)```/.exec(guide) ?? [];
  const own = await servePage(() => withHub(block));
  // It has the same id.
  await page.close();
  const shown = await browser.newPage();
  shown.setDefaultTimeout(patienceMs);
  try {
    await shown.goto(own.origin);
    await eventually(async () => {
      const answer = await fetch(`${address.url}/skills/shop/cart`);
      expect([answer.status, await answer.text()]).toEqual([200, '# Cart\n\ntwo apples']);
    }, 100);
    // The same page, which the browser treats as one of another machine.
    await shown.route('http://shop.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: withHub(block) }),
    );
    const refused = shown.waitForEvent('requestfailed', (request) => request.url().endsWith('/runtime.js'));
    await shown.goto('http://shop.example/');
    await refused;
  } finally {
    await shown.close();
    await own.close();
  }
});

test('the client is one script that every allowed page may load, and that browsers revalidate', async () => {
  const ask = (headers: Record<string, string>) => fetch(`${address.url}/runtime.js`, { headers });
  const answer = await ask({ origin: site.origin });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': site.origin,
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding, Origin',
  });
  expect((await ask({ 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(304);
  expect((await ask({ origin: 'http://shop.example' })).status).toBe(403);
  expect((await fetch(`${address.url}/runtime.js`, { method: 'POST' })).status).toBe(405);
});
