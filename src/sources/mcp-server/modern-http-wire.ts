/**
 * Streamable HTTP of revision 2026-07-28: each request is one self-contained POST, its answer one JSON document or one
 * event. Built for many small reads (`verify` of 50,000 files), so it uses the guarded HTTP client directly and caches
 * what does not change between requests. Each request may be repeated, because none changes anything.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { HttpAnswer, HttpClient } from '../../outbound/http-messages.ts';
import { isJsonObject } from '../../skill/json.ts';
import { cachedAnswers } from './cached-answers.ts';
import type { HttpCredentials } from './http-credentials.ts';
import { essence, httpFailure, tryJson } from './http-failure.ts';
import { introductionRefused, isLegacyError, readDiscovery } from './introduction.ts';
import { type ClientProfile, modernVersion } from './protocol.ts';
import { decodingTurn, modernRules, RpcError, resultOf, type Wire, type WireRequestOptions } from './wire.ts';

export interface HttpEndpoint {
  readonly url: string;
  readonly client: HttpClient;
  readonly credentials: HttpCredentials;
  /** Extra headers of the user, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly profile: ClientProfile;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Asks the server to introduce itself; `'legacy'` if it does not know the revision. */
export async function connectModernHttp(place: HttpEndpoint, options: WireRequestOptions): Promise<Wire | 'legacy'> {
  const send = createSender(place);
  let result: unknown;
  try {
    result = await send('server/discover', {}, options);
  } catch (error) {
    if (isLegacyAnswer(error)) return 'legacy';
    throw error instanceof RpcError ? introductionRefused(error) : error;
  }
  const found = readDiscovery(result);
  if (found === 'legacy') return 'legacy';
  return {
    ...found,
    era: 'modern',
    rules: modernRules,
    stateless: true,
    request: send,
    onClose: () => {},
    close: async () => {},
  };
}

/** Older servers report an unknown request with any 4xx status. */
function isLegacyAnswer(error: unknown): boolean {
  if (error instanceof RpcError) return isLegacyError(error);
  if (!(error instanceof SkillwireError) || error.code !== 'BAD_ANSWER') return false;
  const { status } = error.data;
  return typeof status === 'number' && status >= 400 && status < 500;
}

type Sender = Wire['request'];

function createSender({ url, client, credentials, headers, profile: manner }: HttpEndpoint): Sender {
  const metaJson = JSON.stringify(manner.requestMeta);
  const fixed: Readonly<Record<string, string>> = {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': modernVersion,
  };
  const cache = cachedAnswers();
  let lastId = 0;

  async function post(method: string, params: Readonly<Record<string, unknown>>, options: WireRequestOptions) {
    const id = ++lastId;
    const requestHeaders: Record<string, string> = { ...fixed, 'mcp-method': method };
    const name = method === 'resources/read' ? params['uri'] : method === 'tools/call' ? params['name'] : undefined;
    if (name !== undefined) requestHeaders['mcp-name'] = headerText(String(name));
    const header = credentials.header();
    const authorization = typeof header === 'object' ? await header : header;
    if (authorization !== undefined) requestHeaders['authorization'] = authorization;
    const json = JSON.stringify(params);
    const inner = json === '{}' ? '' : `${json.slice(1, -1)},`;
    let events: EventsAnswer | undefined;
    const answer = await client.request({
      url,
      method: 'POST',
      headers: requestHeaders,
      body: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":{${inner}"_meta":${metaJson}}}`,
      maxBytes: options.maxBytes,
      deadlineMs: options.deadlineMs,
      idempotent: true,
      signal: options.signal,
      until(part, { 'content-type': type }) {
        if (type === undefined || !type.startsWith('text/event-stream')) return false;
        events ??= readEvents(id);
        return events.push(part);
      },
    });
    options.onBytes?.(answer.body.length);
    events?.end();
    return { id, answer, message: events?.message };
  }

  async function send(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: WireRequestOptions,
    renewed: readonly number[] = [],
  ): Promise<unknown> {
    const { id, answer, message } = await post(method, params, options);
    const { status } = answer;
    if (message !== undefined) return resultOf(method, message, id);
    if (status === 200) {
      if (answer.body.length > limits.origin.atOnceBytes) await decodingTurn();
      const text = jsonText(answer);
      const question = options.repeated === true ? `${method} ${JSON.stringify(params)}` : undefined;
      const known = question === undefined || text === undefined ? undefined : cache.find(question, id, text);
      if (known !== undefined) return known.result;
      const json = text === undefined ? undefined : tryJson(text);
      if (json !== undefined) {
        const result = resultOf(method, json, id);
        if (question !== undefined) cache.store(question, id, text ?? '', result);
        return result;
      }
    } else if ((status === 401 || status === 403) && !renewed.includes(status)) {
      const challenge = answer.headers['www-authenticate'];
      if (await credentials.renew({ status, challenge }, new URL(url), client.fetch as typeof fetch))
        return send(method, params, options, [...renewed, status]);
    }
    throw httpFailure(factsOf(url, answer), credentials);
  }
  return (method, params, options) => send(method, params, options);
}

/** The document, if the content type says that it is one. */
function jsonText({ headers, body }: HttpAnswer): string | undefined {
  if (essence(headers['content-type']) !== 'application/json') return undefined;
  try {
    return decoder.decode(body);
  } catch {
    return undefined;
  }
}

function factsOf(url: string, { status, headers, body }: HttpAnswer) {
  const isJson = essence(headers['content-type']) === 'application/json';
  const shown = isJson ? body : body.subarray(0, 8 * limits.messages.quotedCharacters);
  return {
    url,
    status,
    type: headers['content-type'],
    text: new TextDecoder().decode(shown),
    challenge: headers['www-authenticate'],
  };
}

/** Encodes a value for a header (Streamable HTTP, "Mcp-Name"): unchanged if that is safe, else base64. */
function headerText(value: string): string {
  if (/^[\x21-\x7e]+$/.test(value) && !value.startsWith('=?')) return value;
  let binary = '';
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `=?base64?${btoa(binary)}?=`;
}

export function readEvents(id: number) {
  const decoder = new TextDecoder();
  let pending = '';
  let data: string[] = [];
  let message: unknown;

  function takeLine(line: string): void {
    if (line === '') {
      const parsed = data.length === 0 ? undefined : tryJson(data.join('\n'));
      data = [];
      if (isJsonObject(parsed) && parsed['id'] === id && ('result' in parsed || 'error' in parsed)) message = parsed;
    } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }

  return {
    /** The JSON-RPC message with the request id. */
    get message(): unknown {
      return message;
    },
    /** The stream has ended. Some servers omit the empty line after the last event. */
    end(): void {
      if (message !== undefined) return;
      takeLine(pending.replace(/\r$/, ''));
      takeLine('');
    },
    /** Consumes a part of the body; true once the answer is complete. */
    push(part: Uint8Array): boolean {
      const text = decoder.decode(part, { stream: true });
      // A part without a line break only extends a long line; joining it to all earlier ones would take quadratic time.
      if (!/[\r\n]/.test(text)) {
        pending += text;
        return false;
      }
      const lines = (pending + text).split(/\r\n|\n|\r(?!$)/);
      pending = lines.pop() ?? '';
      for (const line of lines) if (message === undefined) takeLine(line);
      return message !== undefined;
    },
  };
}

export type EventsAnswer = ReturnType<typeof readEvents>;
