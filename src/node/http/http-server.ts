/** The HTTP server: listening, guards, limits, errors and shutdown. Handlers only see requests that passed the guards, never a socket. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { PlainSurface } from '../../surfaces/plain-answer.ts';
import { type Sender, sentBy } from '../../surfaces/sender.ts';
import type { Tracing } from '../telemetry/open-telemetry.ts';
import { createAddressCaps } from './address-caps.ts';
import { type Connections, type OnAnswer, trackConnections } from './connections.ts';
import { corsHeaders, createGuard, type GuardVerdict, type HttpGuardOptions, preflightResponse } from './guards.ts';
import { isLoopback, reachableHost, urlHost } from './host-names.ts';
import { announcesTooMuch, RequestTooLarge, sendResponse, toRequest } from './http-adapter.ts';
import { NodeRequest, sendPlain, smallBody } from './plain-adapter.ts';
import { createSenderReader } from './senders.ts';
import { type AnsweredCap, capOf, retryAfter, type ServeLimits, serverCaps } from './server-caps.ts';

type Refusal = readonly [status: number, text: string];

export interface ListenOptions extends HttpGuardOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** The command-line option of the address, for messages. Default `--http`. */
  readonly option?: string;
  /** True if requests are authenticated. If not, listening beyond loopback must be allowed explicitly. */
  readonly authenticated?: boolean;
  readonly allowUnauthenticatedRemote?: boolean;
  /** How long a client may not read before it is disconnected. */
  readonly stalledWriteMs?: number;
  /** Most connections and streams. */
  readonly limits?: ServeLimits | undefined;
  readonly routes: (request: Request) => Promise<Response>;
  /** Surfaces that answer small requests without the Fetch API. The first that accepts a request is used; if it has no answer, the routes are. */
  readonly plain?: readonly PlainSurface[];
  /** Takes over upgrade requests that passed the guards. It must close them when the server closes. */
  readonly upgrade?: (message: IncomingMessage, socket: Duplex, head: Buffer, from: UpgradeFrom) => void;
  /** Rejects a request first of all, with an HTTP status and a text. */
  readonly refuse?: (message: IncomingMessage) => Refusal | undefined;
  /** Answers within a span of a trace. Absent if tracing is off. */
  readonly trace?: Tracing['request'] | undefined;
  /** Called after each answer with the request target, the status and the duration. */
  readonly onanswer?: OnAnswer;
  readonly onerror?: (error: Error) => void;
}

type AllowedVerdict = Extract<GuardVerdict, { allowed: true }>;

/** The sender of an upgrade request, and the host it named. */
export interface UpgradeFrom extends Pick<AllowedVerdict, 'host'> {
  readonly sender: Sender;
}

/** One request and its answer. `clientSends` is false while the client waits for `100 Continue`. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  clientSends: boolean;
  /** Set if the body was read already. */
  body?: Buffer;
}

export interface HttpServer {
  /** Without a final slash. Usable even if the server listens on all addresses. */
  readonly url: string;
  readonly closed: Promise<void>;
  /** Still answers everything, and closes each connection after its next answer. */
  drain(): void;
  /** Stops accepting, calls `endStreams` to finish endless answers, waits for open requests, then disconnects the others. */
  close(endStreams?: () => Promise<void>): Promise<void>;
}

const ownHeaders = { 'x-content-type-options': 'nosniff' } as const;
const plainHeaders = { ...corsHeaders(undefined), ...ownHeaders };

function refused(status: number, message: string): Response {
  return new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function tooLarge(error: unknown): Response {
  if (error instanceof RequestTooLarge) return refused(error.httpStatus, error.message);
  throw error;
}

/** The answer to a request beyond a cap. */
function tooMany(cap: AnsweredCap): Response {
  const { status, text } = serverCaps[cap].answer;
  const answer = refused(status, text);
  for (const [name, value] of Object.entries(retryAfter)) answer.headers.set(name, value);
  return answer;
}

function listenError(error: NodeJS.ErrnoException, { host, port, option = '--http' }: ListenOptions): SkillwireError {
  const address = `${urlHost(host)}:${port}`;
  const options = { data: { host, port }, cause: error };
  if (error.code === 'EADDRINUSE')
    return new SkillwireError(
      'ADDRESS_IN_USE',
      `Port ${port} on ${urlHost(host)} is already in use. Use another port, or ${option} 0 for a free one.`,
      options,
    );
  const reason = error.code === 'EACCES' ? 'permission denied' : 'this machine does not have that address';
  return new SkillwireError(
    'ADDRESS_REFUSED',
    `Cannot listen on ${address}: ${reason} (${error.code}). Use another address or port.`,
    options,
  );
}

function assertMayListen({ host, port, authenticated, allowUnauthenticatedRemote }: ListenOptions): void {
  if (isLoopback(host) || authenticated === true || allowUnauthenticatedRemote === true) return;
  throw new SkillwireError(
    'ADDRESS_REFUSED',
    `Cannot listen on ${urlHost(host)}:${port}: everybody who reaches it could read all skills. ` +
      'Use 127.0.0.1, or pass --allow-unauthenticated-remote.',
    { data: { host, port } },
  );
}

/** The names of a `Vary` header together with one more. */
function withName(names: string | null, name: string): string {
  const all = names === null ? [] : names.split(',').map((one) => one.trim());
  return (all.includes(name) ? all : [...all, name]).join(', ');
}

export async function listen(options: ListenOptions): Promise<HttpServer> {
  assertMayListen(options);
  const guard = createGuard(options);
  const { sender, countedAddress, isTrustedProxy } = createSenderReader(options);
  const streams = createAddressCaps(capOf('streamsPerAddress', options.limits));

  async function answer(exchange: Exchange, verdict: GuardVerdict): Promise<Response> {
    const { message } = exchange;
    if (!verdict.allowed) return refused(403, `Forbidden: ${verdict.reason}`);
    const requested = message.headersDistinct['access-control-request-method']?.[0];
    const preflight = preflightResponse(message.method, requested, message.url);
    const routedAnswer = preflight ?? (await routed(exchange, verdict.host).catch(tooLarge));
    const answered = new Response(routedAnswer.body, routedAnswer);
    const { vary, ...cors } = corsHeaders(verdict.webOrigin);
    for (const [name, value] of Object.entries(cors)) answered.headers.set(name, value);
    answered.headers.set('vary', withName(answered.headers.get('vary'), vary));
    return answered;
  }

  async function routed(exchange: Exchange, host: string): Promise<Response> {
    const { message, response } = exchange;
    if (message.method === 'TRACE' || message.url === '*') return refused(405, 'Method not allowed');
    if (announcesTooMuch(message)) throw new RequestTooLarge();
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

  /** Counts event streams, which have no end. */
  async function counted(
    message: IncomingMessage,
    response: ServerResponse,
    routedAnswer: Response,
  ): Promise<Response> {
    if (routedAnswer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return routedAnswer;
    const isFull = connections.streams >= capOf('streams', options.limits);
    const leave = isFull ? undefined : streams.enter(countedAddress(message));
    if (leave === undefined) {
      await routedAnswer.body?.cancel();
      return tooMany(isFull ? 'streams' : 'streamsPerAddress');
    }
    if (response.destroyed) leave();
    else {
      connections.beginStream(response);
      response.once('close', leave);
    }
    return routedAnswer;
  }

  /** True if the request was answered. */
  function servePlain(exchange: Exchange, { webOrigin }: AllowedVerdict): MaybePromise<boolean> {
    const { message, response, clientSends } = exchange;
    if (!clientSends) return false;
    const { method = 'GET', url = '/' } = message;
    const surface = options.plain?.find(({ accepts }) => accepts(method, url));
    const sent = surface === undefined ? undefined : smallBody(message);
    if (surface === undefined || sent === undefined) return false;
    const answered = andThen(sent, (body) => {
      exchange.body = body;
      return surface.answer(new NodeRequest(message, response, body));
    });
    return andThen(answered, (plain) => {
      if (plain === undefined) return false;
      const headers = webOrigin === undefined ? plainHeaders : { ...corsHeaders(webOrigin), ...ownHeaders };
      const sending = sendPlain(response, plain, headers, options.stalledWriteMs ?? limits.http.stalledWriteMs);
      return sending === undefined ? true : sending.then(() => true);
    });
  }

  /** Answers requests that `servePlain()` does not answer. */
  async function serveOthers(exchange: Exchange, verdict: GuardVerdict, reason: Refusal | undefined): Promise<void> {
    const { message, response } = exchange;
    const exceeded = connections.excess(message.socket);
    if (exceeded !== undefined) {
      response.setHeader('connection', 'close');
      return send(exchange, tooMany(exceeded));
    }
    return send(exchange, reason === undefined ? await answer(exchange, verdict) : refused(...reason));
  }

  function send({ message, response, clientSends }: Exchange, sent: Response): Promise<void> {
    for (const [name, value] of Object.entries(ownHeaders)) sent.headers.set(name, value);
    return sendResponse(message, response, sent, { clientSends, stalledWriteMs: options.stalledWriteMs });
  }

  /** Answers most requests synchronously: a promise would be a large part of their cost. */
  function serve(exchange: Exchange): MaybePromise<unknown> {
    const { message } = exchange;
    const verdict = guard(message);
    const reason = options.refuse?.(message);
    const isPlain = verdict.allowed && reason === undefined && connections.excess(message.socket) === undefined;
    const served = isPlain && servePlain(exchange, verdict);
    return andThen(served, (done) => (done ? undefined : serveOthers(exchange, verdict, reason)));
  }

  async function fail(exchange: Exchange, error: unknown): Promise<void> {
    const { response } = exchange;
    if (!response.destroyed) options.onerror?.(error instanceof Error ? error : new Error(String(error)));
    if (response.headersSent) response.destroy();
    else
      await send(exchange, refused(500, 'Internal error')).catch((again: unknown) => {
        response.destroy();
        options.onerror?.(again instanceof Error ? again : new Error(String(again)));
      });
  }

  const server = createServer({
    // The guard rejects a missing host like a wrong one.
    requireHostHeader: false,
    maxHeaderSize: limits.http.headerBytes,
    headersTimeout: limits.http.headersMs,
    requestTimeout: limits.http.requestMs,
    keepAliveTimeout: limits.http.keepAliveMs,
    connectionsCheckingInterval: limits.http.connectionCheckMs,
  });
  server.maxRequestsPerSocket = limits.http.requestsPerSocket;
  const connections = trackConnections(server, options.limits, isTrustedProxy, options.onanswer);
  function begin(exchange: Exchange): void {
    try {
      const served = serve(exchange);
      if (served instanceof Promise) served.catch((error: unknown) => fail(exchange, error));
    } catch (error) {
      void fail(exchange, error);
    }
  }
  const onRequest =
    (clientSends: boolean) =>
    (message: IncomingMessage, response: ServerResponse): void => {
      connections.begin(message.socket, response);
      const exchange = { message, response, clientSends };
      if (options.trace === undefined) begin(exchange);
      else options.trace(message, response, () => begin(exchange));
    };
  server.on('request', onRequest(true));
  server.on('checkContinue', onRequest(false));
  const { upgrade } = options;
  if (upgrade !== undefined)
    server.on('upgrade', (message, socket, head) => {
      // Errors of a connection that is about to be closed do not matter.
      socket.on('error', () => socket.destroy());
      const verdict = guard(message, 'socket');
      const exceeded = connections.excess(message.socket);
      connections.release(message.socket);
      if (exceeded !== undefined) refuseUpgradeBeyond(socket, exceeded);
      else if (verdict.allowed) upgrade(message, socket, head, { host: verdict.host, sender: sender(message) });
      else refuseUpgrade(socket, 403, `Forbidden: ${verdict.reason}`);
    });

  const { port } = await bind(server, options);
  const closed = new Promise<void>((resolve) => {
    server.once('close', resolve);
  });
  let closing: Promise<void> | undefined;
  return {
    url: `http://${reachableHost(options, port)}`,
    closed,
    drain: connections.drain,
    close(endStreams) {
      closing ??= shutDown(server, connections, closed, endStreams);
      return closing;
    },
  };
}

/** Rejects an upgrade request beyond a cap. */
export function refuseUpgradeBeyond(socket: Duplex, cap: AnsweredCap): void {
  const { status, text } = serverCaps[cap].answer;
  refuseUpgrade(socket, status, text, retryAfter);
}

/** Rejects an upgrade request. */
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
    connections.hintRetry();
    await endStreams?.();
    await closed;
  } finally {
    clearTimeout(deadline);
  }
}
