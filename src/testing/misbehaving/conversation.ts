/**
 * Turns a message into an answer, without a socket. It records requests and detects their era. The script answers
 * first, otherwise the base server. Both transports use the same conversation, so a behavior is the same on both.
 */

import type { Era } from '../../dialects/era.ts';
import type { JsonObject } from '../../skill/json.ts';
import { isJsonObject } from '../../skill/json.ts';
import { baseAnswer, baseIdentity, errorAnswer, modernVersion } from './base-answers.ts';
import type { Answer, Call, Script } from './misbehavior.ts';
import { glossary, refunds, releaseNotes, type ServedSkill } from './served-skill.ts';

/** A request that a misbehaving server received. */
export interface RecordedRequest {
  /** 0 for the first one. */
  readonly order: number;
  /** Empty if the request is not a message, such as a GET. */
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
  readonly turn: number;
  /** HTTP headers in lower case; empty over stdio. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if it arrived under the other host name, which only a redirect leads to. */
  readonly elsewhere: boolean;
}

export interface Arrival {
  readonly message: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly elsewhere: boolean;
}

export type ServedEra = Era | 'both';

export function createConversation(script: Script, served: ServedEra) {
  const requests: RecordedRequest[] = [];
  const counts = new Map<string, number>();
  const skillsOfTurn = new Map<number, readonly ServedSkill[]>();
  const identity = script.identity?.(baseIdentity) ?? baseIdentity;
  let turn = 0;

  function skills(): readonly ServedSkill[] {
    const known = skillsOfTurn.get(turn) ?? script.skills?.(turn) ?? [releaseNotes, refunds(), glossary];
    skillsOfTurn.set(turn, known);
    return known;
  }

  function callOf({ message, elsewhere }: Arrival, place: Pick<Call, 'url' | 'elsewhere'>): Call | undefined {
    const { id } = message;
    if (typeof message['method'] !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
    const params = paramsOf(message);
    const key = JSON.stringify([message['method'], params['uri'], params['cursor']]);
    const earlier = counts.get(key) ?? 0;
    counts.set(key, earlier + 1);
    return {
      id,
      method: message['method'],
      params,
      era: eraOf(message),
      turn,
      earlier,
      redirected: elsewhere,
      ...place,
    };
  }

  return {
    requests,
    record({ message, headers, elsewhere }: Arrival): void {
      const method = typeof message['method'] === 'string' ? message['method'] : '';
      requests.push({
        order: requests.length,
        method,
        params: paramsOf(message),
        era: eraOf(message),
        turn,
        headers,
        elsewhere,
      });
    },
    /** The answer to a request; `undefined` for a notification or a response. */
    answer(arrival: Arrival, place: Pick<Call, 'url' | 'elsewhere'>): Answer | undefined {
      const call = callOf(arrival, place);
      if (call === undefined) return undefined;
      const refusal = eraRefusal(call, served);
      if (refusal !== undefined) return refusal;
      const usual = () => baseAnswer(call, identity, skills());
      return script.answer?.(call, usual) ?? usual();
    },
    turnTo(next: number): void {
      turn = next;
    },
    advance(): void {
      turn += 1;
    },
  };
}

export type Conversation = ReturnType<typeof createConversation>;

/** `undefined` if it is not a JSON object. */
export function parseMessage(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function paramsOf(message: JsonObject): JsonObject {
  const { params } = message;
  return isJsonObject(params) ? params : {};
}

/** Requests of revision 2026-07-28 carry their protocol version. */
export function eraOf(message: JsonObject): Era {
  return versionOf(message) === undefined ? 'legacy' : 'modern';
}

export function versionOf(message: JsonObject): unknown {
  const meta = paramsOf(message)['_meta'];
  return isJsonObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
}

function eraRefusal({ era, method, params }: Call, served: ServedEra): Answer | undefined {
  if (served === 'modern' && era === 'legacy')
    return badRequest(-32022, `"${method}" came without a protocol version.`, { supported: [modernVersion] });
  if (served === 'legacy' && era === 'modern') return errorAnswer(-32601, `The method "${method}" is not known.`);
  if (era === 'legacy') return undefined;
  const requested = versionOf({ params });
  if (requested !== modernVersion)
    return badRequest(-32022, `The protocol version "${String(requested)}" is not served.`, {
      supported: [modernVersion],
      requested,
    });
  const meta = params['_meta'];
  if (!isJsonObject(meta) || !isJsonObject(meta['io.modelcontextprotocol/clientCapabilities']))
    return badRequest(-32602, 'The request lacks the capabilities of the client.');
  return undefined;
}

function badRequest(code: number, message: string, data?: JsonObject): Answer {
  return { kind: 'error', code, message, data, status: 400 };
}
