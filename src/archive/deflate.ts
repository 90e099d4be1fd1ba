/**
 * Deflate whose output is the same on every machine. The zlib of the runtime is not: its bytes differ between versions, builds and
 * processors. The version of the library, the options and the size of the pieces below are part of the format: golden digests hold
 * them.
 *
 * A generator that yields after each piece, so that whoever packs something large can let other work have its turn.
 */
import { Deflate, deflateSync } from 'fflate';

const options = { level: 4, mem: 2 } as const;

/** Some milliseconds of work. */
const pieceBytes = 128 * 1024;

export function* deflate(bytes: Uint8Array): Generator<void, Uint8Array> {
  if (bytes.length <= pieceBytes) return deflateSync(bytes, options);
  const parts: Uint8Array[] = [];
  const stream = new Deflate(options, (part) => parts.push(part));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    stream.push(bytes.subarray(at, at + pieceBytes), at + pieceBytes >= bytes.length);
    yield;
  }
  return join(parts);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
