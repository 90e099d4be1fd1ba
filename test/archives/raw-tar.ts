/** Tar archives byte by byte, so that a test can write what no packer would. */
import { gzipSync } from 'node:zlib';

export interface RawTarEntry {
  readonly name: string | Uint8Array;
  readonly data?: string | Uint8Array;
  /** Default: `0`. */
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
  readonly prefix?: string | Uint8Array;
  /** The size in the header. Default: the length of the data. */
  readonly size?: number | Uint8Array;
  /** Eight bytes. Default: ustar. */
  readonly magic?: string;
  readonly checksum?: number;
  /** Omit the padding after the data. */
  readonly bare?: boolean;
  /** Bytes of the header to set before the checksum is made. */
  readonly patch?: readonly (readonly [at: number, bytes: string | Uint8Array])[];
}

export function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
}

function octal(value: number, width: number): Uint8Array {
  return Buffer.from(`${value.toString(8).padStart(width - 1, '0')}\0`, 'latin1');
}

export function tarEntry(entry: RawTarEntry): Uint8Array {
  const data = toBytes(entry.data ?? '');
  const header = Buffer.alloc(512);
  header.set(toBytes(entry.name).subarray(0, 100), 0);
  header.set(octal(entry.mode ?? 0o644, 8), 100);
  header.set(octal(0, 8), 108);
  header.set(octal(0, 8), 116);
  header.set(entry.size instanceof Uint8Array ? entry.size : octal(entry.size ?? data.length, 12), 124);
  header.set(octal(0, 12), 136);
  header.write(entry.type ?? '0', 156, 'latin1');
  header.set(toBytes(entry.link ?? '').subarray(0, 100), 157);
  header.write(entry.magic ?? 'ustar\u000000', 257, 'latin1');
  header.set(toBytes(entry.prefix ?? '').subarray(0, 155), 345);
  for (const [at, bytes] of entry.patch ?? []) header.set(toBytes(bytes), at);
  header.fill(0x20, 148, 156);
  const sum = entry.checksum ?? header.reduce((total, byte) => total + byte, 0);
  header.set(octal(sum, 7), 148);
  const padding = entry.bare === true ? 0 : (512 - (data.length % 512)) % 512;
  return Buffer.concat([header, data, Buffer.alloc(padding)]);
}

/** A record of an extended header, its length included. */
export function paxRecord(key: string, value: string | Uint8Array): Uint8Array {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), toBytes(value), Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length++;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

export function paxHeader(records: Readonly<Record<string, string | Uint8Array>>, type = 'x'): Uint8Array {
  const data = Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value)));
  return tarEntry({ name: 'PaxHeader', type, data });
}

export function longName(name: string | Uint8Array, type: 'L' | 'K' = 'L'): Uint8Array {
  return tarEntry({ name: '././@LongLink', type, data: Buffer.concat([toBytes(name), Buffer.alloc(1)]) });
}

export const tarEnd: Uint8Array = Buffer.alloc(1024);

/** The parts and the end of a tar, compressed. */
export function tarGz(...parts: readonly (Uint8Array | RawTarEntry)[]): Uint8Array {
  return gzipSync(rawTar(...parts, tarEnd));
}

/** The parts unchanged, not compressed and without an end. */
export function rawTar(...parts: readonly (Uint8Array | RawTarEntry)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : tarEntry(part))));
}
