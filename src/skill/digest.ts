/**
 * Digests of file bytes in the form of SEP-2640. WebCrypto runs in browsers too. On Node, small inputs are hashed
 * synchronously, because handing them to another thread costs many times the hashing.
 */

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Hashing up to this size takes less than a tenth of a millisecond. */
const onTheSpotBytes = 64 * 1024;

/** `sha256:` and the hexadecimal digits of the bytes. */
export type Digester = (bytes: Uint8Array) => string;

/** A digester that may need the asynchronous functions of a browser. */
export type AsyncDigester = (bytes: Uint8Array) => string | Promise<string>;

/** The part of Node's `crypto` module that is used. */
export interface NodeHashing {
  /** Since Node 20.12. */
  hash?(algorithm: 'sha256', bytes: Uint8Array, encoding: 'hex'): string;
  createHash(algorithm: 'sha256'): { update(bytes: Uint8Array): { digest(encoding: 'hex'): string } };
}

/** `undefined` in browsers and in Node versions without `getBuiltinModule()`. */
const onTheSpot: NodeHashing | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');

/** A synchronous `sha256Digest()` for callers that have Node's module. */
export function sha256DigestWith(crypto: NodeHashing, bytes: Uint8Array): string {
  return `sha256:${crypto.hash?.('sha256', bytes, 'hex') ?? crypto.createHash('sha256').update(bytes).digest('hex')}`;
}

/** `sha256:` and 64 lower-case hexadecimal digits. */
export async function sha256Digest(bytes: Uint8Array): Promise<string> {
  if (onTheSpot !== undefined && bytes.byteLength <= onTheSpotBytes) return sha256DigestWith(onTheSpot, bytes);
  const { buffer, byteOffset, byteLength } = bytes;
  const view = buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(bytes);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', view));
  let hex = '';
  for (const byte of hash) hex += byte.toString(16).padStart(2, '0');
  return `sha256:${hex}`;
}

/** True for the only digest format that entries may use. */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && digestPattern.test(value);
}
