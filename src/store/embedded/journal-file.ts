/**
 * One journal on disk. Readers follow it without a lock, and check the file for changes first:
 * - If it grew, they read the new lines.
 * - If it was rewritten (another generation), cut or edited, they read all of it.
 *
 * Writers take the lock of the folder. A line whose checksum does not match is reported as a fault and never counts.
 */
import { join } from 'node:path';
import type { JsonValue } from '../../skill/entry.ts';
import { type FileStatus, lstatIfThere, type OpenFile, openIfThere, readInto } from './file-system.ts';
import {
  encodeHeader,
  encodeLine,
  type JournalHeader,
  type JournalLineFault,
  type LineSequence,
  lineSequence,
  newHeader,
  readLines,
} from './journal-lines.ts';
import type { LockGuard } from './lock-file.ts';
import { quotePath, unusable } from './store-failure.ts';
import {
  appendLine,
  checkJournal,
  checkRecord,
  type JournalOptions,
  noHeader,
  readHeader,
  writeJournal,
} from './write-journal.ts';

export interface JournalSink {
  /** Discards all lines so far: the file was rewritten, or is gone. */
  reset(): void;
  line(payload: JsonValue, number: number): void;
  fault(fault: JournalLineFault): void;
}

interface Followed {
  readonly header: JournalHeader | undefined;
  readonly lines: LineSequence;
  stamp: string;
  inode: string;
  size: number;
  /** The end of the last whole line. */
  offset: number;
  /** The last bytes before the offset. */
  mark: Uint8Array;
}

interface Waiting {
  /** Whether the caller needs a new check of the disk. Otherwise exclusive access is enough. */
  readonly looks: boolean;
  read(): void;
  fail(error: unknown): void;
}

/** Enough bytes to distinguish a line from any other at its position. */
const markBytes = 64;

export function journalFile(options: JournalOptions, sink: JournalSink) {
  const { files, folder, name, format, key, recordBytes, durable } = options;
  const path = join(folder, name);
  let followed: Followed | undefined;
  /** The last check found no file. If `false` and nothing is followed, the file has not been checked. */
  let absent = false;
  let waiting: Waiting[] = [];
  let busy = false;
  /** The file was renamed into place, but the folder could not be synced. */
  let unsynced = false;

  const reset = (): void => {
    followed = undefined;
    sink.reset();
  };

  const followNow = async (): Promise<void> => {
    if (followed !== undefined && (await lstatIfThere(files, path))?.stamp === followed.stamp) return;
    if (absent && followed === undefined && !(await files.isThere(path))) return;
    const file = await openIfThere(files, path, 'reading');
    absent = file === undefined;
    if (file === undefined) {
      reset();
      return;
    }
    try {
      const facts = await file.stat();
      checkSize(path, facts);
      const header = await readHeader(file, path, format);
      if (followed === undefined || !(await goesOn(file, followed, header, facts))) {
        reset();
        followed = begin(header);
        if (header === undefined) sink.fault({ line: 1, reason: noHeader, payload: undefined });
      }
      if (header !== undefined) await readNew(file, facts.size, followed);
      const { stamp, inode, size } = facts;
      Object.assign(followed, { stamp, inode, size, mark: await bytesBefore(file, followed.offset, markBytes) });
    } catch (error) {
      // The next call delivers the lines of this unfinished reading again.
      followed = undefined;
      throw error;
    } finally {
      await file.close();
    }
  };

  const readNew = async (file: OpenFile, size: number, at: Followed): Promise<void> => {
    const currentKey = await key.current();
    for await (const { bytes, end } of readLines(file, at.offset, size, recordBytes)) {
      const { line, payload, fault } = at.lines.next(bytes, currentKey);
      at.offset = end;
      if (fault !== undefined) sink.fault(fault);
      if (payload !== undefined) sink.line(payload, line);
    }
  };

  const known = async (guard: LockGuard): Promise<Followed & { readonly header: JournalHeader }> => {
    if (followed === undefined && !absent) await follow(() => undefined);
    if (followed === undefined) {
      await rewrite([], guard);
      await follow(() => undefined);
    }
    if (!hasHeader(followed)) throw new Error(`the journal at "${path}" changed under its lock`);
    return followed;
  };

  const append = async (payload: JsonValue, guard: LockGuard): Promise<void> => {
    const at = await known(guard);
    if (unsynced) await syncFolder();
    const currentKey = await key.ensure(guard);
    const { offset } = at;
    const line = encodeLine(currentKey, at.header, at.lines.nextNumber(), payload);
    checkRecord(line.length, recordBytes, path);
    checkJournal(offset + line.length, path);
    const file = await files.open(path, 'changing');
    let facts: FileStatus;
    try {
      await appendLine(file, line, { offset, size: at.size }, guard, durable);
      facts = await file.stat();
    } finally {
      await file.close();
    }
    // Delivers the line without reading it back, unless a reader has delivered it already.
    await exclusively(() => {
      if (followed !== at || at.offset !== offset) return;
      const { line: number, payload: written } = at.lines.next(line.subarray(0, -1), currentKey);
      const { stamp, inode, size } = facts;
      Object.assign(at, { stamp, inode, size, offset: offset + line.length, mark: line.subarray(-markBytes) });
      if (written !== undefined) sink.line(written, number);
    }, false);
  };

  const rewrite = async (payloads: Iterable<JsonValue>, guard: LockGuard): Promise<void> => {
    unsynced = true;
    await writeJournal(options, payloads, guard);
    unsynced = false;
  };

  const syncFolder = async (): Promise<void> => {
    await files.syncFolder(folder);
    unsynced = false;
  };

  const takeTurns = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const callers = waiting;
      waiting = [];
      try {
        if (callers.some(({ looks }) => looks)) await followNow();
        for (const { read } of callers) read();
      } catch (error) {
        for (const { fail } of callers) fail(error);
      }
    }
    busy = false;
  };

  const exclusively = <T>(read: () => T, looks: boolean): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const answer = (): void => {
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      };
      waiting.push({ looks, read: answer, fail: reject });
      if (!busy) void takeTurns();
    });

  const follow = <T>(read: () => T): Promise<T> => exclusively(read, true);

  return {
    path,
    /**
     * Delivers the new lines, then calls `read` before any others are delivered. `read` sees everything written before
     * the call, even if several calls share one check of the disk.
     */
    follow,
    /** True if `follow()` would find nothing new. False if it must look, or if looking may fail. */
    isCurrent(): boolean {
      if (busy) return false;
      try {
        const stamp = files.stampNow(path);
        return followed === undefined ? absent && stamp === undefined : stamp === followed.stamp;
      } catch {
        // The next `follow()` reports why.
        return false;
      }
    },
    /** Makes the next `follow()` read from the beginning. */
    forget: (): void => {
      followed = undefined;
    },
    /** The size of the file at the last `follow()`. */
    size: (): number => followed?.offset ?? 0,
    /** Requires a `follow()` under the same lock. */
    append,
    rewrite,
  };
}

function hasHeader(followed: Followed | undefined): followed is Followed & { readonly header: JournalHeader } {
  return followed?.header !== undefined;
}

function begin(header: JournalHeader | undefined): Followed {
  const offset = header === undefined ? 0 : encodeHeader(header).length;
  const lines = lineSequence(header ?? newHeader(''));
  return { header, lines, stamp: '', inode: '', size: 0, offset, mark: Buffer.alloc(0) };
}

async function bytesBefore(file: OpenFile, offset: number, count: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(count, offset));
  return bytes.subarray(0, await readInto(file, bytes, offset - bytes.length));
}

/** Whether a changed file is the followed one with more lines. Otherwise it was rewritten, cut or edited. */
async function goesOn(
  file: OpenFile,
  { header, inode, offset, mark }: Followed,
  now: JournalHeader | undefined,
  facts: FileStatus,
): Promise<boolean> {
  if (header === undefined || header.generation !== now?.generation) return false;
  if (facts.inode !== inode || facts.size <= offset) return false;
  return (await bytesBefore(file, offset, mark.length)).equals(mark);
}

function checkSize(path: string, { kind, size }: FileStatus): void {
  if (kind !== 'file') throw unusable(`cannot read ${quotePath(path)}: it is not a file; move it away`, path);
  checkJournal(size, path);
}
