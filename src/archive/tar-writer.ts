/**
 * Writes plain ustar (POSIX.1-1988), without extended headers, because some readers do not support them. The output
 * does not depend on machine or time: no owner, modification time 0, mode 0644 or 0755, no folder entries.
 */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import type { ArchiveFile } from './archive-file.ts';

const blockBytes = 512;
const encoder = new TextEncoder();

/** The longest name and the longest prefix that a ustar header has room for. */
const nameBytes = 100;
const prefixBytes = 155;

/** Writes the files in their order, then two empty blocks. */
export function writeTar(files: readonly ArchiveFile[]): Uint8Array {
  let length = 2 * blockBytes;
  for (const { bytes } of files) length += blockBytes + paddedSize(bytes.length);
  const tar = new Uint8Array(length);
  let at = 0;
  for (const file of files) {
    writeHeader(tar.subarray(at, at + blockBytes), file);
    tar.set(file.bytes, at + blockBytes);
    at += blockBytes + paddedSize(file.bytes.length);
  }
  return tar;
}

export function paddedSize(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

/** Fields that all headers share: no owner, no time, a regular file. */
const template: Uint8Array = makeTemplate();

function makeTemplate(): Uint8Array {
  const header = new Uint8Array(blockBytes);
  for (const [at, width] of [
    [108, 8],
    [116, 8],
    [136, 12],
    [329, 8],
    [337, 8],
  ] as const) {
    writeOctal(header, at, width, 0);
  }
  header[156] = 0x30;
  header.set(encoder.encode('ustar\0' + '00'), 257);
  // The checksum counts its own field as eight spaces; the last one stays.
  header.fill(0x20, 148, 156);
  return header;
}

function writeHeader(header: Uint8Array, file: ArchiveFile): void {
  header.set(template);
  // A path that does not fit is written partly here, then replaced by `writeSplitName`.
  const { read } = encoder.encodeInto(file.path, header.subarray(0, nameBytes));
  if (read < file.path.length) writeSplitName(header, file.path);
  writeOctal(header, 100, 8, file.executable ? 0o755 : 0o644);
  writeOctal(header, 124, 12, file.bytes.length);
  let sum = 0;
  for (let at = 0; at < blockBytes; at++) sum += header[at] as number;
  writeOctal(header, 148, 7, sum);
}

/** Octal digits and a terminating NUL. */
function writeOctal(header: Uint8Array, at: number, width: number, value: number): void {
  let remaining = value;
  for (let digit = at + width - 2; digit >= at; digit--) {
    header[digit] = 0x30 + (remaining % 8);
    remaining = Math.floor(remaining / 8);
  }
  header[at + width - 1] = 0;
}

/** Splits the path at the shortest prefix that leaves a fitting name. */
function writeSplitName(header: Uint8Array, path: string): void {
  const bytes = encoder.encode(path);
  const slash = bytes.indexOf(0x2f, bytes.length - nameBytes - 1);
  if (slash <= 0 || slash > prefixBytes) {
    const message =
      `The path ${quoteText(path)} has ${bytes.length} bytes, which do not fit in a tar header ` +
      `(${prefixBytes} for folders, ${nameBytes} for the name). Shorten it, or use a zip archive.`;
    throw new SkillwireError('ARCHIVE_NAME', message, { data: { path } });
  }
  header.fill(0, 0, nameBytes);
  header.set(bytes.subarray(slash + 1), 0);
  header.set(bytes.subarray(0, slash), 345);
}
