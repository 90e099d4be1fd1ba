import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type ServeHandle, type ServeOptions, serve } from './serve.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function skillText(name: string, body = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n\n# ${name}\n${body}`;
}

async function skillsFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-serve-'));
  cleanUp.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'git-workflow', 'references'), { recursive: true });
  await writeFile(join(folder, 'git-workflow', 'SKILL.md'), skillText('git-workflow'));
  await writeFile(join(folder, 'git-workflow', 'references', 'GUIDE.md'), '# Guide\n');
  await mkdir(join(folder, 'drafts', 'idea'), { recursive: true });
  await writeFile(join(folder, 'drafts', 'idea', 'SKILL.md'), skillText('idea'));
  return folder;
}

const loopback = { host: '127.0.0.1', port: 0 };

type Http = ServeHandle & { readonly url: string; readonly mcp: string };

async function start(options: ServeOptions): Promise<Http> {
  const handle = await serve(options);
  cleanUp.push(() => handle.close());
  const { url, mcp } = handle;
  if (url === undefined || mcp === undefined) throw new Error('no address');
  return { ...handle, url, mcp };
}

async function connect(mcp: string, era: 'modern' | 'legacy'): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  cleanUp.push(() => client.close());
  return client;
}

describe.each(['modern', 'legacy'] as const)('a served folder, for %s clients over a socket', (era) => {
  test('has skills that the official client verifies', async () => {
    const { mcp } = await start({ roots: [{ path: await skillsFolder() }], http: loopback });
    const client = await connect(mcp, era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
    const skills = new SkillsClient(client);
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual(['skill://drafts/idea/SKILL.md', 'skill://git-workflow/SKILL.md']);
    for (const skill of listed) expect(await skills.read(skill)).toMatchObject({ verified: true });
    const workflow = listed[1];
    if (workflow === undefined) throw new Error('no skill');
    expect(await skills.read(workflow, 'references/GUIDE.md')).toMatchObject({ verified: true, text: '# Guide\n' });
  });

  test('announces an edited file', async () => {
    const folder = await skillsFolder();
    const { mcp } = await start({ roots: [{ path: folder }], http: loopback });
    const client = await connect(mcp, era);
    const seen: string[] = [];
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      seen.push('list');
    });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      seen.push(params.uri);
    });
    const uri = 'skill://git-workflow/SKILL.md';
    await client.listResources();
    if (era === 'modern') await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    let round = 0;
    // A stream of an older revision opens some time after `connect()`; earlier messages are lost. The file has a quiet period between two edits;
    // without one, it is published as it is, even half-written.
    await eventually(async () => {
      await writeFile(join(folder, 'git-workflow', 'SKILL.md'), skillText('git-workflow', `round ${++round}\n`));
      expect(seen).toEqual(expect.arrayContaining(['list', uri]));
    }, 400);
    const { contents } = await client.readResource({ uri }, { cacheMode: 'refresh' });
    expect(contents[0]).toHaveProperty('text', expect.stringMatching(/round \d/));
  });
});

describe('routes', () => {
  test('report that the process lives and when it is ready', async () => {
    const source = memorySource({ refunds: { 'SKILL.md': skillText('refunds') } });
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: SkillSource = {
      ...source,
      async *list(context) {
        await gate;
        yield* source.list(context);
      },
    };
    const { url } = await start({ source: slow, http: loopback });
    const status = async (path: string): Promise<number> => (await fetch(`${url}/${path}`)).status;
    expect([await status('healthz'), await status('readyz')]).toEqual([200, 503]);
    release();
    await eventually(async () => expect(await status('readyz')).toBe(200));
  });

  test("show a page with the server's address as requested", async () => {
    const { url, mcp } = await start({ roots: [{ path: await skillsFolder() }], http: loopback });
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const page = await answer.text();
    expect(page).toContain(mcp);
    expect(page).toContain('git-workflow');
    expect(await (await fetch(url.replace('127.0.0.1', 'localhost'))).text()).toContain(
      mcp.replace('127.0.0.1', 'localhost'),
    );
  });

  test('list findings on loopback, and only count them for others', async () => {
    const folder = await skillsFolder();
    await mkdir(join(folder, 'broken'));
    await writeFile(join(folder, 'broken', 'SKILL.md'), 'nothing');
    const roots = [{ path: folder }];
    const local = await start({ roots, http: loopback });
    expect(await (await fetch(local.url)).text()).toContain(join(folder, 'broken', 'SKILL.md'));
    const open = await start({ roots, http: { host: '0.0.0.0', port: 0, allowUnauthenticatedRemote: true } });
    const page = await (await fetch(open.url)).text();
    expect(page).toContain('1 problem, 0 warnings, 0 notes');
    expect(page).not.toContain(folder);
  });

  test('do not exist at other paths, and only for meaningful methods', async () => {
    const { url } = await start({ source: memorySource(), http: loopback });
    const ask = (path: string, method = 'GET') => fetch(`${url}/${path}`, { method });
    for (const path of ['nothing', 'mcp/', '%2e%2e/etc', 'constructor', '__proto__'])
      expect((await ask(path)).status).toBe(404);
    const refused = await ask('healthz', 'POST');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await ask('', 'DELETE')).status).toBe(405);
    expect((await ask('mcp', 'PUT')).status).toBe(405);
    expect((await ask('healthz', 'HEAD')).status).toBe(200);
  });
});

describe('serve()', () => {
  test('returns usable addresses without a final slash, also if it listens on all addresses', async () => {
    const source = memorySource();
    const local = await start({ source, http: loopback });
    expect(local.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(local.mcp).toBe(`${local.url}/mcp`);
    const everywhere = { host: '0.0.0.0', port: 0, allowUnauthenticatedRemote: true };
    const open = await start({ source: memorySource(), http: everywhere });
    expect(open.url).not.toContain('0.0.0.0');
    expect((await fetch(`${open.url}/healthz`)).status).toBe(200);
    const named = await start({ source: memorySource(), http: { ...everywhere, allowedHosts: ['a.example', 'b'] } });
    expect(named.mcp).toMatch(/^http:\/\/a\.example:\d+\/mcp$/);
  });

  test('lists by the rules, and serves unlisted skills by URI', async () => {
    const { mcp } = await start({
      roots: [{ path: await skillsFolder() }],
      rules: [{ match: 'drafts/', listed: false }],
      http: loopback,
    });
    const skills = new SkillsClient(await connect(mcp, 'modern'));
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual(['skill://git-workflow/SKILL.md']);
    expect((await skills.get('skill://drafts/idea/SKILL.md')).skill.frontmatter.name).toBe('idea');
  });

  test('gives labeled folders a prefix, and allows longer caching if nothing is watched', async () => {
    const { mcp } = await start({
      roots: [{ path: await skillsFolder(), label: 'team' }],
      watch: false,
      http: loopback,
    });
    const listing = await new SkillsClient(await connect(mcp, 'modern')).list();
    expect(listing.skills.map(({ uri }) => uri)).toContain('skill://team/git-workflow/SKILL.md');
    expect(listing.ttlMs).toBe(300_000);
  });

  test('needs exactly one transport', async () => {
    const source = memorySource();
    await expect(serve({ source })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(serve({ source, stdio: true, http: loopback })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('closes the source if it cannot listen', async () => {
    let closed = false;
    const source: SkillSource = {
      ...memorySource(),
      async close() {
        closed = true;
      },
    };
    await expect(serve({ source, http: { host: '0.0.0.0', port: 0 } })).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
    expect(closed).toBe(true);
  });

  test('reports a missing folder through the catalog', async () => {
    const { catalog, url } = await start({ roots: [{ path: '/nonexistent/skills' }], http: loopback });
    await expect(async () => catalog.snapshot()).rejects.toMatchObject({ code: 'ORIGIN_NOT_FOUND' });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });

  test('hides the unreadable folder from clients, but logs it', async () => {
    const lines: string[] = [];
    const roots = [{ path: '/nonexistent/skills' }];
    const { mcp } = await start({ roots, http: loopback, log: (line) => lines.push(line) });
    const client = await connect(mcp, 'modern');
    const refusal = await new SkillsClient(client).list().catch((error: Error) => error.message);
    expect(refusal).toContain('Internal error');
    expect(refusal).not.toContain('nonexistent');
    expect(lines.join()).toContain('/nonexistent/skills');
  });

  test('logs server errors in one line', async () => {
    const lines: string[] = [];
    const source: SkillSource = {
      ...memorySource({ refunds: { 'SKILL.md': skillText('refunds') } }),
      open: () => Promise.reject(new Error('disk on fire')),
    };
    const { mcp } = await start({ source, http: loopback, log: (line) => lines.push(line) });
    const client = await connect(mcp, 'modern');
    await expect(client.readResource({ uri: 'skill://refunds/SKILL.md' })).rejects.toThrow('Internal error');
    expect(lines).toEqual(['error: disk on fire']);
  });

  test('ends streams, sessions and its source on close', async () => {
    let closed = false;
    const source: SkillSource = {
      ...memorySource(),
      async close() {
        closed = true;
      },
    };
    const handle = await start({ source, http: loopback });
    const modern = await connect(handle.mcp, 'modern');
    const subscription = await modern.listen({ resourcesListChanged: true });
    await connect(handle.mcp, 'legacy');
    await Promise.all([handle.close(), handle.close(), handle.closed]);
    expect(await subscription.closed).toBe('graceful');
    expect(closed).toBe(true);
    await expect(fetch(handle.url)).rejects.toThrow();
  });
});
