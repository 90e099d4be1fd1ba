/**
 * MCP over HTTP for a catalog, as one function from Request to Response, for any runtime with the Fetch API. One address serves stateless
 * requests of revision 2026-07-28 and sessions of older revisions; the handler distinguishes them exactly as the SDK does.
 *
 * It checks neither `Host` nor `Origin` nor tokens. The caller does that first and passes `authInfo`.
 */

import {
  type AuthInfo,
  createMcpHandler,
  InMemoryServerEventBus,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { limits } from '../../limits.ts';
import type { Principal, SourceContext } from '../../sources/skill-source.ts';
import { type PlainAnswer, type PlainRequest, toResponse } from '../plain-answer.ts';
import { senderOf } from '../sender.ts';
import { boundedAnswer } from './bounded-stream.ts';
import { publishChanges } from './change-notifier.ts';
import type { ContentsJson } from './fast-path/contents-json.ts';
import { createHotAnswers } from './fast-path/hot-answers.ts';
import { type HotCall, headersAgree, hotCall, saysJson } from './fast-path/hot-call.ts';
import { createMcpSessions, type SessionBounds } from './mcp-sessions.ts';
import { principalOf } from './principal.ts';
import { parseHotBody, readJsonBody, rpcError } from './request-body.ts';
import { createServedMethods } from './served-methods.ts';
import { type SkillsServerOptions, serverCapabilities } from './server-options.ts';
import { createSkillsServer } from './skills-server.ts';

export interface McpRequestExtra {
  /** The verified token of the caller, if any. */
  readonly authInfo?: AuthInfo;
}

/** Answers MCP requests of the Fetch API. */
export interface McpHandler {
  (request: Request, extra?: McpRequestExtra): Promise<Response>;
  /**
   * Answers a frequent kind of request without the Fetch API and the SDK; `undefined` for any other request, which goes to the handler
   * itself. Both give the same answers.
   *
   * @internal
   */
  plain(request: PlainRequest, extra?: McpRequestExtra): MaybePromise<PlainAnswer | undefined>;
  /** Closes all streams and sessions. The catalog stays open. */
  close(): Promise<void>;
}

/** Options of `mcpHandler()`: name, instructions, older dialects, limits. */
export interface McpHandlerOptions extends SkillsServerOptions {
  /** @internal The JSON of files, shared by the handlers of one server. */
  readonly contents?: ContentsJson | undefined;
  /** Limits for sessions of older revisions. */
  readonly sessions?: SessionBounds;
  /** Maximum number of open `subscriptions/listen` streams. */
  readonly maxSubscriptions?: number;
}

const sessionHeader = 'mcp-session-id';
const jsonHeaders = { 'content-type': 'application/json' } as const;

function ownerOf(authInfo: AuthInfo | undefined): string | undefined {
  return authInfo === undefined ? undefined : JSON.stringify([authInfo.clientId, principalOf(authInfo)?.id]);
}

/**
 * Serves a catalog over Streamable HTTP.
 *
 * @example
 * ```ts
 * const handler = mcpHandler(createCatalog(memorySource(skills)));
 * export default { fetch: (request: Request) => handler(request) };
 * ```
 */
export function mcpHandler(catalog: Catalog, options: McpHandlerOptions = {}): McpHandler {
  const { onerror } = options;
  const maxRequestBodySize = limits.http.requestBytes;
  const { maxSubscriptions: mostStreams = limits.http.streams } = options;
  let openStreams = 0;
  const methods = createServedMethods(catalog, options);
  const factory = createSkillsServer(catalog, options, methods);
  const bus = new InMemoryServerEventBus(onerror);
  const modern = createMcpHandler(factory, {
    legacy: 'reject',
    bus,
    maxRequestBodySize,
    // Never reached: the SDK answers beyond it with status 200 and an internal error.
    maxSubscriptions: mostStreams + 1,
  });
  const stateless = legacyStatelessFallback(factory, onerror, { maxRequestBodySize });
  const sessions = createMcpSessions(onerror, options.sessions);
  const { tools, prompts } = serverCapabilities(options);
  const unsubscribe = publishChanges(catalog, bus, {
    aliases: methods.changedAliases,
    lists: [
      ...(tools?.listChanged === true ? (['tools_list_changed'] as const) : []),
      ...(prompts?.listChanged === true ? (['prompts_list_changed'] as const) : []),
    ],
    onerror,
  });
  const hot = createHotAnswers(catalog, options, methods);
  // Cached JSON contains URIs with the default scheme.
  const usualScheme = options.scheme === undefined || options.scheme === 'skill';
  let closed = false;

  /** Answers without the SDK if the message allows it. */
  function answerHot(
    message: unknown,
    request: HotRequest,
    { authInfo }: McpRequestExtra,
  ): MaybePromise<PlainAnswer | undefined> {
    const call = usualScheme ? hotCall(message) : undefined;
    if (call === undefined || !headersAgree(call, request)) return undefined;
    return andThen(hot.answer(call, new HotContext(call, request, authInfo)), (made) => ({
      status: 200,
      headers: jsonHeaders,
      body: made,
    }));
  }

  function plain(request: PlainRequest, extra: McpRequestExtra = {}): MaybePromise<PlainAnswer | undefined> {
    if (closed || request.method !== 'POST' || !saysJson(request)) return undefined;
    return answerHot(parseHotBody(request.body), request, extra);
  }

  async function listen(request: Request, forward: ForwardOptions): Promise<Response> {
    if (openStreams >= mostStreams)
      return rpcError(503, -32000, 'Service Unavailable: too many streams are open; try again later', {
        'retry-after': '5',
      });
    openStreams++;
    const ended = (): void => {
      openStreams--;
    };
    try {
      return boundedAnswer(await modern.fetch(request, forward), { ended });
    } catch (error) {
      ended();
      throw error;
    }
  }

  async function openSession(request: Request, forward: ForwardOptions): Promise<Response> {
    const owner = ownerOf(forward.authInfo);
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => sessions.add(id, { owner, client: senderOf(request).client }, transport),
      maxRequestBodySize,
    });
    const server = factory({ era: 'legacy', authInfo: forward.authInfo });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    const answer = await transport.handleRequest(request, forward);
    if (transport.sessionId === undefined) await transport.close();
    return answer;
  }

  async function answerLegacy(request: Request, forward: ForwardOptions): Promise<Response> {
    const id = request.headers.get(sessionHeader);
    if (id === null)
      return isInitializeRequest(forward.parsedBody) ? openSession(request, forward) : stateless(request, forward);
    const transport = sessions.use(id, ownerOf(forward.authInfo));
    if (transport === undefined) return rpcError(404, -32001, 'Session not found');
    const answer = await transport.handleRequest(request, forward);
    return request.method === 'GET' ? sessions.keepAlive(id, boundedAnswer(answer)) : answer;
  }

  async function handle(request: Request, extra: McpRequestExtra = {}): Promise<Response> {
    if (closed) return rpcError(503, -32000, 'Service Unavailable: the server is shutting down');
    const forward: ForwardOptions = { authInfo: extra.authInfo };
    if (request.method === 'POST') {
      const body = await readJsonBody(request);
      if (!body.ok) return body.answer;
      forward.parsedBody = body.value;
      const { signal, headers } = request;
      const header = (name: string): string | undefined => headers.get(name) ?? undefined;
      const answer = await answerHot(body.value, { header, signal }, extra);
      if (answer !== undefined) return toResponse(answer);
    }
    const legacy = await isLegacyRequest(request, forward.parsedBody, { maxRequestBodySize });
    if (legacy) return answerLegacy(request, forward);
    return isListen(forward.parsedBody) ? listen(request, forward) : modern.fetch(request, forward);
  }

  return Object.assign(handle, {
    plain,
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      unsubscribe();
      await Promise.all([modern.close(), sessions.close()]);
    },
  });
}

/** The only call with an endless answer. */
function isListen(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen'
  );
}

type HotRequest = Pick<PlainRequest, 'header' | 'signal'>;

/** The context of a request. A class, because one is created per request and most never use the signal. */
class HotContext implements SourceContext {
  declare readonly principal?: Principal;
  readonly clientCapabilities: HotCall['clientCapabilities'];
  readonly #request: HotRequest;

  constructor({ clientCapabilities }: HotCall, request: HotRequest, authInfo: AuthInfo | undefined) {
    this.clientCapabilities = clientCapabilities;
    this.#request = request;
    const principal = principalOf(authInfo);
    if (principal !== undefined) this.principal = principal;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

interface ForwardOptions {
  authInfo?: AuthInfo;
  parsedBody?: unknown;
}
