/**
 * The HTTP server: listening, guards, limits, errors and an orderly end. Handlers behind it see only requests that passed the
 * guards, and never a socket.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { PlainSurface } from '../../surfaces/plain-answer.ts';
import { type Sender, sentBy } from '../../surfaces/sender.ts';
import { type AddressCaps, createAddressCaps } from './address-caps.ts';
import { corsHeaders, createGuard, type GuardOptions, preflightResponse, type Verdict } from './guards.ts';
import { isLoopback, urlHost } from './host-names.ts';
import { announcesTooMuch, sendResponse, toRequest } from './http-adapter.ts';
import { NodeRequest, sendPlain, smallBody } from './plain-adapter.ts';
import { reachableHost } from './reachable-host.ts';
import { createSenderReader } from './senders.ts';

type Refusal = readonly [status: number, text: string];

export interface ListenOptions extends GuardOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** The option of the command line that names the address. Default `--http`. */
  readonly option?: string;
  /** Whether requests are authenticated. Without that, listening beyond loopback must be allowed explicitly. */
  readonly authenticated?: boolean;
  readonly allowUnauthenticatedRemote?: boolean;
  /** How long a client may go without reading before it is cut off. */
  readonly stalledWriteMs?: number;
  /** What one address may have open at the same time. */
  readonly perAddress?: { readonly connections?: number; readonly streams?: number };
  readonly routes: (request: Request) => Promise<Response>;
  /** Answer small requests without the Fetch API, the first that accepts one; what it has no answer to goes to the routes. */
  readonly plain?: readonly PlainSurface[];
  /** Takes over connections that passed the guards and ask to become a WebSocket. It must end them when the server closes. */
  readonly upgrade?: (message: IncomingMessage, socket: Duplex, head: Buffer, from: UpgradeFrom) => void;
  /** A reason to refuse a request before anything else is looked at, as an HTTP status and a text. */
  readonly refuse?: (message: IncomingMessage) => Refusal | undefined;
  /** Told of each answer: what was asked, its status, and how long it took. */
  readonly onanswer?: (target: string, status: number, ms: number) => void;
  readonly onerror?: (error: Error) => void;
}

type AllowedVerdict = Extract<Verdict, { allowed: true }>;

/** Who asks for a WebSocket, by which name of ours. */
export interface UpgradeFrom extends Pick<AllowedVerdict, 'host'> {
  readonly sender: Sender;
}

/** One request and its answer. `clientSends` is false while the client waits to be asked for its body. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  clientSends: boolean;
  /** Where it was read already. */
  body?: Buffer;
}

export interface HttpServer {
  /** Without a path and a final slash; can be used also where all addresses are listened on. */
  readonly url: string;
  readonly closed: Promise<void>;
  /**
   * Stops accepting, calls `endStreams` so that answers without end come to one, gives open requests their time, and cuts
   * off what is left.
   */
  close(endStreams?: () => Promise<void>): Promise<void>;
}

const ownHeaders = { 'x-content-type-options': 'nosniff' } as const;
const plainHeaders = { ...corsHeaders(undefined), ...ownHeaders };

function refused(status: number, message: string): Response {
  return new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function busy(message: string): Response {
  const answer = refused(429, message);
  answer.headers.set('retry-after', '5');
  return answer;
}

function listenError(error: NodeJS.ErrnoException, { host, port, option = '--http' }: ListenOptions): SkillwireError {
  const address = `${urlHost(host)}:${port}`;
  const options = { data: { host, port }, cause: error };
  if (error.code === 'EADDRINUSE')
    return new SkillwireError(
      'ADDRESS_IN_USE',
      `cannot listen on ${address}: another program does; use ${option} 0 or another port`,
      options,
    );
  const reason = error.code === 'EACCES' ? 'the system does not allow it' : 'this machine does not have the address';
  return new SkillwireError(
    'ADDRESS_REFUSED',
    `cannot listen on ${address}: ${reason} (${error.code}); use another one`,
    options,
  );
}

function assertMayListen({ host, port, authenticated, allowUnauthenticatedRemote }: ListenOptions): void {
  if (isLoopback(host) || authenticated === true || allowUnauthenticatedRemote === true) return;
  throw new SkillwireError(
    'ADDRESS_REFUSED',
    `cannot listen on ${urlHost(host)}:${port}: everybody who reaches it could read all skills; ` +
      'use 127.0.0.1, or pass --allow-unauthenticated-remote if that is meant',
    { data: { host, port } },
  );
}

export async function listen(options: ListenOptions): Promise<HttpServer> {
  assertMayListen(options);
  const guard = createGuard(options);
  const { sender } = createSenderReader(options);
  const { perAddress = {} } = options;
  const streams = createAddressCaps(perAddress.streams ?? limits.http.streamsPerAddress);

  async function answer(exchange: Exchange, verdict: Verdict): Promise<Response> {
    const { message } = exchange;
    if (!verdict.allowed) return refused(403, `forbidden: ${verdict.reason}`);
    const requested = message.headersDistinct['access-control-request-method']?.[0];
    const preflight = preflightResponse(message.method, requested, message.url);
    const given = preflight ?? (await routed(exchange, verdict.host));
    const answered = new Response(given.body, given);
    for (const [name, value] of Object.entries(corsHeaders(verdict.origin))) answered.headers.set(name, value);
    return answered;
  }

  async function routed(exchange: Exchange, host: string): Promise<Response> {
    const { message, response } = exchange;
    if (message.method === 'TRACE' || message.url === '*') return refused(405, 'method not allowed');
    if (announcesTooMuch(message)) return refused(413, `a request may have at most ${limits.http.requestBytes} bytes`);
    if (!exchange.clientSends) {
      response.writeContinue();
      exchange.clientSends = true;
    }
    const aborted = new AbortController();
    response.once('close', () => aborted.abort());
    return counted(
      message,
      response,
      await options.routes(
        sentBy(toRequest(message, `http://${host}`, aborted.signal, exchange.body), sender(message)),
      ),
    );
  }

  /** Streams have no end, so they are counted. */
  async function counted({ socket }: IncomingMessage, response: ServerResponse, given: Response): Promise<Response> {
    if (given.headers.get('content-type')?.startsWith('text/event-stream') !== true) return given;
    const leave = streams.enter(socket.remoteAddress);
    if (leave !== undefined) {
      response.once('close', leave);
      if (response.destroyed) leave();
      return given;
    }
    await given.body?.cancel();
    return busy('too many streams are open from this address; close one first');
  }

  /** True if the request is answered. */
  function servePlain(exchange: Exchange, { origin }: AllowedVerdict): MaybePromise<boolean> {
    const { message, response, clientSends } = exchange;
    if (!clientSends) return false;
    const { method = 'GET', url = '/' } = message;
    const surface = options.plain?.find(({ accepts }) => accepts(method, url));
    const sent = surface === undefined ? undefined : smallBody(message);
    if (surface === undefined || sent === undefined) return false;
    const given = andThen(sent, (body) => {
      exchange.body = body;
      return surface.answer(new NodeRequest(message, response, body));
    });
    return andThen(given, (plain) => {
      if (plain === undefined) return false;
      const headers = origin === undefined ? plainHeaders : { ...corsHeaders(origin), ...ownHeaders };
      const sending = sendPlain(response, plain, headers, options.stalledWriteMs ?? limits.http.stalledWriteMs);
      return sending === undefined ? true : sending.then(() => true);
    });
  }

  /** Answers what is not answered plainly. */
  async function serveOthers(exchange: Exchange, verdict: Verdict, reason: Refusal | undefined): Promise<void> {
    const { message, response } = exchange;
    if (connections.isExcess(message.socket)) {
      response.setHeader('connection', 'close');
      return send(exchange, busy('too many connections are open from this address; close one first'));
    }
    return send(exchange, reason === undefined ? await answer(exchange, verdict) : refused(...reason));
  }

  function send({ message, response, clientSends }: Exchange, given: Response): Promise<void> {
    for (const [name, value] of Object.entries(ownHeaders)) given.headers.set(name, value);
    return sendResponse(message, response, given, { clientSends, stalledWriteMs: options.stalledWriteMs });
  }

  /** Most requests are answered before this returns: what a promise costs is a good part of what such an answer costs. */
  function serve(exchange: Exchange): MaybePromise<unknown> {
    const { message } = exchange;
    const verdict = guard(message);
    const reason = options.refuse?.(message);
    const isPlain = verdict.allowed && reason === undefined && !connections.isExcess(message.socket);
    const served = isPlain && servePlain(exchange, verdict);
    return andThen(served, (done) => (done ? undefined : serveOthers(exchange, verdict, reason)));
  }

  async function fail(exchange: Exchange, error: unknown): Promise<void> {
    const { response } = exchange;
    if (!response.destroyed) options.onerror?.(error instanceof Error ? error : new Error(String(error)));
    if (response.headersSent) response.destroy();
    else
      await send(exchange, refused(500, 'internal error')).catch((again: unknown) => {
        response.destroy();
        options.onerror?.(again instanceof Error ? again : new Error(String(again)));
      });
  }

  const server = createServer({
    // A missing host is refused by the guard, like a wrong one.
    requireHostHeader: false,
    maxHeaderSize: limits.http.headerBytes,
    headersTimeout: limits.http.headersMs,
    requestTimeout: limits.http.requestMs,
    keepAliveTimeout: limits.http.keepAliveMs,
    connectionsCheckingInterval: limits.http.connectionCheckMs,
  });
  server.maxConnections = limits.http.connections;
  server.maxRequestsPerSocket = limits.http.requestsPerSocket;
  const perConnection = createAddressCaps(perAddress.connections ?? limits.http.connectionsPerAddress);
  const connections = trackConnections(server, perConnection, options.onanswer);
  const onRequest =
    (clientSends: boolean) =>
    (message: IncomingMessage, response: ServerResponse): void => {
      connections.begin(message.socket, response);
      const exchange = { message, response, clientSends };
      try {
        const served = serve(exchange);
        if (served instanceof Promise) served.catch((error: unknown) => fail(exchange, error));
      } catch (error) {
        void fail(exchange, error);
      }
    };
  server.on('request', onRequest(true));
  server.on('checkContinue', onRequest(false));
  const { upgrade } = options;
  if (upgrade !== undefined)
    server.on('upgrade', (message, socket, head) => {
      // Errors of a connection that is about to be closed anyway concern nobody.
      socket.on('error', () => socket.destroy());
      const verdict = guard(message, 'socket');
      const isExcess = connections.isExcess(message.socket);
      connections.release(message.socket);
      if (isExcess) refuseUpgrade(socket, 429, 'too many connections are open from this address; close one first');
      else if (verdict.allowed) upgrade(message, socket, head, { host: verdict.host, sender: sender(message) });
      else refuseUpgrade(socket, 403, `forbidden: ${verdict.reason}`);
    });

  const { port } = await bind(server, options);
  const closed = new Promise<void>((resolve) => {
    server.once('close', resolve);
  });
  let closing: Promise<void> | undefined;
  return {
    url: `http://${reachableHost(options, port)}`,
    closed,
    close(endStreams) {
      closing ??= shutDown(server, connections, closed, endStreams);
      return closing;
    },
  };
}

/** An answer that knows since when it is waited for. */
interface TimedResponse extends ServerResponse {
  startedMs?: number;
}

/** The answer to a connection that stays what it is. */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${message}\n`;
  const lines = {
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...ownHeaders,
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`);
}

function bind(server: Server, options: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(listenError(error, options));
    server.once('error', onError);
    server.listen({ host: options.host.replace(/^\[|\]$/g, ''), port: options.port }, () => {
      server.off('error', onError);
      server.on('error', (error) => options.onerror?.(error));
      resolve(server.address() as AddressInfo);
    });
  });
}

interface Connections {
  /** An answer is outstanding from now on, until it closes. */
  begin(socket: Socket, response: TimedResponse): void;
  /** Ends connections that wait for nothing, now and as their answers are through. */
  endIdle(): void;
  /** Somebody else took the connection over, and ends it. */
  release(socket: Socket): void;
  /** Whether its address has more connections than it may. */
  isExcess(socket: Socket): boolean;
}

/**
 * Which connections have an answer outstanding. The system's own list counts a connection as busy on which nothing was ever
 * sent, as browsers open them ahead of need.
 */
function trackConnections(server: Server, caps: AddressCaps, onanswer: ListenOptions['onanswer']): Connections {
  const outstanding = new Map<Socket, number>();
  const excess = new WeakSet<Socket>();
  const told = createAddressCaps(limits.http.refusedPerAddress);
  let ending = false;
  /** Lets it in, or lets it ask once to be told why not. */
  function admit(socket: Socket): boolean {
    const { remoteAddress } = socket;
    const leave = caps.enter(remoteAddress);
    const leaveTold = leave === undefined ? told.enter(remoteAddress) : undefined;
    const left = leave ?? leaveTold;
    if (left === undefined) {
      socket.destroy();
      return false;
    }
    socket.once('close', left);
    if (leaveTold === undefined) return true;
    excess.add(socket);
    const timer = setTimeout(() => socket.destroy(), limits.http.refusedMs);
    socket.once('close', () => clearTimeout(timer));
    return true;
  }
  server.on('connection', (socket) => {
    if (!admit(socket)) return;
    outstanding.set(socket, 0);
    socket.once('close', () => outstanding.delete(socket));
  });
  // One function for all: it is called as a method of the answer that closed.
  function onClose(this: TimedResponse): void {
    const { socket, url = '/' } = this.req;
    if (this.startedMs !== undefined) onanswer?.(url, this.statusCode, performance.now() - this.startedMs);
    const open = outstanding.get(socket);
    if (open !== undefined) outstanding.set(socket, open - 1);
    if (ending && (open ?? 1) === 1) socket.destroySoon();
  }
  return {
    begin(socket, response) {
      if (onanswer !== undefined) response.startedMs = performance.now();
      outstanding.set(socket, (outstanding.get(socket) ?? 0) + 1);
      response.on('close', onClose);
    },
    endIdle() {
      ending = true;
      for (const [socket, count] of outstanding) if (count === 0) socket.destroy();
    },
    release(socket) {
      outstanding.delete(socket);
    },
    isExcess: (socket) => excess.has(socket),
  };
}

async function shutDown(
  server: Server,
  connections: Connections,
  closed: Promise<void>,
  endStreams?: () => Promise<void>,
): Promise<void> {
  server.close();
  const deadline = setTimeout(() => server.closeAllConnections(), limits.http.shutdownMs);
  try {
    connections.endIdle();
    await endStreams?.();
    await closed;
  } finally {
    clearTimeout(deadline);
  }
}
