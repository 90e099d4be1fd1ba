/**
 * Compares received bytes with a FastMCP manifest. FastMCP hashes the bytes on its disk but sends texts through Python's text mode, which
 * turns CRLF and CR into LF. Such files never match their manifest. If the bytes match once every LF is CRLF (or CR) again, the digest
 * proves that those are the promised bytes. Callers must report this case.
 */
import { sha256Digest } from '../../skill/digest.ts';

/** `same`: the promised bytes. `line-ends`: the promised bytes except for line endings. `different`: other bytes. */
export type ReceivedVerdict = 'same' | 'line-ends' | 'different';

export interface ReceivedFile {
  readonly verdict: ReceivedVerdict;
  /** The promised bytes; if they differ, the received ones. */
  readonly bytes: Uint8Array;
}

export interface DigestedFile {
  readonly digest: string;
  readonly size?: number;
}

const CR = 0x0d;
const LF = 0x0a;

export async function restoreReceived(bytes: Uint8Array, promised: DigestedFile): Promise<ReceivedFile> {
  if (await matchesPromise(bytes, promised)) return { verdict: 'same', bytes };
  if (!bytes.includes(CR) && bytes.includes(LF)) {
    for (const lineEnd of [[CR, LF], [CR]]) {
      const restored = withLineEnds(bytes, lineEnd);
      if (await matchesPromise(restored, promised)) return { verdict: 'line-ends', bytes: restored };
    }
  }
  return { verdict: 'different', bytes };
}

async function matchesPromise(bytes: Uint8Array, { digest, size }: DigestedFile): Promise<boolean> {
  return (size === undefined || bytes.length === size) && (await sha256Digest(bytes)) === digest;
}

function withLineEnds(bytes: Uint8Array, lineEnd: readonly number[]): Uint8Array {
  let lines = 0;
  for (const byte of bytes) if (byte === LF) lines++;
  const result = new Uint8Array(bytes.length + lines * (lineEnd.length - 1));
  let at = 0;
  for (const byte of bytes) {
    if (byte !== LF) result[at++] = byte;
    else for (const part of lineEnd) result[at++] = part;
  }
  return result;
}
