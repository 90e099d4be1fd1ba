/**
 * A journal is a header and lines of `<checksum> <json>`. The header names the format, its version and the generation of the
 * file, new with every rewrite. The checksum is an HMAC with the key of the installation over format, generation and JSON; the
 * JSON is `[number, payload]`. So a line counts only in the file, and at the place, for which it was written.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { JsonValue } from '../../skill/entry.ts';

export const journalVersion = 1;

export interface JournalHeader {
  readonly format: string;
  readonly version: number;
  readonly generation: string;
}

export type DecodedLine =
  | { readonly ok: true; readonly number: number; readonly payload: JsonValue }
  /** `payload`: what the line says, which must not be believed; undefined where it says nothing readable. */
  | { readonly ok: false; readonly payload: JsonValue | undefined };

const checksumCharacters = 32;
const generationPattern = /^[0-9a-f]{16}$/;

export function newHeader(format: string): JournalHeader {
  return { format, version: journalVersion, generation: randomBytes(8).toString('hex') };
}

export function encodeHeader(header: JournalHeader): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n`);
}

/** `newer`: a header of this format, but of a version that is not known here. */
export function decodeHeader(line: Uint8Array, format: string): JournalHeader | 'newer' | undefined {
  const found = parseJson(Buffer.from(line).toString()) as
    | Partial<Record<keyof JournalHeader, unknown>>
    | null
    | undefined;
  if (typeof found !== 'object' || found === null || found.format !== format) return undefined;
  const { version, generation } = found;
  if (typeof version === 'number' && version > journalVersion) return 'newer';
  if (version !== journalVersion || typeof generation !== 'string' || !generationPattern.test(generation))
    return undefined;
  return { format, version: journalVersion, generation };
}

function checksum(key: Uint8Array, { format, generation }: JournalHeader, json: Uint8Array): Buffer {
  const hmac = createHmac('sha256', key).update(`${format}\0${generation}\0`).update(json).digest('hex');
  return Buffer.from(hmac.slice(0, checksumCharacters));
}

export function encodeLine(key: Uint8Array, header: JournalHeader, number: number, payload: JsonValue): Buffer {
  const json = Buffer.from(JSON.stringify([number, payload]));
  return Buffer.concat([checksum(key, header, json), Buffer.from(' '), json, Buffer.from('\n')]);
}

/** @param line without its line break */
export function decodeLine(key: Uint8Array | undefined, header: JournalHeader, line: Uint8Array): DecodedLine {
  const json = line.subarray(checksumCharacters + 1);
  const given = line.subarray(0, checksumCharacters);
  const genuine =
    key !== undefined &&
    line[checksumCharacters] === 0x20 &&
    given.length === checksumCharacters &&
    timingSafeEqual(given, checksum(key, header, json));
  const found = parseJson(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
  const [number, payload] = Array.isArray(found) && found.length === 2 ? (found as readonly JsonValue[]) : [];
  if (payload === undefined) return { ok: false, payload };
  return genuine && typeof number === 'number' ? { ok: true, number, payload } : { ok: false, payload };
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
