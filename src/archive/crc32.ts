/** The checksum of zip and gzip: that of Node where it has one (20.15), else our own, eight bytes at a time. */
import * as zlib from 'node:zlib';

/** Eight tables of 256 values, one behind the other. */
const table: Int32Array = makeTable();

function makeTable(): Int32Array {
  const values = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    values[byte] = value;
  }
  for (let at = 256; at < values.length; at++) {
    const before = values[at - 256] as number;
    values[at] = (values[before & 0xff] as number) ^ (before >>> 8);
  }
  return values;
}

function look(section: number, byte: number): number {
  return table[(section << 8) | (byte & 0xff)] as number;
}

export function tableCrc32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = -1;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      look(7, low) ^
      look(6, low >>> 8) ^
      look(5, low >>> 16) ^
      look(4, low >>> 24) ^
      look(3, high) ^
      look(2, high >>> 8) ^
      look(1, high >>> 16) ^
      look(0, high >>> 24);
  }
  for (; at < bytes.length; at++) crc = look(0, crc ^ (bytes[at] as number)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

const native = (zlib as { crc32?: typeof zlib.crc32 }).crc32;

export const crc32: (bytes: Uint8Array) => number =
  native === undefined ? tableCrc32 : (bytes: Uint8Array): number => native(bytes);
