/**
 * Digests of file bytes as SEP-2640 writes them. WebCrypto, so that the same code runs in a browser; where the program runs on
 * Node, few bytes are hashed on the spot, since handing them to another thread costs many times the hashing.
 */

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Up to here hashing takes less than a tenth of a millisecond. */
const onTheSpotBytes = 64 * 1024;

/** What is used of Node's module `crypto`. */
export interface NodeHashing {
  /** Since Node 20.12. */
  hash?(algorithm: 'sha256', bytes: Uint8Array, encoding: 'hex'): string;
  createHash(algorithm: 'sha256'): { update(bytes: Uint8Array): { digest(encoding: 'hex'): string } };
}

/** Absent in browsers and on versions of Node that cannot be asked this way. */
const onTheSpot: NodeHashing | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');

/** As `sha256Digest()`, at once: for those who have Node's module at hand. */
export function sha256DigestWith(crypto: NodeHashing, bytes: Uint8Array): string {
  return `sha256:${crypto.hash?.('sha256', bytes, 'hex') ?? crypto.createHash('sha256').update(bytes).digest('hex')}`;
}

/** `sha256:` and 64 lower-case hexadecimal digits, over exactly these bytes. */
export async function sha256Digest(bytes: Uint8Array): Promise<string> {
  if (onTheSpot !== undefined && bytes.byteLength <= onTheSpotBytes) return sha256DigestWith(onTheSpot, bytes);
  const { buffer, byteOffset, byteLength } = bytes;
  const view = buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(bytes);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', view));
  let hex = '';
  for (const byte of hash) hex += byte.toString(16).padStart(2, '0');
  return `sha256:${hex}`;
}

/** True for the one spelling of a digest that entries may carry. */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && digestPattern.test(value);
}
