/**
 * Recognises requests of revision 2026-07-28 that are answered without the SDK: the methods that clients call all the time,
 * written as every client writes them. Whatever is missing, malformed, unknown or unusual in such a request makes it nobody's
 * here, and the SDK answers or refuses it; so nothing in this file refuses anything, and it may only be too strict.
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
  /** Of the methods that have one, else empty. */
  readonly uri: string;
  readonly cursor: string | undefined;
  /** What the client declared, as it declared it. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
}

type HeadersOf = Pick<PlainRequest, 'header'>;

/** Longer ones are legal, and nobody sends them. */
const longestId = 256;

/** Levels of what a client declares about one capability; the largest known has three. */
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

/** True if arrays and objects lie no deeper in each other than that. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const key in value) if (!isShallow((value as JsonObject)[key], levels - 1)) return false;
  return true;
}

/** True for an object of objects with names that mean nothing to the language. */
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

/** The capabilities that a well-formed envelope declares. */
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

/** The call that a message is, or undefined where it is for the SDK. */
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

/** True if the headers of a request say what its body says, in the plainest way of saying it. */
export function headersAgree({ method, uri }: HotCall, request: HeadersOf): boolean {
  return (
    request.header('mcp-protocol-version') === hotRevision &&
    request.header('mcp-method') === method &&
    (method !== 'resources/read' || (request.header('mcp-name') === uri && !uri.startsWith('=?')))
  );
}

const jsonType = /^application\/json(?:; ?charset=utf-8)?$/i;

/** True for a body that is said to be plain JSON. */
export function saysJson(request: HeadersOf): boolean {
  const type = request.header('content-type');
  return type !== undefined && jsonType.test(type) && request.header('content-encoding') === undefined;
}
