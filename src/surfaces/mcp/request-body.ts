/**
 * Reads the body of a POST as JSON, once and within limits, or returns the rejecting answer. Bodies that are nested deeper than any
 * protocol message are rejected before parsing.
 */
import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { isTooDeep } from '../../dialects/json-bounds.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

export type RequestBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly answer: Response };

/** An error answer without a JSON-RPC id. */
export function rpcError(status: number, code: number, message: string, headers: HeadersInit = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

function refused(status: number, code: number, message: string): RequestBody {
  return { ok: false, answer: rpcError(status, code, message) };
}

const tooLarge: Parameters<typeof refused> = [
  413,
  -32000,
  `Payload Too Large: a request may have at most ${limits.http.requestBytes} bytes`,
];

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a small body in memory; `undefined` if it is not JSON. Depth is not checked here, because the caller checks the whole value. */
export function parseHotBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
}

export async function readJsonBody(request: Request): Promise<RequestBody> {
  if (!isJsonContentType(request.headers.get('content-type')))
    return refused(415, -32000, 'Unsupported Media Type: Content-Type must be application/json');
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    return refused(415, -32000, 'Unsupported Media Type: the request body must not be compressed');
  let text: string;
  try {
    const body = await readRequestBody(request, limits.http.requestBytes);
    if (body.tooLarge) return refused(...tooLarge);
    text = body.text;
  } catch (error) {
    // A server may cut the body itself, before anybody counts its bytes here.
    if (error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED') return refused(...tooLarge);
    return refused(400, -32700, 'Parse error: the request body could not be read');
  }
  if (isTooDeep(text, limits.http.jsonDepth))
    return refused(400, -32600, `Invalid Request: JSON nested deeper than ${limits.http.jsonDepth} levels`);
  try {
    const value: unknown = JSON.parse(text);
    // A batch is answered as a whole, so a small batch of reads can request a very large answer.
    if (Array.isArray(value) && value.length > limits.http.batch)
      return refused(400, -32600, `Invalid Request: a batch may have at most ${limits.http.batch} messages`);
    return { ok: true, value };
  } catch {
    return refused(400, -32700, 'Parse error: the request body is not JSON');
  }
}
