/** JSON over HTTP for the page: entity tags, errors in one form, parameters that are checked. */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { PlainAnswer, PlainRequest } from '../plain-answer.ts';
import { namesTag } from '../well-known-http/content-headers.ts';

const headers: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  // Which reader is trusted is part of the answer; no shared cache may keep it.
  vary: 'Origin, Cookie, Authorization',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** @param tag of the content, where it is known without making it; the answer is then made only if it is wanted */
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

/** The answer to an error that was raised on purpose; others are not for the reader's eyes. */
export function answerToError(error: unknown): PlainAnswer {
  if (!(error instanceof SkillwireError)) throw error;
  return errorAnswer(error.httpStatus, error.code, error.message);
}

export function doneAnswer(body: unknown, more: Readonly<Record<string, string>> = {}): PlainAnswer {
  return { status: 200, headers: { ...headers, 'cache-control': 'no-store', ...more }, body: JSON.stringify(body) };
}

/** A parameter of the query that must be there once. @throws SkillwireError USAGE */
export function parameter(query: URLSearchParams, name: string): string {
  const values = query.getAll(name);
  if (values.length === 1 && values[0] !== undefined && values[0] !== '') return values[0];
  throw new SkillwireError('USAGE', `cannot answer: give the parameter "${name}" once`, { data: { name } });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body as an object of texts and booleans. @throws SkillwireError USAGE */
export function bodyOf({ body, header }: PlainRequest): Readonly<Record<string, unknown>> {
  const wrong = (reason: string): SkillwireError =>
    new SkillwireError('USAGE', `cannot take the request: ${reason}; send a JSON object`);
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
  throw new SkillwireError('USAGE', `cannot take the request: "${name}" must be a text of at most ${most} characters`, {
    data: { name },
  });
}
