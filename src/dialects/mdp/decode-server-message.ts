/**
 * What a hub says to a runtime. The reference client drops what it does not understand without a word, so that the caller waits
 * for its timeout; here the fault is told, and what to do about it is left to the caller.
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
      return timestampFault(message);
    default:
      return 'this type of message is not for a runtime';
  }
}

const decoder = messageDecoder<ServerMessage>(faultOf);

export const decodeServerMessage: MessageDecoder<ServerMessage>['message'] = decoder.message;
export const decodeServerFrame: MessageDecoder<ServerMessage>['frame'] = decoder.frame;
