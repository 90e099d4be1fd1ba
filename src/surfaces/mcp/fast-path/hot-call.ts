/**
 * Recognizes requests of revision 2026-07-28 that are answered without the SDK: frequent methods in their usual form. If anything is missing,
 * malformed, unknown or unusual, the SDK handles the request. So this file rejects nothing, and can only be too strict.
 */
import { isJsonObject, type JsonObject } from '../../../skill/json.ts';
import type { PlainRequest } from '../../plain-answer.ts';

export const hotRevision = '2026-07-28';

const hotMethods = [
  'skills/list',
  'skills/get',
  'resources/read',
  'resources/directory/read',
  'server/discover',
] as const;

export type HotMethod = (typeof hotMethods)[number];

export interface HotCall {
  readonly method: HotMethod;
  readonly id: string | number;
  /** Empty for methods without a URI. */
  readonly uri: string;
  readonly cursor: string | undefined;
  /** As declared by the client. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
}

type HeadersOf = Pick<PlainRequest, 'header'>;

/** Longer ids are legal, but nobody sends them. */
const longestId = 256;

/** Maximum nesting of a declared capability; the deepest known has three levels. */
const deepestDeclaration = 8;

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const clientInfoKey = 'io.modelcontextprotocol/clientInfo';

const takesUri: ReadonlySet<string> = new Set(['skills/get', 'resources/read', 'resources/directory/read']);
const takesCursor: ReadonlySet<string> = new Set(['skills/list', 'resources/directory/read']);

function isHot(method: unknown): method is HotMethod {
  return (hotMethods as readonly unknown[]).includes(method);
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= longestId : Number.isSafeInteger(id);
}

function isClientInfo(info: unknown): boolean {
  if (!isJsonObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return false;
  for (const key in info) {
    if (key !== 'name' && key !== 'version' && key !== 'title' && key !== 'description' && key !== 'websiteUrl')
      return false;
    if (typeof info[key] !== 'string') return false;
  }
  return true;
}

/** True if arrays and objects nest at most this deep. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const key in value) if (!isShallow((value as JsonObject)[key], levels - 1)) return false;
  return true;
}

/** True for an object of objects, without `__proto__`. */
function holdsObjects(value: unknown): value is Readonly<Record<string, JsonObject>> {
  if (!isJsonObject(value)) return false;
  for (const key in value)
    if (key === '__proto__' || !isJsonObject(value[key]) || !isShallow(value[key], deepestDeclaration)) return false;
  return true;
}

function isCapability(key: string, value: unknown): boolean {
  switch (key) {
    case 'extensions':
    case 'experimental':
    case 'sampling':
      return holdsObjects(value);
    case 'elicitation': {
      if (!holdsObjects(value)) return false;
      const applies = value.form?.applyDefaults;
      return applies === undefined || typeof applies === 'boolean';
    }
    case 'roots': {
      if (!isJsonObject(value)) return false;
      for (const name in value) if (name !== 'listChanged' || typeof value[name] !== 'boolean') return false;
      return true;
    }
    default:
      return false;
  }
}

function isCapabilities(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  for (const key in value) if (!isCapability(key, value[key])) return false;
  return true;
}

/** The capabilities in a well-formed envelope. */
function declaredIn(meta: unknown): JsonObject | undefined {
  if (!isJsonObject(meta)) return undefined;
  let capabilities: JsonObject | undefined;
  for (const key in meta) {
    const value = meta[key];
    switch (key) {
      case versionKey:
        if (value !== hotRevision) return undefined;
        break;
      case capabilitiesKey:
        if (!isCapabilities(value)) return undefined;
        capabilities = value;
        break;
      case clientInfoKey:
        if (!isClientInfo(value)) return undefined;
        break;
      case 'progressToken':
        if (typeof value !== 'string' && !Number.isSafeInteger(value)) return undefined;
        break;
      case 'traceparent':
      case 'tracestate':
      case 'baggage':
        if (typeof value !== 'string') return undefined;
        break;
      default:
        return undefined;
    }
  }
  return meta[versionKey] === undefined ? undefined : capabilities;
}

/** The call in a message, or `undefined` if the SDK must handle it. */
export function hotCall(message: unknown): HotCall | undefined {
  if (!isJsonObject(message)) return undefined;
  for (const key in message)
    if (key !== 'jsonrpc' && key !== 'id' && key !== 'method' && key !== 'params') return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || !isHot(method) || !isId(id) || !isJsonObject(params)) return undefined;
  let uri = '';
  let cursor: string | undefined;
  for (const key in params) {
    if (key === '_meta') continue;
    const value = params[key];
    if (typeof value !== 'string') return undefined;
    if (key === 'uri' && takesUri.has(method)) uri = value;
    else if (key === 'cursor' && takesCursor.has(method)) cursor = value;
    else return undefined;
  }
  if (takesUri.has(method) && params.uri === undefined) return undefined;
  const clientCapabilities = declaredIn(params._meta);
  return clientCapabilities === undefined ? undefined : { method, id, uri, cursor, clientCapabilities };
}

/** True if the headers match the body in their usual form. */
export function headersAgree({ method, uri }: HotCall, request: HeadersOf): boolean {
  return (
    request.header('mcp-protocol-version') === hotRevision &&
    request.header('mcp-method') === method &&
    (method !== 'resources/read' || (request.header('mcp-name') === uri && !uri.startsWith('=?')))
  );
}

const jsonType = /^application\/json(?:; ?charset=utf-8)?$/i;

/** True if the headers declare uncompressed JSON. */
export function saysJson(request: HeadersOf): boolean {
  const type = request.header('content-type');
  return type !== undefined && jsonType.test(type) && request.header('content-encoding') === undefined;
}
