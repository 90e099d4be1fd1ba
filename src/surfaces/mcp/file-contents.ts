/**
 * Bytes of a file as `resources/read` carries them: `text` if and only if they are valid UTF-8, whatever the file is called,
 * else `blob`. A byte order mark and the line ends stay as they are, so that the receiver can check the digest.
 */
import type { FileContent } from '../../catalog/catalog.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { base64 } from './base64.ts';

export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** `uri` is what the client asked for: some clients compare it as a string. */
export function resourceContents(uri: string, { file, bytes }: FileContent): ResourceContents {
  const text = decodeUtf8(bytes);
  const head = { uri, mimeType: file.mediaType };
  return text === undefined ? { ...head, blob: base64(bytes) } : { ...head, text };
}
