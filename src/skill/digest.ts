/** Digests of file bytes as SEP-2640 writes them. WebCrypto, so that the same code runs in a browser. */

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** `sha256:` and 64 lower-case hexadecimal digits, over exactly these bytes. */
export async function sha256Digest(bytes: Uint8Array): Promise<string> {
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
