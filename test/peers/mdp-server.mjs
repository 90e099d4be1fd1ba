// A stand-in for the reference server of the Model Drive Protocol 2.2.0, with its habits. It sends no acknowledgments and no
// listing over the network, has skill routes without the leaf, and four tools over stdio. `node mdp-server.mjs [--port N]` prints
// its address to stderr.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { WebSocketServer } from 'ws';
import { z } from 'zod';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
/** By client id: the descriptor and how to reach its session. */
const clients = new Map();
const pending = new Map();
const loops = new Map();

const staticSegment = /^(?:[a-z0-9](?:[a-z0-9_-]*)?|\.[a-z0-9](?:[a-z0-9_-]*)?)$/;
const paramSegment = /^:[a-z0-9](?:[a-z0-9_-]*)$/;

function isPath(path) {
  if (typeof path !== 'string' || !path.startsWith('/') || /[?#]/.test(path)) return false;
  const segments = path.slice(1).split('/');
  const leaf = segments.at(-1);
  const plain = /^(skill|prompt|SKILL|PROMPT)\.md$/.test(leaf) ? segments.slice(0, -1) : segments;
  return plain.every((segment) => staticSegment.test(segment) || paramSegment.test(segment));
}

function arePaths(paths) {
  return (
    Array.isArray(paths) &&
    paths.every((row) => ['skill', 'prompt', 'endpoint'].includes(row?.type) && isPath(row.path))
  );
}

/** @throws Error where the reference closes the session with 1008 */
function receive(session, message) {
  session.lastSeenAt = new Date().toISOString();
  switch (message?.type) {
    case 'registerClient': {
      const { client } = message;
      if (typeof client?.id !== 'string' || typeof client.name !== 'string' || !arePaths(client.paths)) break;
      const before = clients.get(client.id);
      if (before !== undefined && before.session !== session)
        before.session.close(4000, 'Replaced by newer client session');
      clients.set(client.id, { client, session, connectedAt: new Date().toISOString(), auth: message.auth });
      return;
    }
    case 'updateClientCatalog': {
      const registered = clients.get(message.clientId);
      if (registered?.session !== session)
        throw new Error(`Client "${message.clientId}" is not registered on this session`);
      if (!arePaths(message.paths)) break;
      registered.client = { ...registered.client, paths: message.paths };
      return;
    }
    case 'unregisterClient':
      if (clients.get(message.clientId)?.session === session) clients.delete(message.clientId);
      return;
    case 'callClientResult':
      if (typeof message.requestId !== 'string' || typeof message.ok !== 'boolean') break;
      pending.get(message.requestId)?.(message);
      pending.delete(message.requestId);
      return;
    case 'ping':
      session.send({ type: 'pong', timestamp: message.timestamp });
      return;
    case 'pong':
      return;
  }
  throw new Error('Unexpected server-directed message');
}

function gone(session) {
  for (const [id, registered] of clients) if (registered.session === session) clients.delete(id);
}

function matches(pattern, path) {
  const [a, b] = [pattern.split('/'), path.split('/')];
  return a.length === b.length && a.every((segment, at) => segment === b[at] || segment.startsWith(':'));
}

function call(clientId, { method, path, query, headers, auth }) {
  const registered = clients.get(clientId);
  if (registered === undefined) throw new Error(`Client "${clientId}" is not connected`);
  if (!registered.client.paths.some((row) => matches(row.path, path)))
    throw new Error(`Path "${path}" with method "${method}" was not found on client "${clientId}"`);
  const requestId = randomUUID();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Invocation timed out for client "${clientId}"`)), 15_000);
    pending.set(requestId, (message) => {
      clearTimeout(timer);
      resolve(message);
    });
    registered.session.send({
      type: 'callClient',
      requestId,
      clientId,
      method,
      path,
      params: {},
      query,
      headers,
      auth,
    });
  });
}

async function bodyOf(request) {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

async function loop(request, response, url) {
  const json = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const session = loops.get(request.headers['x-mdp-session-id'] ?? url.searchParams.get('sessionId'));
  const name = url.pathname.slice('/mdp/http-loop/'.length);
  if (name === 'connect') {
    const id = randomUUID();
    const own = { queue: [], send: (message) => own.deliver(message), close: () => loops.delete(id) };
    own.deliver = (message) => {
      if (own.waiter === undefined) own.queue.push(message);
      else own.waiter(message);
    };
    loops.set(id, own);
    return json(200, { sessionId: id });
  }
  if (name === 'disconnect') {
    for (const [id, own] of loops) if (own === session) loops.delete(id);
    if (session !== undefined) gone(session);
    return response.writeHead(204).end();
  }
  if (session === undefined) return response.writeHead(404).end();
  if (name === 'send') {
    try {
      receive(session, JSON.parse(await bodyOf(request)).message);
      return json(202, { ok: true });
    } catch (error) {
      gone(session);
      return json(400, { error: error.message });
    }
  }
  session.waiter?.(undefined);
  const next = session.queue.shift();
  const message =
    next ??
    (await new Promise((resolve) => {
      const timer = setTimeout(
        () => resolve(undefined),
        Math.min(Number(url.searchParams.get('waitMs')) || 25_000, 60_000),
      );
      session.waiter = (given) => {
        clearTimeout(timer);
        session.waiter = undefined;
        resolve(given);
      };
    }));
  return message === undefined ? response.writeHead(204).end() : json(200, { message });
}

async function skill(request, response, clientId, path, query) {
  const row = clients.get(clientId)?.client.paths.find((known) => known.type === 'skill' && matches(known.path, path));
  if (row === undefined) return response.writeHead(404).end();
  try {
    const result = await call(clientId, { method: 'GET', path, query, headers: request.headers });
    if (!result.ok) return response.writeHead(502).end(JSON.stringify({ error: result.error }));
    const type = row.contentType ?? 'text/plain';
    return response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(result.data);
  } catch (error) {
    return response.writeHead(400).end(JSON.stringify({ error: error.message }));
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1');
  if (url.pathname === '/mdp/auth') return response.writeHead(204).end();
  if (url.pathname === '/mdp/meta') {
    const meta = {
      protocol: 'mdp',
      protocolVersion: '2.0.0',
      supportedProtocolRanges: ['^2.0.0'],
      serverId: 'stand-in',
    };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(meta));
  }
  if (url.pathname.startsWith('/mdp/http-loop/')) return loop(request, response, url);
  const [first, second, ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const query = Object.fromEntries(url.searchParams);
  if (first === 'skills') return skill(request, response, second, `/${rest.join('/')}/skill.md`, query);
  if (second === 'skills') return skill(request, response, first, `/${rest.join('/')}/skill.md`, query);
  return response.writeHead(404).end();
});

new WebSocketServer({ server }).on('connection', (socket) => {
  const session = {
    send: (message) => socket.send(JSON.stringify(message)),
    close: (code, reason) => socket.close(code, reason),
  };
  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.close(1003, 'Binary frames are not supported');
    try {
      receive(session, JSON.parse(data.toString()));
    } catch (error) {
      socket.close(1008, error.message);
    }
  });
  socket.on('close', () => gone(session));
  session.send({ type: 'ping', timestamp: Date.now() });
});

server.listen(Number(values.port), '127.0.0.1', () => {
  process.stderr.write(`listening on ws://127.0.0.1:${server.address().port}\n`);
});

const depthOf = (path) => Math.max(1, path.slice(1).split('/').length - 2);
const answer = (value) => ({
  content: [{ type: 'text', text: JSON.stringify(value, null, 2) }],
  structuredContent: value,
});
const mcp = new McpServer({ name: 'modeldriveprotocol-server', version: '2.0.0' });
const call4 = {
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string(),
  query: z.record(z.string(), z.any()).optional(),
};
mcp.registerTool('listClients', { inputSchema: { search: z.string().optional() } }, () =>
  answer({
    clients: [...clients.values()].map(({ client, session, connectedAt }) => ({
      ...client,
      status: 'online',
      connectedAt,
      lastSeenAt: session.lastSeenAt,
      connection: { mode: session.queue === undefined ? 'ws' : 'http-loop', secure: false, authSource: 'none' },
    })),
  }),
);
mcp.registerTool(
  'listPaths',
  {
    inputSchema: {
      clientId: z.string().optional(),
      search: z.string().optional(),
      depth: z.number().int().positive().optional(),
    },
  },
  ({ clientId, depth = 1 }) =>
    answer({
      paths: [...clients.values()]
        .filter(({ client }) => clientId === undefined || client.id === clientId)
        .flatMap(({ client }) => client.paths.map((row) => ({ clientId: client.id, clientName: client.name, ...row })))
        .filter(({ path }) => depthOf(path) <= depth),
    }),
);
mcp.registerTool('callPath', { inputSchema: { clientId: z.string(), ...call4 } }, async ({ clientId, ...rest }) => {
  const { ok, data, error } = await call(clientId, rest);
  return ok ? answer({ ok, data }) : { ...answer({ ok, error }), isError: true };
});
await mcp.connect(new StdioServerTransport());
