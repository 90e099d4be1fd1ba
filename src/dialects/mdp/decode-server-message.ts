/**
 * What a hub says to a runtime. The reference client drops what it does not understand without a word, so that the caller waits
 * for its timeout; here the fault is told, and what to do about it is left to the caller.
 */
import { limits } from '../../limits.ts';
import {
  authFault,
  type Decoded,
  headersFault,
  isMethod,
  isObject,
  type JsonObject,
  objectFault,
  optional,
  parseFrame,
  textFault,
} from './decode-fields.ts';
import type { ServerMessage } from './messages.ts';
import { isConcretePath } from './path-grammar.ts';

function callFault({
  requestId,
  clientId,
  method,
  path,
  params,
  query,
  headers,
  auth,
}: JsonObject): string | undefined {
  const { idCharacters } = limits.runtimes;
  if (!isMethod(method)) return 'method is no MDP method';
  if (typeof path !== 'string' || !isConcretePath(path)) return 'path is no MDP path that can be called';
  return (
    textFault('requestId', requestId, idCharacters) ??
    textFault('clientId', clientId, idCharacters) ??
    optional(params, (given) => objectFault('params', given)) ??
    optional(query, (given) => objectFault('query', given)) ??
    optional(headers, (given) => headersFault('headers', given)) ??
    optional(auth, (given) => authFault('auth', given))
  );
}

function faultOf(message: JsonObject): string | undefined {
  switch (message.type) {
    case 'callClient':
      return callFault(message);
    case 'ping':
    case 'pong':
      return typeof message.timestamp === 'number' ? undefined : 'timestamp must be a number';
    default:
      return 'this type of message is not for a runtime';
  }
}

/** A message that is parsed already, as the HTTP loop carries it. */
export function decodeServerMessage(value: unknown): Decoded<ServerMessage> {
  if (!isObject(value)) return { ok: false, fault: 'the message is not an object' };
  const fault = faultOf(value);
  return fault === undefined ? { ok: true, message: value as unknown as ServerMessage } : { ok: false, fault };
}

/** A text frame. */
export function decodeServerFrame(text: string): Decoded<ServerMessage> {
  const parsed = parseFrame(text);
  return parsed.ok ? decodeServerMessage(parsed.message) : parsed;
}
