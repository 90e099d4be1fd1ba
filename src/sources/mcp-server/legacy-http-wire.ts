/**
 * Streamable HTTP before 2026-07-28, with sessions and event streams, by the official client. All bytes pass the
 * guarded HTTP client. No stream for server-initiated messages is opened, because nothing listens to them.
 */
import { unlessAborted } from '../../async/unless-aborted.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { isPassingFailure, isPassingStatus, retryWait } from '../../outbound/retry.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { clientError, clientWire } from './client-wire.ts';
import { essence, httpFailure } from './http-failure.ts';
import { introductionRefused } from './introduction.ts';
import type { HttpEndpoint } from './modern-http-wire.ts';
import { clientInfo, legacyVersion, rpcCodes } from './protocol.ts';
import { RpcError, type Wire, type WireRequestOptions } from './wire.ts';

/** `data.reason` of the error for a lost session. */
export const sessionLost = 'SESSION_LOST';

export async function connectLegacyHttp(
  place: HttpEndpoint,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal?: AbortSignal },
): Promise<Wire> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client(clientInfo, { capabilities: place.profile.capabilities });
  const transport = new StreamableHTTPClientTransport(new URL(place.url), {
    fetch: guardedFetch(place),
    requestInit: { headers: place.headers },
    reconnectionOptions: {
      initialReconnectionDelay: limits.outbound.retryMs,
      maxReconnectionDelay: limits.outbound.retryAfterMs,
      reconnectionDelayGrowFactor: 2,
      maxRetries: limits.outbound.retries,
    },
  });
  // The client drops unknown keys, and SEP-2076 is declared by such a key.
  let declared: unknown;
  transport.onmessage = (message) => {
    const result = 'result' in message ? message.result : undefined;
    if (declared === undefined && isJsonObject(result)) declared = result['capabilities'];
  };
  try {
    await client.connect(transport, { prior: { kind: 'legacy' }, timeout: deadlineMs, signal });
  } catch (error) {
    await client.close();
    const call = { method: 'initialize', deadlineMs, signal };
    const failure = clientError(error, call);
    throw failure instanceof RpcError ? introductionRefused(failure) : failure;
  }
  const wire = clientWire(client, { closes: true });
  return {
    ...wire,
    capabilities: declared ?? wire.capabilities,
    request: (method, params, options) => withRetries(() => wire.request(method, params, options), options),
    protocolVersion: wire.protocolVersion === '' ? legacyVersion : wire.protocolVersion,
    async close() {
      // Notifying the server is a courtesy that must not delay closing.
      const farewell = transport.terminateSession().catch(() => undefined);
      await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, limits.origin.endMs).unref?.())]);
      await wire.close();
    },
  };
}

/** No request here changes anything, so each may be repeated after a passing failure. */
async function withRetries(ask: () => Promise<unknown>, { signal, deadlineMs }: WireRequestOptions): Promise<unknown> {
  const endsAt = performance.now() + deadlineMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const passes =
        isPassingFailure(error) || (error instanceof SkillwireError && isPassingStatus(Number(error.data['status'])));
      const wait = retryWait(attempt);
      if (!passes || attempt >= limits.outbound.retries || performance.now() + wait > endsAt) throw error;
      await unlessAborted(new Promise((resolve) => setTimeout(resolve, wait)), signal, 'connect');
    }
  }
}

/** Adds credentials, renews them once for each reason, and explains answers that the client cannot use. */
function guardedFetch({ url, client, credentials }: HttpEndpoint): typeof fetch {
  async function send(input: string | URL | Request, init: RequestInit, renewed: readonly number[]): Promise<Response> {
    const headers = new Headers(init.headers);
    const authorization = await credentials.header();
    if (authorization !== undefined) headers.set('authorization', authorization);
    const response = await client.fetch(input, { ...init, headers });
    const { status } = response;
    if ((status === 401 || status === 403) && !renewed.includes(status)) {
      const challenge = response.headers.get('www-authenticate') ?? undefined;
      if (await credentials.renew({ status, challenge }, new URL(url), client.fetch as typeof fetch)) {
        await response.body?.cancel();
        return send(input, init, [...renewed, status]);
      }
    }
    if (init.method === 'POST') await checkAnswer(response, headers.has('mcp-session-id'));
    return response;
  }

  async function checkAnswer(response: Response, inSession: boolean): Promise<void> {
    const { status } = response;
    const type = response.headers.get('content-type') ?? undefined;
    const media = essence(type);
    if (status === 202 || status === 204) return;
    if (status === 200 && (media === 'application/json' || media === 'text/event-stream')) return;
    const challenge = response.headers.get('www-authenticate') ?? undefined;
    const failure = httpFailure({ url, status, type, text: await response.text(), challenge }, credentials);
    const isUnknownMethod = failure instanceof RpcError && failure.code === rpcCodes.methodNotFound;
    if (status === 404 && inSession && !isUnknownMethod)
      throw new SkillwireError(
        'UNREACHABLE',
        `Cannot continue with ${quoteText(url)}: the server lost the session. Try again.`,
        { data: { url, reason: sessionLost } },
      );
    throw failure;
  }

  return async (input, init = {}) => {
    const isPush = init.method === 'GET' && !new Headers(init.headers).has('last-event-id');
    return isPush ? new Response(null, { status: 405 }) : send(input, init, []);
  };
}
