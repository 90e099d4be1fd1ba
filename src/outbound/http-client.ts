/**
 * The only HTTP client: every request that Skillwire sends passes these address rules (`address-rules.ts`), limits and
 * deadlines.
 *
 * - Redirects are followed here, and each target is checked like a first address.
 * - A redirect to another origin drops the caller's headers. Only GET and HEAD follow one.
 * - Only requests that the caller marks as idempotent are retried.
 * - No message contains a header, a body, a query or credentials.
 */
import { Agent as HttpAgent, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { withDeadline } from '../async/deadline.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import {
  type AddressRules,
  type AddressRulesOptions,
  bareHost,
  createAddressRules,
  shownUrl,
} from './address-rules.ts';
import { fetchWith } from './fetch-function.ts';
import {
  connectionError,
  type Exchange,
  exchange,
  exchangeStream,
  interrupted,
  type LeastRate,
  type RawAnswer,
  type RawStream,
} from './http-exchange.ts';
import type { HttpClient, HttpRequest } from './http-messages.ts';
import { type RequestSlots, sharedSlots } from './request-slots.ts';
import { isPassingFailure, isPassingStatus, retryAfter, retryWait } from './retry.ts';

export interface HttpClientOptions extends AddressRulesOptions {
  /** Limits concurrent requests. Default: the slots that the whole process shares. */
  readonly slots?: RequestSlots;
  readonly userAgent?: string;
  /** The value of `traceparent` for a request. Not sent to another origin after a redirect. */
  readonly traceParent?: (() => string | undefined) | undefined;
  /** Default for requests without their own deadline. */
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
  /** Slower bodies are aborted. */
  readonly leastRate?: LeastRate;
}

/** A checked address, split into the parts that a request needs. */
interface Target {
  readonly url: URL;
  readonly origin: string;
  /** For messages. */
  readonly where: string;
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}

/** Headers for an origin that the caller did not name. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'user-agent']);
const redirectStatus = new Set([301, 302, 303, 307, 308]);

export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const rules = createAddressRules(options);
  const slots = options.slots ?? sharedSlots;
  const userAgent = options.userAgent ?? 'skillwire';
  const agents = {
    http: guarded(new HttpAgent(agentOptions), rules),
    https: guarded(new HttpsAgent(agentOptions), rules),
  };
  const { leastRate = usualRate } = options;
  const targets = new Map<string, Target>();
  const { deadlineMs: usualDeadline = limits.outbound.deadlineMs, maxBytes: usualBytes = limits.outbound.bodyBytes } =
    options;

  /** Checks each address once: the rules for a URL do not change while the client lives. */
  function targetOf(url: string | URL): Target {
    const key = typeof url === 'string' ? url : url.href;
    let target = targets.get(key);
    if (target === undefined) {
      target = describeTarget(rules.check(url));
      if (targets.size >= cachedTargets) targets.clear();
      targets.set(key, target);
    }
    return target;
  }

  function exchangeFor(
    request: HttpRequest,
    target: Target,
    headers: Record<string, string>,
    endsAt: number,
  ): Exchange {
    const { secure, hostname, port, path } = target;
    const node: RequestOptions = {
      hostname,
      port,
      path,
      method: request.method ?? 'GET',
      headers,
      agent: secure ? agents.https : agents.http,
      lookup: rules.lookup,
    };
    return {
      secure,
      options: node,
      where: target.where,
      maxBytes: request.maxBytes ?? usualBytes,
      endsAt,
      leastRate,
      deadlineMs: request.deadlineMs ?? usualDeadline,
      body: request.body,
      signal: request.signal,
      until: request.until,
    };
  }

  function headersFor(request: HttpRequest): Record<string, string> {
    const headers: Record<string, string> = { 'user-agent': userAgent, ...request.headers };
    headers['accept-encoding'] = 'identity';
    const parent = options.traceParent?.();
    if (parent !== undefined) headers['traceparent'] = parent;
    const { body } = request;
    if (body !== undefined)
      headers['content-length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.length);
    return headers;
  }

  /** Sends one attempt, following redirects to the final response. */
  async function follow<T extends RawAnswer | RawStream>(
    request: HttpRequest,
    endsAt: number,
    send: (exchange: Exchange) => Promise<T>,
    drop: (answer: T) => void,
  ): Promise<T & { readonly url: string }> {
    let target = targetOf(request.url);
    let headers = headersFor(request);
    for (let hops = 0; ; hops++) {
      const answer = await send(exchangeFor(request, target, headers, endsAt));
      const next = redirectTarget(request, target, answer, targetOf);
      if (next === undefined) return { ...answer, url: target.url.href };
      drop(answer);
      if (hops >= limits.outbound.redirects)
        throw new SkillwireError(
          'BAD_ANSWER',
          `Cannot fetch ${quoteText(target.where)}: more than ${limits.outbound.redirects} redirects. Use the address where it ends.`,
        );
      if (next.origin !== target.origin)
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => harmlessHeaders.has(name.toLowerCase())),
        );
      target = next;
    }
  }

  async function withRetries<T extends RawAnswer | RawStream>(
    request: HttpRequest,
    send: (exchange: Exchange) => Promise<T>,
    drop: (answer: T) => void,
  ): Promise<T & { readonly url: string }> {
    const endsAt = performance.now() + (request.deadlineMs ?? usualDeadline);
    const maxRetries = request.idempotent === true ? limits.outbound.retries : 0;
    for (let attempt = 0; ; attempt++) {
      let wait = retryWait(attempt);
      try {
        const answer = await follow(request, endsAt, send, drop);
        if (attempt >= maxRetries || !isPassingStatus(answer.status)) return answer;
        wait = retryAfter(answer.headers['retry-after']) ?? wait;
        // If the server asks for a longer wait than allowed, its response is final.
        if (wait > limits.outbound.retryAfterMs || performance.now() + wait > endsAt) return answer;
        drop(answer);
      } catch (error) {
        if (attempt >= maxRetries || !isPassingFailure(error) || performance.now() + wait > endsAt) throw error;
      }
      await setTimeout(wait, undefined, { signal: request.signal }).catch(() => {
        throw interrupted(targetOf(request.url).where, request.signal);
      });
    }
  }

  async function slotFor(request: HttpRequest): Promise<() => void> {
    const target = targetOf(request.url);
    const slot = slots.take(target.origin, request.signal);
    if (typeof slot === 'function') return slot;
    try {
      return await slot;
    } catch {
      throw interrupted(target.where, request.signal);
    }
  }

  const client: HttpClient = {
    check: (url) => targetOf(url).where,
    async resolve(hostname, signal) {
      try {
        return await withDeadline(
          {
            ms: usualDeadline,
            signal,
            late: (ms) => lateLookup(hostname, ms),
            interrupted: () => interrupted(hostname, signal),
          },
          // A name lookup cannot be aborted; after the deadline its result is ignored.
          () => rules.resolve(hostname),
        );
      } catch (error) {
        throw connectionError(hostname, error);
      }
    },
    async request(request) {
      const free = await slotFor(request);
      try {
        return await withRetries(request, exchange, () => {});
      } finally {
        free();
      }
    },
    async stream(request) {
      const free = await slotFor(request);
      try {
        const answer = await withRetries(request, exchangeStream, (unused) => void unused.body.cancel());
        const { done, ...response } = answer;
        void done.then(free);
        return response;
      } catch (error) {
        free();
        throw error;
      }
    },
    fetch: (input, init) => fetchWith(client, input, init),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
  return client;
}

const usualRate: LeastRate = {
  bytesPerSecond: limits.outbound.bytesPerSecond,
  graceMs: limits.outbound.rateGraceMs,
};
/** How many checked addresses are cached. Redirects can produce any number of new ones. */
const cachedTargets = 100;
const agentOptions = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const;

/** The last of the three checks: the address that the socket is connected to. */
function guarded<T extends HttpAgent>(agent: T, rules: AddressRules): T {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback) as Socket;
    const host = String((options as { host?: unknown }).host);
    socket.prependOnceListener('connect', () => {
      const fault = rules.socketFault(host, socket.remoteAddress);
      if (fault !== undefined) socket.destroy(fault);
    });
    return socket;
  };
  return agent;
}

function describeTarget(url: URL): Target {
  return {
    url,
    origin: url.origin,
    where: shownUrl(url),
    secure: url.protocol === 'https:',
    hostname: bareHost(url.hostname),
    port: url.port,
    path: url.pathname + url.search,
  };
}

/** The checked target of a redirect; `undefined` if the response is not a redirect to follow. */
function redirectTarget(
  request: HttpRequest,
  from: Target,
  { status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders },
  targetOf: (url: URL) => Target,
): Target | undefined {
  const { location } = headers;
  if (!redirectStatus.has(status) || location === undefined) return undefined;
  const isRead = request.method === undefined || request.method === 'GET' || request.method === 'HEAD';
  // 301 to 303 turn other methods into GET, which is a different request.
  if (!isRead && status < 307) return undefined;
  if (!URL.canParse(location, from.url.href))
    throw new SkillwireError(
      'BAD_ANSWER',
      `Cannot fetch ${quoteText(from.where)}: it redirects to an invalid URL. Report this to its operator.`,
    );
  const next = targetOf(new URL(location, from.url.href));
  if (!isRead && next.origin !== from.origin)
    throw new SkillwireError(
      'ADDRESS_BLOCKED',
      `Cannot use ${quoteText(from.where)}: it redirects to another origin, ${quoteText(next.where)}. If you trust it, use that address.`,
      { data: { from: from.origin, to: next.origin } },
    );
  return next;
}

function lateLookup(hostname: string, ms: number): SkillwireError {
  return new SkillwireError('TIMED_OUT', `The lookup of "${hostname}" took longer than ${ms} ms. Try again later.`);
}
