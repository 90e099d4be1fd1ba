/**
 * Every way to ask a server about skills, as requests of one caller. They use MCP in both eras, past the SDK and through it, tools, plain HTTP,
 * and live runtimes. Together the answers are everything that the caller can see.
 */
import { request } from 'node:http';
import { legacyVersion, modernVersion } from './raw-mcp.ts';

/** A caller: the address of the server and the token, if any. */
export interface CallerAt {
  readonly url: string;
  readonly token?: string | undefined;
}

export interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Ask = (caller: CallerAt) => Promise<Heard>;

/** One served skill, and how to request it in each way. */
export interface RequestedSkill {
  /** Decoded path. */
  readonly path: string;
  /** A file besides `SKILL.md`. */
  readonly file: string;
  /** The name on a site. */
  readonly name: string;
  /** Of its artifact on a site, as an address names it: `sha256-….tar.gz`. */
  readonly artifact: string;
  /** Of a live skill: the id of its runtime and the path there. */
  readonly live?: { readonly client: string; readonly path: string };
}

export async function send(
  { url, token }: CallerAt,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<Heard> {
  const { host } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${target}`, {
      method,
      agent: false,
      headers: {
        host,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === ''
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const { date: _, ...rest } = answer.headers as Record<string, string>;
        resolve({ status: answer.statusCode ?? 0, headers: rest, body: Buffer.concat(parts).toString('latin1') });
      });
    });
    sent.end(body);
  });
}

type Params = Readonly<Record<string, unknown>>;
const accept = { accept: 'application/json, text/event-stream' };

/** Of the stateless revision. `longWay`: with an id that only the SDK accepts, so that nothing is answered past it. */
export const modern =
  (method: string, params: Params = {}, name?: string, longWay = false): Ask =>
  (caller) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': modernVersion,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const headers = {
      ...accept,
      'mcp-protocol-version': modernVersion,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    };
    const id = longWay ? 'x'.repeat(300) : 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return send(caller, 'POST', '/mcp', headers, body);
  };

/** Without a session. */
const legacy =
  (method: string, params: Params = {}): Ask =>
  (caller) =>
    send(caller, 'POST', '/mcp', { ...accept, 'mcp-protocol-version': legacyVersion }, rpc(1, method, params));

const rpc = (id: number, method: string, params: Params): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export async function openSession(caller: CallerAt): Promise<{ readonly opened: Heard; readonly session: string }> {
  const params = { protocolVersion: legacyVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const opened = await send(caller, 'POST', '/mcp', accept, rpc(1, 'initialize', params));
  return { opened, session: opened.headers['mcp-session-id'] ?? '' };
}

/** In a session of an older revision, opened for it and ended after it. */
export const inSession =
  (method: string, params: Params = {}): Ask =>
  async (caller) => {
    const { opened, session } = await openSession(caller);
    if (opened.status !== 200) return opened;
    const headers = { ...accept, 'mcp-session-id': session, 'mcp-protocol-version': legacyVersion };
    const heard = await send(caller, 'POST', '/mcp', headers, rpc(2, method, params));
    await send(caller, 'DELETE', '/mcp', headers);
    return heard;
  };

export const get =
  (target: string, headers: Readonly<Record<string, string>> = {}): Ask =>
  (caller) =>
    send(caller, 'GET', target, headers);

export const tool = (name: string, args: Params): Ask => modern('tools/call', { name, arguments: args }, name);

/** Requests about several skills: those that the caller may see, and nothing of the others. */
export function listings(words: readonly string[]): Readonly<Record<string, Ask>> {
  return {
    'skills/list': modern('skills/list'),
    'skills/list through the SDK': modern('skills/list', {}, undefined, true),
    'skills/list of older clients': legacy('skills/list'),
    'skills/list in a session': inSession('skills/list'),
    'resources/list': modern('resources/list'),
    'resources/list in a session': inSession('resources/list'),
    'resources/directory/read of everything': modern('resources/directory/read', { uri: 'skill://' }),
    'resources/templates/list': modern('resources/templates/list'),
    'completion/complete': modern('completion/complete', {
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: { name: 'path', value: '' },
    }),
    'server/discover': modern('server/discover'),
    initialize: async (caller) => (await openSession(caller)).opened,
    'tools/list': modern('tools/list'),
    'the tool listClients': tool('listClients', {}),
    'the tool listPaths': tool('listPaths', { depth: 9 }),
    'the tool search_skills': tool('search_skills', { query: words.join(' ') }),
    'GET /api/search': get(`/api/search?q=${words.join('+')}`),
    'the index of v0.2': get('/.well-known/agent-skills/index.json'),
    'the index of v0.1': get('/.well-known/skills/index.json'),
    'the page without scripts': get('/ui/plain'),
    'the rows of the page': get('/api/skills'),
    'the page tries the catalog': get('/api/try/catalog?characters=100000'),
    'GET /mdp/skills': get('/mdp/skills'),
    'GET /mdp/clients': get('/mdp/clients'),
  };
}

/** Requests about one skill. */
export function questions(skill: RequestedSkill): Readonly<Record<string, Ask>> {
  const { path, file, name, artifact, live } = skill;
  const uri = `skill://${path}/SKILL.md`;
  const site = '/.well-known/agent-skills';
  const common: Record<string, Ask> = {
    'skills/get': modern('skills/get', { uri }),
    'skills/get through the SDK': modern('skills/get', { uri }, undefined, true),
    'skills/get of older clients': legacy('skills/get', { uri }),
    'skills/get of another spelling': modern('skills/get', {
      uri: `SKILL://%${path.charCodeAt(0).toString(16)}${path.slice(1)}/SKILL.md`,
    }),
    'skills/get of a file': modern('skills/get', { uri: `skill://${path}/${file}` }),
    'skills/get of a folder': modern('skills/get', { uri: `skill://${path}` }),
    'resources/read': modern('resources/read', { uri }, uri),
    'resources/read through the SDK': modern('resources/read', { uri }, uri, true),
    'resources/read in a session': inSession('resources/read', { uri }),
    'resources/read of a folder': modern('resources/read', { uri: `skill://${path}` }, `skill://${path}`),
    'resources/directory/read': modern('resources/directory/read', { uri: `skill://${path}` }),
    'resources/directory/read through the SDK': modern(
      'resources/directory/read',
      { uri: `skill://${path}` },
      undefined,
      true,
    ),
    'resources/directory/read of a file': modern('resources/directory/read', { uri }),
    'resources/subscribe': inSession('resources/subscribe', { uri }),
    'completion/complete of a file': modern('completion/complete', {
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: { name: 'path', value: `${path}/` },
    }),
    'the catalog on the skill routes': get(`/skills/skillwire/${path}/skill.md`),
    'the catalog on the other skill route': get(`/skillwire/skills/${path}`),
    'the page about it': get(`/api/skill?uri=${uri}`),
    'its text on the page': get(`/api/text?uri=${uri}`),
    'its bytes on the page': get(`/api/bytes?uri=${uri}`),
    'the page tries to load it': get(`/api/try/load?uri=${uri}`),
  };
  if (live !== undefined)
    return {
      ...common,
      'the skill route': get(`/skills/${live.client}${live.path}`),
      'the other skill route': get(`/${live.client}/skills${live.path}`),
      'the tool callPath': tool('callPath', { clientId: live.client, method: 'GET', path: live.path }),
      'the tool callPaths': tool('callPaths', { clientIds: [live.client], method: 'GET', path: live.path }),
      'the tool callPaths for all': tool('callPaths', { method: 'GET', path: live.path }),
    };
  return {
    ...common,
    'resources/read of a file': modern('resources/read', { uri: `skill://${path}/${file}` }, `skill://${path}/${file}`),
    'a file of v0.2': get(`${site}/${name}/SKILL.md`),
    'a file of v0.1': get(`/.well-known/skills/${name}/SKILL.md`),
    'an archive by name': get(`${site}/${name}.tar.gz`),
    'an artifact by digest': get(`${site}/by-digest/${artifact}`),
    'an artifact by digest, with its tag': get(`${site}/by-digest/${artifact}`, {
      'if-none-match': `"sha256:${artifact.slice('sha256-'.length, 'sha256-'.length + 64)}"`,
    }),
  };
}
