/** Lines of a journal one after the other: which of them count, and what is wrong with the others or missing between them. */
import type { JsonValue } from '../../skill/entry.ts';
import { decodeLine, type JournalHeader } from './journal-line.ts';

export interface LineFault {
  readonly line: number;
  readonly reason: string;
  /** What a line that does not count says; undefined where nothing can be read, or where lines are missing. */
  readonly payload: JsonValue | undefined;
}

export interface CheckedLine {
  readonly line: number;
  readonly fault?: LineFault;
  /** Absent where the line does not count. */
  readonly payload?: JsonValue;
}

export interface LineSequence {
  /** @param bytes undefined for a line that is longer than any that was written */
  next(bytes: Uint8Array | undefined, key: Uint8Array | undefined): CheckedLine;
  /** The number that a line has which is appended now. */
  nextNumber(): number;
}

const tooLong = 'the line is longer than any that was written; it does not count';
const wrongChecksum = 'the line does not have the checksum of this installation; it does not count';
const wrongPlace = 'the line stands in the wrong place; it does not count';
const linesMissing = 'lines before this one are missing';

export function lineSequence(header: JournalHeader): LineSequence {
  /** The header is the first. */
  let line = 1;
  let lastGood = 0;
  let badSince = 0;
  return {
    next(bytes, key) {
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
    nextNumber: () => lastGood + badSince + 1,
  };
}
