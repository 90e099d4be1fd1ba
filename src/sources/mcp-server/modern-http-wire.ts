/**
 * Streamable HTTP of revision 2026-07-28: each request is one POST that stands for itself, its answer one JSON document or one
 * event. Written for many small reads (`verify` of 50,000 files), so it goes straight to the guarded HTTP client and keeps
 * what does not change between requests. Each request may be repeated: nothing that is asked here changes anything.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { HttpAnswer, HttpClient } from '../../outbound/http-messages.ts';
import { decodingTurn } from './decoding-turn.ts';
import { type EventsAnswer, readEvents } from './events-answer.ts';
import type { HttpCredentials } from './http-credentials.ts';
import { essence, httpFailure, tryJson } from './http-failure.ts';
import { introductionRefused, isLegacyError, readDiscovery } from './introduction.ts';
import { keptAnswers } from './kept-answers.ts';
import { type ClientManner, modernVersion } from './protocol.ts';
import { modernRules, RpcError, resultOf, type Wire, type WireRequestOptions } from './wire.ts';

export interface HttpPlace {
  readonly url: string;
  readonly client: HttpClient;
  readonly credentials: HttpCredentials;
  /** Further headers of the user, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly manner: ClientManner;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Asks the server what it is; `'legacy'` where its answer is that of a server that does not know the revision. */
export async function connectModernHttp(place: HttpPlace, options: WireRequestOptions): Promise<Wire | 'legacy'> {
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

/** Anything in the 400s is how some server of the older way says that it does not know the question. */
function isLegacyAnswer(error: unknown): boolean {
  if (error instanceof RpcError) return isLegacyError(error);
  if (!(error instanceof SkillwireError) || error.code !== 'BAD_ANSWER') return false;
  const { status } = error.data;
  return typeof status === 'number' && status >= 400 && status < 500;
}

type Sender = Wire['request'];

function createSender({ url, client, credentials, headers, manner }: HttpPlace): Sender {
  const metaJson = JSON.stringify(manner.requestMeta);
  const fixed: Readonly<Record<string, string>> = {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': modernVersion,
  };
  const kept = keptAnswers();
  let lastId = 0;

  async function post(method: string, params: Readonly<Record<string, unknown>>, options: WireRequestOptions) {
    const id = ++lastId;
    const own: Record<string, string> = { ...fixed, 'mcp-method': method };
    if (method === 'resources/read') own['mcp-name'] = headerText(String(params['uri']));
    const header = credentials.header();
    const authorization = typeof header === 'object' ? await header : header;
    if (authorization !== undefined) own['authorization'] = authorization;
    const json = JSON.stringify(params);
    const inner = json === '{}' ? '' : `${json.slice(1, -1)},`;
    let events: EventsAnswer | undefined;
    const answer = await client.request({
      url,
      method: 'POST',
      headers: own,
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
    renewed = false,
  ): Promise<unknown> {
    const { id, answer, message } = await post(method, params, options);
    const { status } = answer;
    if (message !== undefined) return resultOf(method, message, id);
    if (status === 200) {
      if (answer.body.length > limits.origin.atOnceBytes) await decodingTurn();
      const text = jsonText(answer);
      const question = options.repeated === true ? `${method} ${JSON.stringify(params)}` : undefined;
      const known = question === undefined || text === undefined ? undefined : kept.find(question, id, text);
      if (known !== undefined) return known.result;
      const json = text === undefined ? undefined : tryJson(text);
      if (json !== undefined) {
        const result = resultOf(method, json, id);
        if (question !== undefined) kept.keep(question, id, text ?? '', result);
        return result;
      }
    } else if ((status === 401 || status === 403) && !renewed) {
      const challenge = answer.headers['www-authenticate'];
      if (await credentials.renew({ status, challenge }, new URL(url), client.fetch as typeof fetch))
        return send(method, params, options, true);
    }
    throw httpFailure(factsOf(url, answer), credentials.given);
  }
  return (method, params, options) => send(method, params, options);
}

/** The document, where the answer says that it is one. */
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
  return { url, status, type: headers['content-type'], text: new TextDecoder().decode(shown) };
}

/** A value as a header carries it (Streamable HTTP, "Mcp-Name"): as it is where that is safe, else in base64. */
function headerText(value: string): string {
  if (/^[\x21-\x7e]+$/.test(value) && !value.startsWith('=?')) return value;
  let binary = '';
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `=?base64?${btoa(binary)}?=`;
}
