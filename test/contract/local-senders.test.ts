/**
 * Local senders on every route: directly on loopback, through a proxy that keeps the site's name, and through one that names its client.
 * Each on a server with and without tokens.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { SkillwireError } from '../../src/errors.ts';
import { type ServeHandle, type ServeOptions, serve } from '../../src/node/serve.ts';
import { createProfile } from '../../src/serving/access/profile.ts';
import { createTokenBook } from '../../src/serving/access/token-book.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { eventually } from '../eventually.ts';
import { loopPeer, type Peer, registration, socketPeer } from '../mdp-peer.ts';
import {
  asDocumented,
  keepsHost,
  type PassedHeaders,
  type ReverseProxy,
  reverseProxy,
  saysForWhom,
} from '../reverse-proxy.ts';
import { type Heard, send } from './access-requests.ts';
import { modernVersion } from './raw-mcp.ts';

const site = 'skills.example.com';
const sesame = 'sesame-of-the-runtimes';

const forwarded: Readonly<Record<string, string>> = {
  Forwarded: 'for=203.0.113.7;host=skills.example.com',
  Via: '1.1 proxy.example.com',
  'X-Forwarded-For': '203.0.113.7',
  'X-Forwarded-Host': site,
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Port': '443',
  'X-Real-IP': '203.0.113.7',
};

/** Ways to a server: the behavior of the proxy, and the Host header of the visitor. */
const ways: Readonly<Record<string, { readonly passed?: PassedHeaders; readonly host?: string }>> = {
  directly: {},
  'through the documented proxy': { passed: asDocumented, host: site },
  'through a proxy that keeps the host': { passed: keepsHost, host: site },
  ...Object.fromEntries(
    Object.entries(forwarded).map(([name, value]) => [
      `through a proxy that sets ${name}`,
      { passed: saysForWhom(name, value) },
    ]),
  ),
};

type Who = 'nobody' | 'a reader' | 'an operator';

interface Target {
  readonly handle: ServeHandle;
  readonly ways: ReadonlyMap<string, { readonly url: string; readonly host: string | undefined }>;
  readonly tokens: Readonly<Record<Who, string | undefined>>;
}

let folder: string;
const closing: AsyncDisposable[] = [];
const targets = new Map<'without tokens' | 'with tokens' | 'for everybody', Target>();

async function open(options: Partial<ServeOptions>, tokens: Target['tokens']): Promise<Target> {
  const handle = await serve({
    roots: [{ path: folder }],
    watch: false,
    cache: false,
    http: { host: '127.0.0.1', port: 0, allowedHosts: [site] },
    mdp: { tokens: { laptop: sesame } },
    ...options,
  } as ServeOptions);
  closing.push({ [Symbol.asyncDispose]: () => handle.close() });
  await handle.catalog.snapshot();
  const url = handle.url ?? '';
  const reached = new Map<string, { url: string; host: string | undefined }>();
  for (const [way, { passed, host }] of Object.entries(ways)) {
    const proxy: ReverseProxy | undefined = passed === undefined ? undefined : await reverseProxy(url, passed);
    if (proxy !== undefined) closing.unshift(proxy);
    reached.set(way, { url: proxy?.url ?? url, host });
  }
  return { handle, ways: reached, tokens };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-local-'));
  mkdirSync(join(folder, 'notes'));
  mkdirSync(join(folder, 'broken'));
  writeFileSync(join(folder, 'notes/SKILL.md'), '---\nname: notes\ndescription: Notes of the team.\n---\nText.\n');
  writeFileSync(join(folder, 'broken/SKILL.md'), '---\nname: other\n---\nNo description.\n');
  targets.set('without tokens', await open({}, { nobody: undefined, 'a reader': undefined, 'an operator': undefined }));
  const book = createTokenBook(memoryStore());
  const profile = createProfile('all', {});
  const token = async (name: string, operator: boolean): Promise<string> =>
    (await book.add({ name, profile: 'all', operator })).token;
  const nobody = { nobody: undefined, 'a reader': undefined, 'an operator': undefined };
  const anonymous = { verify: book.verify, profile: () => profile, anonymous: 'all' };
  targets.set('for everybody', await open({ access: anonymous }, nobody));
  targets.set(
    'with tokens',
    await open(
      { access: { verify: book.verify, profile: (name) => (name === 'all' ? profile : undefined) } },
      { nobody: undefined, 'a reader': await token('reader', false), 'an operator': await token('operator', true) },
    ),
  );
}, 60_000);

afterAll(async () => {
  for (const one of closing) await one[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(
  target: Pick<Target, 'ways' | 'tokens'>,
  way: string,
  path: string,
  who: Who = 'nobody',
): Promise<Heard> {
  const reached = target.ways.get(way);
  if (reached === undefined) throw new Error(`there is no way "${way}"`);
  const host = reached.host ?? new URL(reached.url).host;
  const caller = { url: reached.url, token: target.tokens[who] };
  if (path !== '/mcp') return send(caller, 'GET', path, { host });
  const headers = {
    host,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': modernVersion,
    'mcp-method': 'skills/list',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'skills/list', params: { _meta } });
  return send(caller, 'POST', path, headers, body);
}

interface Expected {
  /** Statuses on the server without tokens: for a local visitor, and for one behind a proxy. */
  readonly local: number;
  readonly proxied: number;
  /** Statuses on the server with tokens, whatever the way: without one, with a reader's, with an operator's. */
  readonly nobody: number;
  readonly reader: number;
  readonly operator: number;
}

const everybody: Expected = { local: 200, proxied: 200, nobody: 200, reader: 200, operator: 200 };
const readers: Expected = { ...everybody, nobody: 401 };
const operators: Expected = { local: 200, proxied: 403, nobody: 401, reader: 403, operator: 200 };
/** The page's data about the server itself. */
const trusted: Expected = { local: 200, proxied: 401, nobody: 401, reader: 401, operator: 200 };

const notes = encodeURIComponent('skill://notes/SKILL.md');
const routes: Readonly<Record<string, Expected>> = {
  '/healthz': everybody,
  '/readyz': everybody,
  '/mdp/meta': everybody,
  '/api': everybody,
  '/mcp': readers,
  '/.well-known/agent-skills/index.json': readers,
  '/skills/skillwire/notes': readers,
  '/skillwire/skills/notes': readers,
  '/ui/plain': readers,
  '/api/skills': readers,
  [`/api/skill?uri=${notes}`]: readers,
  [`/api/text?uri=${notes}`]: readers,
  '/api/search?q=notes': readers,
  '/api/hosts': readers,
  '/mdp/skills': readers,
  '/mdp/clients': { ...readers, proxied: 401 },
  '/status': operators,
  '/metrics': operators,
  '/api/audit': trusted,
  '/api/queue': trusted,
  '/api/origins': trusted,
  '/api/runtimes': trusted,
  '/api/templates': trusted,
  [`/api/versions?uri=${notes}`]: trusted,
};

describe.each(Object.keys(ways))('requested %s', (way) => {
  const isLocal = way === 'directly';

  test.each(Object.entries(routes))('%s answers only readers who may see it', async (path, expected) => {
    const open = targets.get('without tokens') as Target;
    const guarded = targets.get('with tokens') as Target;
    expect({
      open: (await ask(open, way, path)).status,
      nobody: (await ask(guarded, way, path)).status,
      reader: (await ask(guarded, way, path, 'a reader')).status,
      operator: (await ask(guarded, way, path, 'an operator')).status,
    }).toEqual({
      open: isLocal ? expected.local : expected.proxied,
      nobody: expected.nobody,
      reader: expected.reader,
      operator: expected.operator,
    });
  });

  test('only answers for people on this machine contain its folders', async () => {
    const open = targets.get('without tokens') as Target;
    const guarded = targets.get('with tokens') as Target;
    for (const path of Object.keys(routes)) {
      if (!isLocal) expect((await ask(open, way, path)).body, path).not.toContain(folder);
      for (const who of ['nobody', 'a reader'] as const)
        expect((await ask(guarded, way, path, who)).body, `${path} for ${who}`).not.toContain(folder);
    }
    expect((await ask(open, way, '/ui/plain')).body.includes(folder)).toBe(isLocal);
  });

  test('the page marks who is trusted', async () => {
    const heard = await ask(targets.get('without tokens') as Target, way, '/api');
    expect((JSON.parse(heard.body) as { session: object }).session).toMatchObject({ trusted: isLocal });
  });
});

describe('a server with a profile for everybody', () => {
  test.each(Object.keys(ways))('requested %s, shows connections only to local readers', async (way) => {
    const { ways: reached, tokens } = targets.get('for everybody') as Target;
    const heard = await ask({ ways: reached, tokens }, way, '/mdp/clients');
    expect(heard.status).toBe(way === 'directly' ? 200 : 401);
    for (const path of ['/mdp/skills', '/ui/plain', '/api/skills'])
      expect((await ask({ ways: reached, tokens }, way, path)).body, path).not.toContain(folder);
  });
});

describe('a page', () => {
  const toOurOwnPages = new Set(
    Object.keys(routes).filter((path) => /^\/(?:api|status|metrics|mdp)(?:[/?]|$)/.test(path)),
  );
  const named = 'https://dashboard.example.com';

  async function answerTo(handle: ServeHandle, path: string, origin: string): Promise<Heard> {
    const url = handle.url ?? '';
    return path === '/mcp'
      ? send({ url }, 'OPTIONS', path, { origin, 'access-control-request-method': 'POST' })
      : send({ url }, 'GET', path, { origin });
  }

  async function server(): Promise<ServeHandle> {
    const http = { host: '127.0.0.1', port: 0, allowedOrigins: [named] };
    const handle = await serve({ roots: [{ path: folder }], watch: false, cache: false, http, mdp: {} });
    onTestFinished(() => handle.close());
    await handle.catalog.snapshot();
    return handle;
  }

  test('of this server reads everything that a local reader reads', async () => {
    const handle = await server();
    for (const path of Object.keys(routes))
      expect((await answerTo(handle, path, handle.url ?? '')).status, path).toBe(path === '/mcp' ? 204 : 200);
  });

  test.each([
    ['another port of this machine', 'http://localhost:3000'],
    ['another address of this machine', 'http://[::1]:3000'],
    ['another scheme', 'https'],
  ])('of %s reads no data of the page, no state and no lists of runtimes', async (_, origin) => {
    const handle = await server();
    const from = origin === 'https' ? (handle.url ?? '').replace('http:', 'https:') : origin;
    for (const path of Object.keys(routes)) {
      const { status, headers, body } = await answerTo(handle, path, from);
      expect(status, path).toBe(toOurOwnPages.has(path) ? 403 : path === '/mcp' ? 204 : 200);
      expect(headers['access-control-allow-origin'], path).toBe(toOurOwnPages.has(path) ? undefined : from);
      expect(body, path).not.toContain(folder);
    }
  });

  test('of an allowed origin reads what every reader reads, and is not a local reader', async () => {
    const handle = await server();
    for (const [path, { proxied }] of Object.entries(routes)) {
      const { status, body } = await answerTo(handle, path, named);
      expect(status, path).toBe(path === '/mcp' ? 204 : proxied);
      expect(body, path).not.toContain(folder);
    }
  });

  test('of any other origin reads nothing', async () => {
    const handle = await server();
    for (const path of Object.keys(routes))
      for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example:3000'])
        expect((await answerTo(handle, path, origin)).status, `${path} of ${origin}`).toBe(403);
  });

  test('of a development server on this machine exposes live skills; no other page does', async () => {
    const handle = await server();
    for (const connect of [socketPeer, loopPeer]) {
      const peer = await connect((handle.url ?? '').replace('http', connect === socketPeer ? 'ws' : 'http'), {
        headers: { origin: 'http://localhost:3000' },
      });
      peer.send(registration('shop'));
      await eventually(() => expect(handle.mdp?.runtimes.client('shop')).toBeDefined());
      await peer.close();
      await eventually(() => expect(handle.mdp?.runtimes.client('shop')).toBeUndefined());
      const foreign = connect(handle.url ?? '', { headers: { origin: 'https://evil.example' } });
      await expect(foreign).rejects.toThrow('403');
    }
  });
});

describe('a runtime', () => {
  const transports = {
    'a WebSocket': (url: string, headers: Readonly<Record<string, string>>): Promise<Peer> =>
      socketPeer(url.replace(/^http/, 'ws'), { headers }),
    'the HTTP loop': (url: string, headers: Readonly<Record<string, string>>): Promise<Peer> =>
      loopPeer(url, { headers }),
  };
  /** As the server sees them; the proxy of this test passes no WebSockets on. */
  const arrivals: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    directly: {},
    ...Object.fromEntries(Object.entries(forwarded).map(([name, value]) => [`with ${name}`, { [name]: value }])),
  };

  async function isTaken(handle: ServeHandle, connect: () => Promise<Peer>, id: string): Promise<string> {
    let peer: Peer;
    try {
      peer = await connect();
    } catch (error) {
      return (error as Error).message;
    }
    try {
      peer.send(registration(id));
      return await eventually(() => {
        if (handle.mdp?.runtimes.client(id) !== undefined) return 'taken';
        if (peer.closed === undefined) throw new Error('neither registered nor refused');
        return peer.closed.reason ?? 'refused';
      });
    } finally {
      if (peer.closed === undefined) await peer.close();
    }
  }

  describe.each(Object.entries(transports))('over %s', (_, connect) => {
    test.each(Object.entries(arrivals))(
      '%s: is accepted without a token only from this machine',
      async (way, headers) => {
        const handle = await serve({ roots: [{ path: folder }], http: { host: '127.0.0.1', port: 0 }, mdp: {} });
        try {
          const outcome = await isTaken(handle, () => connect(handle.url ?? '', headers), 'outsider');
          expect(outcome).toBe(way === 'directly' ? 'taken' : 'refused with 403');
        } finally {
          await handle.close();
        }
      },
    );

    test.each(['without tokens', 'with tokens'] as const)(
      'needs its token on a server %s for readers',
      async (kind) => {
        const { handle } = targets.get(kind) as Target;
        const connecting = (headers: Readonly<Record<string, string>>) => () => connect(handle.url ?? '', headers);
        for (const headers of Object.values(arrivals)) {
          expect(await isTaken(handle, connecting(headers), 'outsider')).toBe('a token is required');
          const authorized = { ...headers, authorization: `Bearer ${sesame}` };
          expect(await isTaken(handle, connecting(authorized), 'insider')).toBe('taken');
        }
      },
    );
  });

  const profile = createProfile('all', {});
  const access = { verify: async () => undefined, profile: () => profile };
  test.each<[string, Partial<ServeOptions>]>([
    ['readers need tokens', { access }],
    ['the server has an address for readers', { access: { ...access, url: 'https://skills.example.com' } }],
    ['the server answers to another name', { http: { host: '127.0.0.1', port: 0, allowedHosts: [site] } }],
    [
      'runtimes have a port with another name',
      { mdp: { listen: { host: '127.0.0.1', port: 0, allowedHosts: [site] } } },
    ],
    ['it listens beyond loopback', { http: { host: '0.0.0.0', port: 0, allowUnauthenticatedRemote: true } }],
  ])('could never connect, so nothing starts: %s', async (_, options) => {
    const given = { roots: [{ path: folder }], http: { host: '127.0.0.1', port: 0 }, mdp: {}, ...options };
    const outcome = await serve(given as ServeOptions).then(
      async (handle) => {
        await handle.close();
        return 'started';
      },
      (error: SkillwireError) => [error.code, error.message],
    );
    expect(outcome).toEqual(['ADDRESS_REFUSED', expect.stringContaining('--mdp-token-env')]);
  });

  test('names of this machine need no token', async () => {
    const http = { host: '127.0.0.1', port: 0, allowedHosts: ['localhost:8080', '127.0.0.1'] };
    const handle = await serve({ roots: [{ path: folder }], http, mdp: {} });
    await handle.close();
  });
});
