/** The guarded client in the shape of `fetch`, for libraries that take a fetch function. */
import type { IncomingHttpHeaders } from 'node:http';
import { SkillwireError } from '../errors.ts';
import type { HttpClient } from './http-messages.ts';

/** Statuses whose answers have no body (Fetch, "null body status"). */
const bodiless = new Set([101, 204, 205, 304]);

export async function fetchWith(
  client: Pick<HttpClient, 'stream'>,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const given = input instanceof Request ? input : undefined;
  const headers = new Headers(init.headers ?? given?.headers);
  const signal = init.signal ?? given?.signal;
  if (init.body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  const body = await bodyOf(init.body ?? (given === undefined ? undefined : await given.arrayBuffer()));
  try {
    const answer = await client.stream({
      url: given?.url ?? (input as string | URL),
      method: init.method ?? given?.method ?? 'GET',
      headers: Object.fromEntries(headers),
      ...(body === undefined || body.length === 0 ? {} : { body }),
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    const isEmpty = bodiless.has(answer.status);
    if (isEmpty) void answer.body.cancel();
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: headersOf(answer.headers) });
  } catch (error) {
    // Whoever aborts a fetch expects its own reason back.
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
  throw new SkillwireError('USAGE', 'cannot send this body: give text, bytes or URLSearchParams');
}

function headersOf(given: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value]) headers.append(name, one);
  return headers;
}
