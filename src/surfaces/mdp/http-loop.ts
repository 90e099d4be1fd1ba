/**
 * The HTTP loop: a runtime without WebSockets posts its messages and polls for ours. A session has a random id that only requests with the
 * same Origin header may use. Queued messages are limited: a runtime that stops polling is disconnected.
 */
import { decodeClientMessage } from '../../dialects/mdp/decode-client-message.ts';
import { httpLoopPath, type ServerMessage } from '../../dialects/mdp/messages.ts';
import { limits } from '../../limits.ts';
import type { RuntimeRegistry, RuntimeSession } from '../../runtimes/runtime-registry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { senderOf } from '../sender.ts';
import { empty, json, readJson } from './json-http.ts';
import type { PeerCheck } from './peer-check.ts';

const corsHeaders = { 'access-control-allow-credentials': 'true' } as const;

interface LoopSession {
  readonly origin: string | null;
  readonly runtime: RuntimeSession;
  readonly queue: ServerMessage[];
  /** Completes the waiting poll. */
  wake: (() => void) | undefined;
}

function waitOf(url: URL): number {
  const wanted = Number(url.searchParams.get('waitMs') ?? Number.NaN);
  const { pollMs, longestPollMs } = limits.runtimes;
  return wanted > 0 ? Math.min(wanted, longestPollMs) : pollMs;
}

export function createHttpLoop(registry: RuntimeRegistry, check: PeerCheck) {
  const sessions = new Map<string, LoopSession>();

  function find(request: Request, url: URL): [id: string, LoopSession] | undefined {
    const id = request.headers.get('x-mdp-session-id') ?? url.searchParams.get('sessionId');
    const session = id === null ? undefined : sessions.get(id);
    return id === null || session?.origin !== request.headers.get('origin') ? undefined : [id, session];
  }

  function end(id: string): void {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.wake?.();
  }

  async function connect(request: Request, url: URL): Promise<Response> {
    const body = await readJson(request);
    if (!body.ok) return json(body.status, { error: body.fault }, corsHeaders);
    const peer = check(request.headers, url, senderOf(request));
    if (!peer.ok) return json(peer.status, { error: peer.reason }, { ...corsHeaders, ...peer.headers });
    const id = crypto.randomUUID();
    const origin = request.headers.get('origin');
    const queue: ServerMessage[] = [];
    const runtime = registry.open({
      ...peer.connection,
      mode: 'http-loop',
      send(message) {
        if (queue.length >= limits.runtimes.queuedMessages) throw new Error('too many messages wait for a poll');
        queue.push(message);
        sessions.get(id)?.wake?.();
      },
      close: () => end(id),
    });
    sessions.set(id, { origin, runtime, queue, wake: undefined });
    return json(200, { sessionId: id }, corsHeaders);
  }

  async function send(request: Request, url: URL): Promise<Response> {
    const found = find(request, url);
    if (found === undefined) return empty(404, corsHeaders);
    const body = await readJson(request);
    if (!body.ok) return json(body.status, { error: body.fault }, corsHeaders);
    const decoded = decodeClientMessage(isJsonObject(body.value) ? body.value.message : undefined);
    if (!decoded.ok) return json(400, { error: `Invalid MDP client message: ${decoded.fault}` }, corsHeaders);
    const fault = found[1].runtime.receive(decoded.message);
    return fault === undefined ? json(202, { ok: true }, corsHeaders) : json(400, { error: fault }, corsHeaders);
  }

  /** Waits for a message, a timeout, the end of the session, a newer poll, or a disconnect. */
  function somethingToSay(session: LoopSession, ms: number, signal: AbortSignal): Promise<void> {
    session.wake?.();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        if (session.wake === wake) session.wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      session.wake = wake;
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake);
    });
  }

  async function poll(request: Request, url: URL): Promise<Response> {
    const found = find(request, url);
    if (found === undefined) return empty(404, corsHeaders);
    const [, session] = found;
    session.runtime.seen();
    if (session.queue.length === 0) await somethingToSay(session, waitOf(url), request.signal);
    // A poll without a client must not consume a message.
    const message = request.signal.aborted ? undefined : session.queue.shift();
    session.runtime.seen();
    return message === undefined ? empty(204, corsHeaders) : json(200, { message }, corsHeaders);
  }

  return {
    async answer(request: Request, url: URL): Promise<Response> {
      const step = url.pathname.slice(httpLoopPath.length);
      if (request.method === 'OPTIONS') return empty(204, corsHeaders);
      if (request.method === 'POST' && step === '/connect') return connect(request, url);
      if (request.method === 'POST' && step === '/send') return send(request, url);
      if (request.method === 'GET' && step === '/poll') return poll(request, url);
      if (request.method === 'POST' && step === '/disconnect') {
        const found = find(request, url);
        if (found !== undefined) {
          found[1].runtime.ended();
          end(found[0]);
        }
        return empty(204, corsHeaders);
      }
      return empty(404, corsHeaders);
    },
  };
}
