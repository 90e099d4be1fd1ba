/** Checks the fields that messages of both directions share. Faults are phrases that name the field. */
import { limits } from '../../limits.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { isTooDeep } from '../json-bounds.ts';
import { type MdpMethod, mdpMethods } from './messages.ts';

export type Decoded<M> =
  | { readonly ok: true; readonly message: M }
  /** A phrase that fits the reason of a WebSocket close. */
  | { readonly ok: false; readonly fault: string };

export function isMethod(value: unknown): value is MdpMethod {
  return mdpMethods.some((method) => method === value);
}

export interface MessageDecoder<M> {
  /** A parsed message, as in the HTTP loop. */
  message(value: unknown): Decoded<M>;
  /** A text frame. */
  frame(text: string): Decoded<M>;
}

/** Decodes messages of one direction; `faultOf` returns the fault of a message. */
export function messageDecoder<M>(faultOf: (message: JsonObject) => string | undefined): MessageDecoder<M> {
  function message(value: unknown): Decoded<M> {
    if (!isJsonObject(value)) return { ok: false, fault: 'the message is not an object' };
    const fault = faultOf(value);
    return fault === undefined ? { ok: true, message: value as unknown as M } : { ok: false, fault };
  }
  return {
    message,
    frame(text) {
      const parsed = parseFrame(text);
      return parsed.ok ? message(parsed.message) : parsed;
    },
  };
}

export function timestampFault({ timestamp }: JsonObject): string | undefined {
  return typeof timestamp === 'number' ? undefined : 'timestamp must be a number';
}

/** Parses a frame. A fault if it is not JSON or nested deeper than any message. */
export function parseFrame(text: string): Decoded<unknown> {
  const { jsonDepth } = limits.http;
  if (isTooDeep(text, jsonDepth)) return { ok: false, fault: `JSON nested deeper than ${jsonDepth} levels` };
  try {
    return { ok: true, message: JSON.parse(text) };
  } catch {
    return { ok: false, fault: 'the message is not JSON' };
  }
}

export function textFault(name: string, value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return `${name} must be text`;
  return value.length > most ? `${name} has ${value.length} characters, at most ${most} are allowed` : undefined;
}

export function optional(value: unknown, fault: (value: unknown) => string | undefined): string | undefined {
  return value === undefined ? undefined : fault(value);
}

export function objectFault(name: string, value: unknown): string | undefined {
  return isJsonObject(value) ? undefined : `${name} must be an object`;
}

/** Header values must be text; peers silently drop a message with any other value. */
export function headersFault(name: string, value: unknown): string | undefined {
  if (!isJsonObject(value)) return `${name} must be an object`;
  const values = Object.values(value);
  if (values.length > limits.runtimes.headers) return `${name} has more than ${limits.runtimes.headers} entries`;
  return values.every((header) => typeof header === 'string') ? undefined : `${name} must contain only text`;
}

export function authFault(name: string, value: unknown): string | undefined {
  if (!isJsonObject(value)) return `${name} must be an object`;
  const { scheme, token, headers, metadata } = value;
  const most = limits.runtimes.tokenCharacters;
  return (
    optional(scheme, (text) => textFault(`${name}.scheme`, text, most)) ??
    optional(token, (text) => textFault(`${name}.token`, text, most)) ??
    optional(headers, (field) => headersFault(`${name}.headers`, field)) ??
    optional(metadata, (field) => objectFault(`${name}.metadata`, field))
  );
}
