/**
 * The export format of a store is lines of JSON. They are a header, every value of the state, the audit, and the bytes that the state
 * refers to. The last line has the counts and the digest of all lines before. Everything else can be fetched again. An export contains no
 * secret (of tokens only hashes), but it reveals what is approved and who decided.
 */

import { SkillwireError } from '../errors.ts';
import { isDigest, sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject, sameJson } from '../skill/json.ts';
import { pinnedDigests } from './collect-garbage.ts';
import { isKey, isStateKey } from './state-kinds.ts';
import type { AuditRecord, StateEntry, Store } from './store.ts';
import { isAuditRecord } from './store-checks.ts';

export const exportFormat = 'skillwire-export';

export interface ExportCounts {
  readonly state: number;
  readonly audit: number;
  readonly blobs: number;
}

/** One line of an export, after the header. */
export type ExportLine =
  | { readonly kind: 'state'; readonly entry: StateEntry }
  | { readonly kind: 'audit'; readonly record: AuditRecord }
  | { readonly kind: 'blob'; readonly digest: string; readonly bytes: Uint8Array };

type Doors = Pick<Store, 'state' | 'audit' | 'blobs'>;

/** Every line, with its line break. */
export async function* exportLines(store: Doors, at: string): AsyncGenerator<string, ExportCounts> {
  const sums = createLineDigest();
  const counts = { state: 0, audit: 0, blobs: 0 };
  const line = async (value: JsonValue): Promise<string> => {
    const text = `${JSON.stringify(value)}\n`;
    await sums.add(text);
    return text;
  };
  yield await line({ format: exportFormat, version: 1, at });
  for (const { key, value } of await store.state.entries([])) {
    counts.state++;
    yield await line({ state: key, value });
  }
  for await (const record of store.audit.read()) {
    counts.audit++;
    yield await line({ audit: record as unknown as JsonValue });
  }
  for (const digest of [...(await pinnedDigests(store.state))].sort()) {
    const bytes = await store.blobs.get(digest);
    if (bytes === undefined) continue;
    counts.blobs++;
    yield await line({ blob: digest, base64: toBase64(bytes) });
  }
  yield `${JSON.stringify({ end: counts, digest: sums.value() })}\n`;
  return counts;
}

/** The digest of lines, as a chain: hashes the previous digest with the digest of the next line. */
export function createLineDigest(): { add(line: string): Promise<void>; value(): string } {
  const encoder = new TextEncoder();
  let digest = '';
  return {
    async add(line) {
      const own = await sha256Digest(encoder.encode(line));
      digest = await sha256Digest(encoder.encode(`${digest}${own}`));
    },
    value: () => digest,
  };
}

const pieceBytes = 0x6000;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += pieceBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(from, from + pieceBytes)));
  return text;
}

/** Returns all lines, without their breaks. Called once per pass. */
export type ExportReader = () => AsyncIterable<string>;

/** Reads an export and checks every line, the digest and the counts. @throws SkillwireError USAGE if it is not a complete export */
export async function checkExport(
  lines: AsyncIterable<string>,
  take: (line: ExportLine) => Promise<void>,
): Promise<{ readonly counts: ExportCounts; readonly digest: string }> {
  const sums = createLineDigest();
  const counts = { state: 0, audit: 0, blobs: 0 };
  let number = 0;
  let end: { readonly counts: JsonValue | undefined; readonly digest: JsonValue | undefined } | undefined;
  for await (const text of lines) {
    number++;
    if (end !== undefined) throw fault(number, 'there is data after its end');
    const value = parse(text, number);
    if (number === 1) {
      if (value.format !== exportFormat || value.version !== 1) throw fault(1, 'it is not an export of version 1');
    } else if (value.end !== undefined) {
      end = { counts: value.end, digest: value.digest };
      continue;
    } else {
      const line = await lineOf(value, number);
      counts[line.kind === 'blob' ? 'blobs' : line.kind]++;
      await take(line);
    }
    await sums.add(`${text}\n`);
  }
  if (end === undefined) throw fault(number, 'it is incomplete');
  if (end.digest !== sums.value() || !sameJson(end.counts, counts))
    throw fault(number, 'it was changed: its digest does not match');
  return { counts, digest: sums.value() };
}

async function lineOf(value: Readonly<Record<string, JsonValue>>, number: number): Promise<ExportLine> {
  const { state: key, audit, blob, base64 } = value;
  if (isKey(key) && value.value !== undefined) {
    // The effect of an unknown kind of value is unknown.
    if (!isStateKey(key)) throw fault(number, `values of the kind ${quoteText(key[0] ?? '')} need a newer Skillwire`);
    return { kind: 'state', entry: { key, value: value.value } };
  }
  if (audit !== undefined && isAuditRecord(audit)) return { kind: 'audit', record: audit };
  if (!isDigest(blob) || typeof base64 !== 'string') throw fault(number, 'the line has an unknown kind');
  const bytes = fromBase64(base64);
  if (bytes === undefined || (await sha256Digest(bytes)) !== blob)
    throw fault(number, `the bytes do not have the digest ${blob}`);
  return { kind: 'blob', digest: blob, bytes };
}

function parse(text: string, number: number): Readonly<Record<string, JsonValue>> {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw fault(number, 'the line is not a JSON object');
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function fault(line: number, reason: string): SkillwireError {
  return new SkillwireError('USAGE', `Cannot import the file: line ${line}: ${reason}. Nothing was written.`, {
    data: { line, reason },
  });
}
