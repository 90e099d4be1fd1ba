import { parseFrame } from '../../dialects/mdp/decode-fields.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

/** Answers are never cached by intermediaries and always carry their exact content type. */
export const ownHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(value, { status, headers: { ...ownHeaders, ...headers } });
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...ownHeaders, ...headers } });
}

export function methodNotAllowed(allow: string): Response {
  return empty(405, { allow });
}

export type RequestJson =
  /** `undefined` for an empty body. */
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: 400 | 413 | 415; readonly fault: string };

async function textOf(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > limits.runtimes.messageBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Reads a body as JSON. Its size is checked while it arrives, its depth before it is parsed. */
export async function readJson(request: Request): Promise<RequestJson> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    return { ok: false, status: 415, fault: 'The body must not be compressed' };
  if (request.body === null) return { ok: true, value: undefined };
  let text: string | undefined;
  try {
    text = await textOf(request.body);
  } catch (error) {
    const tooLarge = error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED';
    if (!tooLarge) return { ok: false, status: 400, fault: 'The body could not be read as UTF-8' };
  }
  if (text === undefined)
    return { ok: false, status: 413, fault: `A body may have at most ${limits.runtimes.messageBytes} bytes` };
  if (text === '') return { ok: true, value: undefined };
  const parsed = parseFrame(text);
  return parsed.ok ? { ok: true, value: parsed.message } : { ok: false, status: 400, fault: parsed.fault };
}
