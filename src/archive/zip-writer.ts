/**
 * Writes a zip archive that all readers agree on: both headers of an entry are equal, and sizes precede the data. The
 * output does not depend on machine or time: dates are the earliest that the format has, modes 0644 or 0755.
 */
import { crc32 } from 'node:zlib';
import type { ArchiveFile } from './archive-file.ts';
import { deflate } from './deflate.ts';

const encoder = new TextEncoder();

const localHeaderBytes = 30;
const centralHeaderBytes = 46;
const endBytes = 22;
/** Deflate needs version 2.0; the upper byte declares Unix modes. */
const versionNeeded = 20;
const versionMadeBy = (3 << 8) | versionNeeded;
/** Names are UTF-8. */
const flags = 0x0800;
/** 1 January 1980. */
const date = 0x0021;

interface PackedFile {
  readonly name: Uint8Array;
  readonly data: Uint8Array;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly size: number;
  readonly mode: number;
}

export function* writeZip(files: readonly ArchiveFile[]): Generator<void, Uint8Array> {
  const packed: PackedFile[] = [];
  for (const file of files) {
    packed.push(yield* packFile(file));
    yield;
  }
  let length = endBytes;
  for (const { name, data } of packed) length += localHeaderBytes + centralHeaderBytes + 2 * name.length + data.length;
  const zip = new Uint8Array(length);
  const view = new DataView(zip.buffer);
  const offsets: number[] = [];
  let at = 0;
  for (const file of packed) {
    offsets.push(at);
    view.setUint32(at, 0x04034b50, true);
    writeFacts(view, at + 4, file);
    zip.set(file.name, at + localHeaderBytes);
    zip.set(file.data, at + localHeaderBytes + file.name.length);
    at += localHeaderBytes + file.name.length + file.data.length;
  }
  const directory = at;
  for (const [index, file] of packed.entries()) {
    view.setUint32(at, 0x02014b50, true);
    view.setUint16(at + 4, versionMadeBy, true);
    writeFacts(view, at + 6, file);
    view.setUint32(at + 38, ((0o100000 | file.mode) << 16) >>> 0, true);
    view.setUint32(at + 42, offsets[index] ?? 0, true);
    zip.set(file.name, at + centralHeaderBytes);
    at += centralHeaderBytes + file.name.length;
  }
  view.setUint32(at, 0x06054b50, true);
  view.setUint16(at + 8, packed.length, true);
  view.setUint16(at + 10, packed.length, true);
  view.setUint32(at + 12, at - directory, true);
  view.setUint32(at + 16, directory, true);
  return zip;
}

/** Writes the fields that both headers share, from the needed version to the name length. */
function writeFacts(view: DataView, at: number, file: PackedFile): void {
  view.setUint16(at, versionNeeded, true);
  view.setUint16(at + 2, flags, true);
  view.setUint16(at + 4, file.method, true);
  view.setUint16(at + 8, date, true);
  view.setUint32(at + 10, file.crc, true);
  view.setUint32(at + 14, file.data.length, true);
  view.setUint32(at + 18, file.size, true);
  view.setUint16(at + 22, file.name.length, true);
}

function* packFile({ path, bytes, executable }: ArchiveFile): Generator<void, PackedFile> {
  const deflated = yield* deflate(bytes);
  const smaller = deflated.length < bytes.length;
  return {
    name: encoder.encode(path),
    data: smaller ? deflated : bytes,
    method: smaller ? 8 : 0,
    crc: crc32(bytes),
    size: bytes.length,
    mode: executable ? 0o755 : 0o644,
  };
}
