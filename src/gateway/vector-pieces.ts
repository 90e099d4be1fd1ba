/** Cached vectors as bytes: four of a mark, four for the length of a vector, then the digest of each text as 64 hexadecimal digits and its vector. */
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';

/** Vectors of one length, by the digest of their text. */
export type Vectors = Map<string, Int8Array>;

const mark = 0x53575631;
const headBytes = 8;
const prefix = 'sha256:';
const keyBytes = 64;

/** @param vectors all of one length */
export function* encodeVectors(vectors: readonly (readonly [string, Int8Array])[]): Generator<Uint8Array> {
  const length = vectors[0]?.[1].length ?? 0;
  const rowBytes = keyBytes + length;
  const most = Math.max(1, Math.floor((limits.search.vectorPieceBytes - headBytes) / rowBytes));
  for (let from = 0; from < vectors.length; from += most) {
    const rows = vectors.slice(from, from + most);
    const bytes = new Uint8Array(headBytes + rows.length * rowBytes);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, mark);
    view.setUint32(4, length);
    for (const [at, [key, vector]] of rows.entries()) {
      const start = headBytes + at * rowBytes;
      bytes.set(new TextEncoder().encode(key.slice(prefix.length)), start);
      bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, length), start + keyBytes);
    }
    yield bytes;
  }
}

/** Undefined if these are other bytes. */
export function decodeVectors(bytes: Uint8Array): Vectors | undefined {
  if (bytes.length < headBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(4);
  const rowBytes = keyBytes + length;
  if (view.getUint32(0) !== mark || length === 0 || length > limits.search.dimensions) return undefined;
  if ((bytes.length - headBytes) % rowBytes !== 0) return undefined;
  const vectors: Vectors = new Map();
  for (let start = headBytes; start < bytes.length; start += rowBytes) {
    const key = `${prefix}${new TextDecoder().decode(bytes.subarray(start, start + keyBytes))}`;
    if (!isDigest(key)) return undefined;
    vectors.set(key, new Int8Array(bytes.slice(start + keyBytes, start + rowBytes).buffer));
  }
  return vectors;
}
