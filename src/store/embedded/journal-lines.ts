/**
 * A journal is a header and lines of `<checksum> <json>`. The header names the format, its version and the generation
 * of the file, which is new after every rewrite. The JSON is `[number, payload]`. The checksum is an HMAC of format,
 * generation and JSON with the key of the installation. So a line counts only in the file, and at the position, for
 * which it was written.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '../../limits.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { OpenFile } from './file-system.ts';

export const journalVersion = 1;

export interface JournalHeader {
  readonly format: string;
  readonly version: number;
  readonly generation: string;
}

export type DecodedLine =
  | { readonly ok: true; readonly number: number; readonly payload: JsonValue }
  /** `payload` is not trustworthy; `undefined` if it is unreadable. */
  | { readonly ok: false; readonly payload: JsonValue | undefined };

const checksumCharacters = 32;
const generationPattern = /^[0-9a-f]{16}$/;

export function newHeader(format: string): JournalHeader {
  return { format, version: journalVersion, generation: randomBytes(8).toString('hex') };
}

export function encodeHeader(header: JournalHeader): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n`);
}

/** `newer`: a header of this format, but of an unknown version. */
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
  const written = line.subarray(0, checksumCharacters);
  const genuine =
    key !== undefined &&
    line[checksumCharacters] === 0x20 &&
    written.length === checksumCharacters &&
    timingSafeEqual(written, checksum(key, header, json));
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

/**
 * Reads the lines of a part of a file in bounded memory. Skips a last line without a line break: it may be unfinished.
 */

export interface RawLine {
  /** Without the line break; `undefined` if the line is too long. */
  readonly bytes: Uint8Array | undefined;
  /** The offset of the next line. */
  readonly end: number;
}

const lineBreak = 0x0a;

export async function* readLines(file: OpenFile, from: number, to: number, longest: number): AsyncGenerator<RawLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let tooLong = false;
  for (let position = from; position < to; ) {
    const chunk = Buffer.allocUnsafe(Math.min(limits.store.chunkBytes, to - position));
    const count = await file.read(chunk, position);
    if (count === 0) return;
    let begin = 0;
    for (let at = chunk.indexOf(lineBreak); at !== -1 && at < count; at = chunk.indexOf(lineBreak, begin)) {
      parts.push(chunk.subarray(begin, at));
      length += at - begin;
      begin = at + 1;
      yield { bytes: tooLong || length > longest ? undefined : Buffer.concat(parts), end: position + begin };
      parts = [];
      length = 0;
      tooLong = false;
    }
    length += count - begin;
    if (length > longest) {
      tooLong = true;
      parts = [];
    } else parts.push(chunk.subarray(begin, count));
    position += count;
  }
}

/** Checks the lines of a journal in order: which ones count, and which are damaged or missing. */

export interface JournalLineFault {
  readonly line: number;
  readonly reason: string;
  /** The content of a line that does not count; `undefined` if it is unreadable or if lines are missing. */
  readonly payload: JsonValue | undefined;
}

export interface CheckedLine {
  readonly line: number;
  readonly fault?: JournalLineFault;
  /** Absent if the line does not count. */
  readonly payload?: JsonValue;
}

const tooLong = 'the line is longer than the limit; ignored';
const wrongChecksum = 'the line does not have the checksum of this installation; ignored';
const wrongPlace = 'the line is in the wrong place; ignored';
const linesMissing = 'lines before this one are missing';

export function lineSequence(header: JournalHeader) {
  /** The header is line 1. */
  let line = 1;
  let lastGood = 0;
  let badSince = 0;
  return {
    /** @param bytes `undefined` for a line that is too long */
    next(bytes: Uint8Array | undefined, key: Uint8Array | undefined): CheckedLine {
      line += 1;
      const decoded = bytes === undefined ? undefined : decodeLine(key, header, bytes);
      if (decoded?.ok !== true || decoded.number <= lastGood) {
        badSince += 1;
        const reason = decoded === undefined ? tooLong : decoded.ok ? wrongPlace : wrongChecksum;
        return { line, fault: { line, reason, payload: decoded?.payload } };
      }
      const missing = decoded.number > lastGood + badSince + 1;
      lastGood = decoded.number;
      badSince = 0;
      return {
        line,
        payload: decoded.payload,
        ...(missing && { fault: { line, reason: linesMissing, payload: undefined } }),
      };
    },
    /** The number of the next line to append. */
    nextNumber: (): number => lastGood + badSince + 1,
  };
}

export type LineSequence = ReturnType<typeof lineSequence>;
