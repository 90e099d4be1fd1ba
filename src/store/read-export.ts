/** Reads the lines of an export and checks all of them: the kind of each, the digest of the whole, and that nothing is missing. */
import { SkillwireError } from '../errors.ts';
import { isDigest, sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject, sameJson } from '../skill/json.ts';
import { isAuditRecord } from './audit-record.ts';
import { createLineDigest, type ExportCounts, type ExportLine, exportFormat } from './state-export.ts';
import { isKey, isStateKey } from './state-kinds.ts';

/** All lines, without their breaks; called for each reading. */
export type ExportReader = () => AsyncIterable<string>;

/** Reads an export to its end. @throws SkillwireError USAGE where it is none, or not whole */
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
    if (end !== undefined) throw fault(number, 'something follows its end');
    const value = parse(text, number);
    if (number === 1) {
      if (value.format !== exportFormat || value.version !== 1)
        throw fault(1, 'it is no export of a state of version 1');
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
  if (end === undefined) throw fault(number, 'it ends before its end');
  if (end.digest !== sums.value() || !sameJson(end.counts, counts))
    throw fault(number, 'it is not as it was written: its digest is another one');
  return { counts, digest: sums.value() };
}

async function lineOf(value: Readonly<Record<string, JsonValue>>, number: number): Promise<ExportLine> {
  const { state: key, audit, blob, base64 } = value;
  if (isKey(key) && value.value !== undefined) {
    // What a value of another kind would bring back is not known.
    if (!isStateKey(key)) throw fault(number, `values of the kind ${quoteText(key[0] ?? '')} need a newer Skillwire`);
    return { kind: 'state', entry: { key, value: value.value } };
  }
  if (audit !== undefined && isAuditRecord(audit)) return { kind: 'audit', record: audit };
  if (!isDigest(blob) || typeof base64 !== 'string') throw fault(number, 'the line is of no known kind');
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
  throw fault(number, 'the line is no JSON object');
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
  return new SkillwireError('USAGE', `cannot import the file: line ${line}: ${reason}; nothing was written`, {
    data: { line, reason },
  });
}
