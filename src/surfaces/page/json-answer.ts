/** JSON over HTTP for the page: entity tags, errors in one form, checked parameters. */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { PlainAnswer, PlainRequest } from '../plain-answer.ts';
import { namesTag } from '../well-known-http/content-headers.ts';

const headers: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  // Answers depend on the trust of the reader, so shared caches must not store them.
  vary: 'Origin, Cookie, Authorization',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** @param tag of the content, if it is known in advance; then the content is built only if needed */
export async function jsonAnswer(request: PlainRequest, make: () => unknown, tag?: string): Promise<PlainAnswer> {
  if (tag !== undefined && namesTag(request.header('if-none-match'), tag))
    return { status: 304, headers: { ...headers, etag: tag }, body: '' };
  const body = JSON.stringify(await make());
  const etag = tag ?? `"${await shortHash(body)}"`;
  if (tag === undefined && namesTag(request.header('if-none-match'), etag))
    return { status: 304, headers: { ...headers, etag }, body: '' };
  return { status: 200, headers: { ...headers, etag }, body };
}

const encoder = new TextEncoder();

async function shortHash(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function errorAnswer(status: number, code: string, message: string, more: object = {}): PlainAnswer {
  return {
    status,
    headers: { ...headers, 'cache-control': 'no-store' },
    body: JSON.stringify({ error: { code, message, ...more } }),
  };
}

/** The answer to a `SkillwireError`. Other errors are not shown to readers. */
export function answerToError(error: unknown): PlainAnswer {
  if (!(error instanceof SkillwireError)) throw error;
  return errorAnswer(error.httpStatus, error.code, error.message);
}

export function doneAnswer(body: unknown, more: Readonly<Record<string, string>> = {}): PlainAnswer {
  return { status: 200, headers: { ...headers, 'cache-control': 'no-store', ...more }, body: JSON.stringify(body) };
}

/** A query parameter that must appear exactly once. @throws SkillwireError USAGE */
export function parameter(query: URLSearchParams, name: string): string {
  const values = query.getAll(name);
  if (values.length === 1 && values[0] !== undefined && values[0] !== '') return values[0];
  throw new SkillwireError('USAGE', `Pass the parameter "${name}" exactly once.`, { data: { name } });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body as a JSON object. @throws SkillwireError USAGE */
export function bodyOf({ body, header }: PlainRequest): Readonly<Record<string, unknown>> {
  const wrong = (reason: string): SkillwireError =>
    new SkillwireError('USAGE', `Invalid request: ${reason}. Send a JSON object.`);
  if (header('content-type')?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw wrong('its content-type is not application/json');
  if (body.length > limits.page.bodyBytes) throw wrong(`it has more than ${limits.page.bodyBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) throw wrong('it is not JSON');
    throw error;
  }
  if (!isJsonObject(value)) throw wrong('it is not an object');
  return value;
}

/** @throws SkillwireError USAGE */
export function textField(body: Readonly<Record<string, unknown>>, name: string, most: number): string {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (typeof value === 'string' && value.length <= most) return value;
  throw new SkillwireError('USAGE', `Invalid request: "${name}" must be a string of at most ${most} characters.`, {
    data: { name },
  });
}
