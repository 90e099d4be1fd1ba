/**
 * Deflate whose output is the same on every machine. The zlib of the runtime is not: its bytes differ between versions, builds and
 * processors. The version of the library, the settings and the size of the pieces below are part of the format: golden digests hold
 * them.
 *
 * A generator that yields after each piece, so that whoever packs something large can let other work have its turn.
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
/** Of 32 KiB; negative for deflate without a frame. */
const windowBits = -15;

interface Tables {
  /** The amount of memory, as zlib counts it. */
  readonly memory: number;
  /** Hashes of three bytes instead of four: the table of four is never small. */
  readonly threeBytes: boolean;
}

/** Emptying the tables takes longer than packing something small, so that has small ones. */
const smallTables: Tables = { memory: 6, threeBytes: true };
const largeTables: Tables = { memory: 7, threeBytes: false };
const smallBytes = 32 * 1024;

/** Some milliseconds of work. */
const pieceBytes = 128 * 1024;

/** What comes out is handed over in parts of at most this size. */
const partBytes = 64 * 1024;

const nothing = new Uint8Array(0);

/** Kept by what is done in one piece: making tables takes longer than emptying them. */
const kept = new Map<Tables, ZStream>();

export function* deflate(bytes: Uint8Array): Generator<void, Uint8Array> {
  if (bytes.length <= pieceBytes) return join(deflateAtOnce(bytes));
  // Of its own: another archive may have its turn before this one is done.
  const stream = openStream(largeTables);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    parts.push(...push(stream, bytes.subarray(at, at + pieceBytes), at + pieceBytes >= bytes.length));
    yield;
  }
  return join(parts);
}

function deflateAtOnce(bytes: Uint8Array): readonly Uint8Array[] {
  const tables = bytes.length <= smallBytes ? smallTables : largeTables;
  const stream = kept.get(tables) ?? openStream(tables);
  // One that fails is not used again.
  kept.delete(tables);
  const parts = push(stream, bytes, true);
  expectStatus(zlibDeflateReset(stream), [Z_OK]);
  kept.set(tables, stream);
  return parts;
}

function openStream({ memory, threeBytes }: Tables): ZStream {
  const stream = new ZStream();
  const status = zlibDeflateInit2(stream, level, deflated, windowBits, memory, Z_DEFAULT_STRATEGY, threeBytes);
  expectStatus(status, [Z_OK]);
  stream.output = new Uint8Array(partBytes);
  return stream;
}

/** What the stream gives for these bytes. */
function push(stream: ZStream, bytes: Uint8Array, last: boolean): Uint8Array[] {
  const parts: Uint8Array[] = [];
  stream.input = bytes;
  stream.next_in = 0;
  stream.avail_in = bytes.length;
  for (;;) {
    stream.next_out = 0;
    stream.avail_out = partBytes;
    const status = zlibDeflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
    // Nothing in and nothing out is told as an error, and is none here.
    expectStatus(status, [Z_OK, Z_STREAM_END, Z_BUF_ERROR]);
    if (stream.next_out > 0) parts.push(stream.output.slice(0, stream.next_out));
    if (stream.avail_out > 0) break;
  }
  stream.input = nothing;
  return parts;
}

function expectStatus(status: number, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new TypeError(`deflate ended with the status ${status}`);
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
