import { isUtf8 } from 'node:buffer';

/** The bytes as text, every character of them; undefined where they are not UTF-8 text. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
