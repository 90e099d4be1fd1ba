/** The regular files of a gzip-compressed ustar, by path. */
import { gunzipSync } from 'node:zlib';

export function untar(packed: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const bytes = gunzipSync(packed);
  const files = new Map<string, Uint8Array>();
  const field = (at: number, length: number): string =>
    bytes
      .subarray(at, at + length)
      .toString('utf8')
      .replace(/\0.*$/s, '');
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(field(at + 124, 12), 8);
    const prefix = field(at + 345, 155);
    const name = (prefix === '' ? '' : `${prefix}/`) + field(at, 100);
    const kind = field(at + 156, 1);
    if (kind === '0' || kind === '') files.set(name, bytes.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
