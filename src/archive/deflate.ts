/**
 * Deflate with the same output on every machine. The runtime's zlib differs between versions, builds and processors.
 * The library version, the settings and the piece size below are part of the format; golden digests check them.
 *
 * The generator yields after each piece, so that packing something large can let other work run.
 */
import {
  Z_BUF_ERROR,
  Z_DEFAULT_STRATEGY,
  Z_FINISH,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibDeflate,
  zlibDeflateInit2,
  zlibDeflateReset,
} from 'pako';

const level = 3;
const deflated = 8;
/** A window of 32 KiB; negative for raw deflate. */
const windowBits = -15;

interface Tables {
  /** zlib's `memLevel`. */
  readonly memory: number;
  /** Hash three bytes instead of four: the table for four is never small. */
  readonly threeBytes: boolean;
}

/** Clearing large tables takes longer than packing a small file, so small files get small tables. */
const smallTables: Tables = { memory: 6, threeBytes: true };
const largeTables: Tables = { memory: 7, threeBytes: false };
const smallBytes = 32 * 1024;

/** A few milliseconds of work. */
const pieceBytes = 128 * 1024;

/** Size of the output buffer. */
const partBytes = 64 * 1024;

const nothing = new Uint8Array(0);

/** Streams for reuse by input of one piece: allocating tables takes longer than clearing them. */
const idleStreams = new Map<Tables, ZStream>();

export function* deflate(bytes: Uint8Array): Generator<void, Uint8Array> {
  if (bytes.length <= pieceBytes) return join(deflateOnePiece(bytes));
  // Not a shared stream: another archive may run before this one is done.
  const stream = openStream(largeTables);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    parts.push(...push(stream, bytes.subarray(at, at + pieceBytes), at + pieceBytes >= bytes.length));
    yield;
  }
  return join(parts);
}

function deflateOnePiece(bytes: Uint8Array): readonly Uint8Array[] {
  const tables = bytes.length <= smallBytes ? smallTables : largeTables;
  const stream = idleStreams.get(tables) ?? openStream(tables);
  // A stream that fails is not reused.
  idleStreams.delete(tables);
  const parts = push(stream, bytes, true);
  expectStatus(zlibDeflateReset(stream), [Z_OK]);
  idleStreams.set(tables, stream);
  return parts;
}

function openStream({ memory, threeBytes }: Tables): ZStream {
  const stream = new ZStream();
  const status = zlibDeflateInit2(stream, level, deflated, windowBits, memory, Z_DEFAULT_STRATEGY, threeBytes);
  expectStatus(status, [Z_OK]);
  stream.output = new Uint8Array(partBytes);
  return stream;
}

function push(stream: ZStream, bytes: Uint8Array, last: boolean): Uint8Array[] {
  const parts: Uint8Array[] = [];
  stream.input = bytes;
  stream.next_in = 0;
  stream.avail_in = bytes.length;
  for (;;) {
    stream.next_out = 0;
    stream.avail_out = partBytes;
    const status = zlibDeflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
    // Z_BUF_ERROR means no progress, which is not an error here.
    expectStatus(status, [Z_OK, Z_STREAM_END, Z_BUF_ERROR]);
    if (stream.next_out > 0) parts.push(stream.output.slice(0, stream.next_out));
    if (stream.avail_out > 0) break;
  }
  stream.input = nothing;
  return parts;
}

function expectStatus(status: number, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new TypeError(`deflate returned status ${status}`);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
