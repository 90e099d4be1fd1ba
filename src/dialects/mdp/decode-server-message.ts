/**
 * Messages from a hub to a runtime. The reference client silently drops what it does not understand, so callers wait
 * for their timeout. Here the fault is reported, and the caller decides.
 */
import { limits } from '../../limits.ts';
import type { JsonObject } from '../../skill/json.ts';
import {
  authFault,
  headersFault,
  isMethod,
  type MessageDecoder,
  messageDecoder,
  objectFault,
  optional,
  textFault,
  timestampFault,
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
  if (!isMethod(method)) return 'method is not an MDP method';
  if (typeof path !== 'string' || !isConcretePath(path)) return 'path is not an MDP path that can be called';
  return (
    textFault('requestId', requestId, idCharacters) ??
    textFault('clientId', clientId, idCharacters) ??
    optional(params, (field) => objectFault('params', field)) ??
    optional(query, (field) => objectFault('query', field)) ??
    optional(headers, (field) => headersFault('headers', field)) ??
    optional(auth, (field) => authFault('auth', field))
  );
}

function faultOf(message: JsonObject): string | undefined {
  switch (message.type) {
    case 'callClient':
      return callFault(message);
    case 'ping':
    case 'pong':
      return timestampFault(message);
    default:
      return 'this type of message is not for a runtime';
  }
}

const decoder = messageDecoder<ServerMessage>(faultOf);

export const decodeServerMessage: MessageDecoder<ServerMessage>['message'] = decoder.message;
export const decodeServerFrame: MessageDecoder<ServerMessage>['frame'] = decoder.frame;
