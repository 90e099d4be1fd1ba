/**
 * The audit is an append-only journal that is never rewritten. A line that fails verification stays in the file, does
 * not count, and is reported at each reading. Appending reads only the end of the file; reading takes bounded memory.
 */
import { join } from 'node:path';
import { limits } from '../../limits.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { AuditJournal, AuditRecord } from '../store.ts';
import { checkedRecord, isAuditRecord } from '../store-checks.ts';
import { type OpenFile, openIfThere, readInto } from './file-system.ts';
import type { FolderLock } from './folder-lock.ts';
import {
  type CheckedLine,
  decodeLine,
  encodeHeader,
  encodeLine,
  type JournalHeader,
  lineSequence,
  readLines,
} from './journal-lines.ts';
import type { LockGuard } from './lock-file.ts';
import { copyDamaged } from './replace-file.ts';
import { type CorruptionListener, named, storeFailure } from './store-failure.ts';
import { appendLine, checkRecord, type JournalOptions, noHeader, readHeader, writeJournal } from './write-journal.ts';

export interface AuditOptions extends JournalOptions {
  readonly lock: FolderLock;
  readonly onCorrupt: CorruptionListener;
}

/** The position and the number of the next line. */
interface End {
  readonly offset: number;
  readonly number: number;
  /** The size of the file, including the remains of a torn line. */
  readonly size: number;
}

interface Appendable {
  readonly header: JournalHeader;
  readonly end: End;
}

const lineBreak = 0x0a;

export interface AuditFile extends AuditJournal {
  /** For a caller that has the lock of the folder. */
  appendUnder(records: readonly AuditRecord[], guard: LockGuard): Promise<void>;
}

export function auditFile(options: AuditOptions): AuditFile {
  const { files, folder, name, format, key, recordBytes, lock, onCorrupt } = options;
  const path = join(folder, name);
  /**
   * The file after the last append of this process. The next append reads nothing unless another process wrote in
   * between.
   */
  let lastAppend: (Appendable & { readonly stamp: string; readonly key: Uint8Array }) | undefined;

  /**
   * Opens the file, or creates it if it is missing. A file without a valid header is copied, then replaced by a new
   * one.
   */
  const openToAppend = async (guard: LockGuard, currentKey: Uint8Array): Promise<Appendable & { file: OpenFile }> => {
    for (;;) {
      const file = await openIfThere(files, path, 'changing');
      if (file !== undefined) {
        let found: Appendable | undefined;
        try {
          const { stamp, size } = await file.stat();
          if (lastAppend?.stamp === stamp && lastAppend.key === currentKey) found = lastAppend;
          else {
            const header = await readHeader(file, path, format);
            if (header !== undefined) found = { header, end: await findEnd(file, header, size) };
          }
          if (found !== undefined) return { file, header: found.header, end: found.end };
        } finally {
          if (found === undefined) await file.close();
        }
        onCorrupt({ file: path, line: 1, reason: noHeader, copy: await copyDamaged(files, path) });
      }
      await writeJournal(options, [], guard);
    }
  };

  async function* check(file: OpenFile, header: JournalHeader, size: number): AsyncGenerator<CheckedLine & End> {
    const lines = lineSequence(header);
    const currentKey = await key.current();
    for await (const { bytes, end } of readLines(file, encodeHeader(header).length, size, recordBytes)) {
      const checked = lines.next(bytes, currentKey);
      yield { ...checked, offset: end, number: lines.nextNumber(), size };
    }
  }

  /** Trusts the last line if its checksum matches; otherwise reads the whole file. */
  const findEnd = async (file: OpenFile, header: JournalHeader, size: number): Promise<End> => {
    const first = encodeHeader(header).length;
    const from = Math.max(first - 1, size - 2 * recordBytes);
    const tail = Buffer.alloc(Math.max(size - from, 0));
    const length = await readInto(file, tail, from);
    const last = tail.lastIndexOf(lineBreak, length - 1);
    if (last === 0 && from === first - 1) return { offset: first, number: 1, size };
    const before = last <= 0 ? -1 : tail.lastIndexOf(lineBreak, last - 1);
    if (before !== -1) {
      const decoded = decodeLine(await key.current(), header, tail.subarray(before + 1, last));
      if (decoded.ok) return { offset: from + last + 1, number: decoded.number + 1, size };
    }
    let end: End = { offset: first, number: 1, size };
    for await (const { offset, number } of check(file, header, size)) end = { offset, number, size };
    return end;
  };

  const append = async (record: JsonValue, guard: LockGuard): Promise<void> => {
    const currentKey = await key.ensure(guard);
    const { file, header, end } = await openToAppend(guard, currentKey);
    try {
      const line = encodeLine(currentKey, header, end.number, record);
      checkRecord(line.length, recordBytes, path);
      lastAppend = undefined;
      await appendLine(file, line, end, guard, true);
      const { stamp, size } = await file.stat();
      lastAppend = { stamp, key: currentKey, header, end: { offset: size, number: end.number + 1, size } };
    } finally {
      await file.close();
    }
  };

  async function* records(): AsyncGenerator<AuditRecord> {
    const file = await openIfThere(files, path, 'reading');
    if (file === undefined) return;
    try {
      const header = await readHeader(file, path, format);
      if (header === undefined) {
        onCorrupt({ file: path, line: 1, reason: noHeader });
        return;
      }
      let reported = 0;
      const report = (line: number, reason: string): void => {
        reported += 1;
        if (reported <= limits.store.faultsReported) onCorrupt({ file: path, line, reason });
      };
      for await (const { line, payload, fault } of check(file, header, (await file.stat()).size)) {
        if (fault !== undefined) report(line, fault.reason);
        if (payload === undefined) continue;
        if (isAuditRecord(payload)) yield payload;
        else report(line, 'the line is not a record; ignored');
      }
      const more = reported - limits.store.faultsReported;
      if (more > 0) onCorrupt({ file: path, reason: `${more} more lines ignored` });
    } finally {
      await file.close();
    }
  }

  return {
    append: (record) =>
      named('write the audit', async () => {
        const payload = checkedRecord(record);
        await lock.run((guard) => append(payload, guard));
      }),
    async appendUnder(some, guard) {
      for (const payload of some.map(checkedRecord)) await append(payload, guard);
    },
    async *read() {
      try {
        yield* records();
      } catch (error) {
        throw storeFailure('read the audit', error);
      }
    },
  };
}
