/** Zip archives byte by byte, so that a test can write what no packer would. */
import { crc32, deflateRawSync } from 'node:zlib';
import { toBytes } from './raw-tar.ts';

/** The fields of a header; both headers are equal by default. */
interface RawZipFacts {
  readonly name?: string | Uint8Array;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly packedSize?: number;
  readonly size?: number;
  readonly extra?: Uint8Array;
}

export interface RawZipEntry extends RawZipFacts {
  readonly name: string | Uint8Array;
  readonly data?: string | Uint8Array;
  /** Compressed data, if it differs from that of `data`. */
  readonly packed?: Uint8Array;
  /** Only in the local header. */
  readonly local?: RawZipFacts;
  readonly mode?: number;
  readonly madeBy?: number;
  readonly attributes?: number;
  /** The position of the local header according to the directory. */
  readonly offset?: number;
  readonly disk?: number;
  /** After the data. */
  readonly after?: Uint8Array;
  /** Only in the directory: the data is that of another entry. */
  readonly directoryOnly?: boolean;
}

export interface RawZipEnd {
  readonly entries?: number;
  readonly entriesHere?: number;
  readonly directorySize?: number;
  readonly directory?: number;
  readonly disk?: number;
  readonly comment?: string | Uint8Array;
  readonly commentLength?: number;
  /** Before the first entry; offsets do not count it. */
  readonly before?: Uint8Array;
  /** Between the entries and the directory, counted in the offset of the directory. */
  readonly between?: Uint8Array;
  /** Between the directory and the end. */
  readonly beforeEnd?: Uint8Array;
  readonly after?: Uint8Array;
}

export function u16(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
}

export function u32(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * index);
  return bytes;
}

export function extraField(id: number, data: Uint8Array): Uint8Array {
  return Buffer.concat([u16(id, data.length), data]);
}

interface Facts extends Required<RawZipFacts> {
  readonly packed: Uint8Array;
}

function factsOf(entry: RawZipEntry): Facts {
  const data = toBytes(entry.data ?? '');
  const method = entry.method ?? 8;
  const packed = entry.packed ?? (method === 8 ? deflateRawSync(data) : data);
  return {
    name: entry.name,
    flags: entry.flags ?? 0x0800,
    method,
    crc: entry.crc ?? crc32(data),
    packedSize: entry.packedSize ?? packed.length,
    size: entry.size ?? data.length,
    extra: entry.extra ?? new Uint8Array(0),
    packed,
  };
}

function common(facts: RawZipFacts & Facts): Uint8Array {
  const { flags, method, crc, packedSize, size } = facts;
  const lengths = u16(toBytes(facts.name).length, facts.extra.length);
  return Buffer.concat([u16(20, flags, method, 0, 0x21), u32(crc, packedSize, size), lengths]);
}

export function rawZip(entries: readonly RawZipEntry[], end: RawZipEnd = {}): Uint8Array {
  const locals: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const facts = factsOf(entry);
    const local = { ...facts, ...entry.local };
    const written = Buffer.concat([
      u32(0x04034b50),
      common(local),
      toBytes(local.name),
      local.extra,
      facts.packed,
      entry.after ?? new Uint8Array(0),
    ]);
    const attributes = entry.attributes ?? ((0o100000 | (entry.mode ?? 0o644)) << 16) >>> 0;
    directory.push(
      u32(0x02014b50),
      u16(entry.madeBy ?? (3 << 8) | 20),
      common(facts),
      u16(0, entry.disk ?? 0, 0),
      u32(attributes, entry.offset ?? offset),
      toBytes(facts.name),
      facts.extra,
    );
    if (entry.directoryOnly === true) continue;
    locals.push(written);
    offset += written.length;
  }
  const between = end.between ?? new Uint8Array(0);
  const size = directory.reduce((total, part) => total + part.length, 0);
  const comment = toBytes(end.comment ?? '');
  const disk = end.disk ?? 0;
  return Buffer.concat([
    end.before ?? new Uint8Array(0),
    ...locals,
    between,
    ...directory,
    end.beforeEnd ?? new Uint8Array(0),
    u32(0x06054b50),
    u16(disk, disk, end.entriesHere ?? end.entries ?? entries.length, end.entries ?? entries.length),
    u32(end.directorySize ?? size, end.directory ?? offset + between.length),
    u16(end.commentLength ?? comment.length),
    comment,
    end.after ?? new Uint8Array(0),
  ]);
}
