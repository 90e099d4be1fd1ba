/**
 * Writes journals. A whole journal is written to a temporary file and renamed. A line is appended after the last whole
 * one; durable journals sync it before acknowledging. A file of a newer version is never changed.
 */
import { join } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { type FileSystem, type OpenFile, readInto } from './file-system.ts';
import type { InstallKey } from './install-key.ts';
import { decodeHeader, encodeHeader, encodeLine, type JournalHeader, newHeader } from './journal-lines.ts';
import type { LockGuard } from './lock-file.ts';
import { replaceFile, writeAll } from './replace-file.ts';
import { quotePath, unusable } from './store-failure.ts';

export interface JournalOptions {
  readonly files: FileSystem;
  readonly folder: string;
  readonly name: string;
  readonly format: string;
  readonly key: InstallKey;
  readonly recordBytes: number;
  /** Whether an append is synced before it is acknowledged. */
  readonly durable: boolean;
}

export const noHeader = 'the first line does not identify the file; the whole file is ignored';

/** `undefined` if the file has no valid header. @throws STATE_UNUSABLE for a newer version */
export async function readHeader(file: OpenFile, path: string, format: string): Promise<JournalHeader | undefined> {
  const bytes = Buffer.alloc(limits.store.headerBytes);
  const end = bytes.subarray(0, await readInto(file, bytes, 0)).indexOf(0x0a);
  const header = end === -1 ? undefined : decodeHeader(bytes.subarray(0, end), format);
  if (header === 'newer') {
    throw unusable(
      `cannot read ${quotePath(path)}: a newer version of Skillwire wrote it; use that version, or set SKILLWIRE_HOME to another folder`,
      path,
    );
  }
  // Only the canonical spelling is valid: the length of the header is the offset of the first line.
  return header !== undefined && encodeHeader(header).length === end + 1 ? header : undefined;
}

export function checkJournal(size: number, path: string): void {
  if (size <= limits.store.journalBytes) return;
  throw unusable(
    `cannot use ${quotePath(path)}: it would have ${size} bytes, the limit is ${limits.store.journalBytes}; move it away`,
    path,
  );
}

export function checkRecord(length: number, limit: number, path: string): void {
  if (length <= limit) return;
  throw new SkillwireError(
    'LIMIT_EXCEEDED',
    `Cannot write to ${quotePath(path)}: the record has ${length} bytes, the limit is ${limit}. Write less at a time.`,
    { data: { path, actual: length, limit } },
  );
}

/** Writes the whole journal and replaces any existing file. */
export async function writeJournal(
  { files, folder, name, format, key }: JournalOptions,
  payloads: Iterable<JsonValue>,
  guard: LockGuard,
): Promise<void> {
  const parts = encodeAll(await key.ensure(guard), newHeader(format), payloads);
  await replaceFile(files, join(folder, name), parts, { confirm: () => guard.confirm() });
}

/** Appends a line after the last whole one and cuts off the remains of a torn one. */
export async function appendLine(
  file: OpenFile,
  line: Uint8Array,
  end: { readonly offset: number; readonly size: number },
  guard: LockGuard,
  durable: boolean,
): Promise<void> {
  if (end.size > end.offset) await file.truncate(end.offset);
  await guard.confirm();
  try {
    await writeAll(file, line, end.offset);
    if (durable) await file.sync();
  } catch (error) {
    await cutOff(file, end.offset, error);
    throw error;
  }
}

/** After a failed write, the caller gets that failure. Bytes that cannot be cut off are a torn line. */
async function cutOff(file: OpenFile, offset: number, failure: unknown): Promise<void> {
  try {
    await file.truncate(offset);
  } catch (error) {
    if (failure instanceof Error && failure.cause === undefined) failure.cause = error;
  }
}

function* encodeAll(key: Uint8Array, header: JournalHeader, payloads: Iterable<JsonValue>): Generator<Uint8Array> {
  yield encodeHeader(header);
  let number = 0;
  for (const payload of payloads) {
    number += 1;
    yield encodeLine(key, header, number, payload);
  }
}
