/** Wraps the guarded client as a `fetch` function, for libraries that take one. */
import type { IncomingHttpHeaders } from 'node:http';
import { SkillwireError } from '../errors.ts';
import type { HttpClient } from './http-messages.ts';

/** Responses with these statuses have no body (Fetch, "null body status"). */
const bodiless = new Set([101, 204, 205, 304]);

export async function fetchWith(
  client: Pick<HttpClient, 'stream'>,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init.headers ?? request?.headers);
  const signal = init.signal ?? request?.signal;
  if (init.body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  const body = await bodyOf(init.body ?? (await request?.arrayBuffer()));
  try {
    const answer = await client.stream({
      url: request?.url ?? (input as string | URL),
      method: init.method ?? request?.method ?? 'GET',
      headers: Object.fromEntries(headers),
      body: body?.length === 0 ? undefined : body,
      signal: signal ?? undefined,
    });
    const isEmpty = bodiless.has(answer.status);
    if (isEmpty) void answer.body.cancel();
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: headersOf(answer.headers) });
  } catch (error) {
    // Callers of `fetch` expect their own abort reason back.
    if (error instanceof SkillwireError && error.code === 'INTERRUPTED' && signal?.aborted === true)
      throw signal.reason;
    throw error;
  }
}

async function bodyOf(body: BodyInit | null | undefined): Promise<string | Uint8Array | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body;
  throw new SkillwireError('USAGE', 'Cannot send this body. Use text, bytes or URLSearchParams.');
}

function headersOf(incoming: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(incoming))
    for (const line of Array.isArray(value) ? value : [value]) headers.append(name, line);
  return headers;
}
