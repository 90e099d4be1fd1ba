/** Base64 with one spelling for each value: `Buffer` also reads spaces, the URL alphabet and missing padding. */

/** `undefined` unless the text is the standard encoding of its bytes. */
export function canonicalBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
