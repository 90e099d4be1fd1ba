/**
 * The contents of a file in `resources/read`: `text` if and only if the bytes are valid UTF-8, whatever the file name, else `blob`. Byte
 * order marks and line ends are unchanged, so that the receiver can verify the digest.
 */
import { createTurns } from '../../async/slices.ts';
import type { FileContent } from '../../catalog/catalog.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';

export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/**
 * Large files are encoded one piece per turn of the event loop, across all requests. Without turns, each reader would take part of
 * every turn, and a new connection, which also needs a turn, would wait for all readers.
 */
export const encodingTurn: () => Promise<void> = createTurns();

/** `uri` is the requested URI: some clients compare it as a string. */
export function resourceContents(uri: string, { file, bytes }: FileContent): ResourceContents {
  const text = decodeUtf8(bytes);
  const head = { uri, mimeType: file.mediaType };
  return text === undefined ? { ...head, blob: base64(bytes) } : { ...head, text };
}

/** A multiple of three, so that the parts join without padding, and small enough for the arguments of one call. */
const chunkBytes = 24_576;

/** Works in every runtime. */
export function base64InChunks(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += chunkBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + chunkBytes)));
  return text;
}

export function base64(bytes: Uint8Array): string {
  // The native encoder is about a hundred times faster, and a skill may have 16 MiB.
  const native = (globalThis as { Buffer?: typeof Buffer }).Buffer;
  if (native === undefined) return base64InChunks(bytes);
  return native.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
