/**
 * Messages from a runtime to a hub. A message is accepted as a whole or not at all, as in the reference. One bad path refuses a
 * registration, because an incomplete catalog would look complete. Unknown fields are kept, unknown types refused.
 */
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import {
  authFault,
  isMethod,
  type MessageDecoder,
  messageDecoder,
  objectFault,
  optional,
  textFault,
  timestampFault,
} from './decode-fields.ts';
import { type ClientMessage, mdpErrorCodes } from './messages.ts';
import { parseMdpPath } from './path-grammar.ts';
import { staticFault } from './static-declaration.ts';

const { runtimes: most } = limits;

function pathFault(value: unknown, at: string): string | undefined {
  if (!isJsonObject(value)) return `${at} must be an object`;
  const { type, path, description, contentType, inputSchema, outputSchema, method, _meta } = value;
  if (typeof path !== 'string') return `${at}.path must be text`;
  const parsed = parseMdpPath(path);
  if (parsed === undefined) return `${at}.path is not an MDP path`;
  if (type !== 'skill' && type !== 'prompt' && type !== 'endpoint') return `${at}.type is unknown`;
  if (type !== parsed.kind) return `${at}.type does not match the last segment of its path`;
  if (type === 'endpoint' && !isMethod(method)) return `${at}.method is not an MDP method`;
  return (
    optional(description, (text) => textFault(`${at}.description`, text, most.descriptionCharacters)) ??
    optional(contentType, (text) => textFault(`${at}.contentType`, text, most.contentTypeCharacters)) ??
    optional(inputSchema, (schema) => objectFault(`${at}.inputSchema`, schema)) ??
    optional(outputSchema, (schema) => objectFault(`${at}.outputSchema`, schema)) ??
    optional(_meta, (meta) => (isJsonObject(meta) ? staticFault(meta) : `${at}._meta must be an object`))
  );
}

function pathsFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'paths must be an array';
  if (value.length > most.paths) return `${value.length} paths, at most ${most.paths} are allowed`;
  for (const [index, path] of value.entries()) {
    const fault = pathFault(path, `paths[${index}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function idFault(name: string, value: unknown): string | undefined {
  return textFault(name, value, most.idCharacters);
}

/**
 * One line of text that people and models see: printable characters of any script, so that it looks like what it is.
 */
function labelFault(name: string, value: unknown, most: number): string | undefined {
  const fault = textFault(name, value, most);
  if (fault !== undefined || typeof value !== 'string' || displayText(value) === value) return fault;
  return `${name} has a line break, a control or an invisible character; use printable characters`;
}

function clientFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'client must be an object';
  const { id, name, description, version, platform, metadata, paths } = value;
  const short = (field: string) => (text: unknown) => labelFault(field, text, most.nameCharacters);
  return (
    labelFault('client.id', id, most.idCharacters) ??
    (id === '' ? 'client.id must not be empty' : undefined) ??
    short('client.name')(name) ??
    optional(description, (text) => textFault('client.description', text, most.descriptionCharacters)) ??
    optional(version, short('client.version')) ??
    optional(platform, short('client.platform')) ??
    optional(metadata, (field) => objectFault('client.metadata', field)) ??
    pathsFault(paths)
  );
}

function errorFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'error must be an object';
  if (!mdpErrorCodes.some((code) => code === value.code)) return 'error.code is unknown';
  return textFault('error.message', value.message, most.errorCharacters);
}

function resultFault({ requestId, ok, error }: JsonObject): string | undefined {
  if (typeof ok !== 'boolean') return 'ok must be true or false';
  return idFault('requestId', requestId) ?? optional(error, errorFault);
}

function faultOf(message: JsonObject): string | undefined {
  switch (message.type) {
    case 'registerClient':
      return clientFault(message.client) ?? optional(message.auth, (auth) => authFault('auth', auth));
    case 'updateClientCatalog':
      return idFault('clientId', message.clientId) ?? pathsFault(message.paths);
    case 'unregisterClient':
      return idFault('clientId', message.clientId);
    case 'callClientResult':
      return resultFault(message);
    case 'ping':
    case 'pong':
      return timestampFault(message);
    default:
      return 'this type of message is not for a server';
  }
}

const decoder = messageDecoder<ClientMessage>(faultOf);

export const decodeClientMessage: MessageDecoder<ClientMessage>['message'] = decoder.message;
export const decodeClientFrame: MessageDecoder<ClientMessage>['frame'] = decoder.frame;
