/**
 * The contents of a file as JSON for `resources/read`, like `file-contents.ts` but already serialized. A large file is encoded in pieces that
 * are small enough not to delay other requests, and only as fast as the client reads. Its encoded length is computed in advance.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { nextTurn } from '../../../async/slices.ts';
import type { FileContent } from '../../../catalog/catalog.ts';
import { limits } from '../../../limits.ts';
import { decodeUtf8 } from '../../../skill/media-type.ts';
import type { PlainBytes } from '../../plain-answer.ts';
import { base64 } from '../file-contents.ts';

export interface ContentsJson {
  /** The JSON of a file, or `undefined` if it is too large to encode at once. `uri` is the requested URI. */
  whole(uri: string, content: FileContent): string | undefined;
}

const encoder = new TextEncoder();

/** A multiple of three, so that pieces of base64 join without padding. */
const pieceBytes: number = limits.reads.pieceBytes - (limits.reads.pieceBytes % 3);

/** Decodes UTF-8 in pieces. Throws a TypeError if the bytes are not UTF-8. */
function* textPieces(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield decoder.decode(bytes.subarray(start, start + pieceBytes), { stream: true });
  yield decoder.decode();
}

/** A piece of text, escaped for a JSON string. Pieces never split a surrogate pair. */
function escaped(text: string): Uint8Array {
  return encoder.encode(JSON.stringify(text).slice(1, -1));
}

/** The number of bytes of the text in a JSON string, or `undefined` if the bytes are not text. */
async function escapedLength(bytes: Uint8Array): Promise<number | undefined> {
  let length = 0;
  const pieces = textPieces(bytes);
  for (;;) {
    try {
      const { done, value } = pieces.next();
      if (done === true) return length;
      length += escaped(value).length;
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
    await nextTurn();
  }
}

async function* encodedText(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const text of textPieces(bytes)) {
    yield escaped(text);
    await nextTurn();
  }
}

async function* encodedBlob(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    yield encoder.encode(base64(bytes.subarray(start, start + pieceBytes)));
    await nextTurn();
  }
}

async function* joined(
  head: Uint8Array,
  pieces: AsyncIterable<Uint8Array>,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* pieces;
  yield tail;
}

function headJson(uri: string, { file }: FileContent): string {
  return `{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(file.mediaType)}`;
}

/** Caches the JSON of recent files, keyed by their byte arrays. */
export function createContentsJson(maxBytes: number = limits.cache.contentsBytes): ContentsJson {
  const cache = createBoundedCache<Uint8Array, string>(maxBytes, maxBytes / 4);

  function encoded(bytes: Uint8Array): string {
    let json = cache.get(bytes);
    if (json === undefined) {
      const text = decodeUtf8(bytes);
      json = text === undefined ? `,"blob":"${base64(bytes)}"}` : `,"text":${JSON.stringify(text)}}`;
      cache.put(bytes, json, json.length);
    }
    return json;
  }

  return {
    whole: (uri, content) =>
      content.bytes.length > limits.reads.wholeBytes ? undefined : headJson(uri, content) + encoded(content.bytes),
  };
}

/** The JSON of a large file, between the parts of the answer before and after it. */
export async function largeContents(
  uri: string,
  content: FileContent,
  before: string,
  after: string,
): Promise<PlainBytes> {
  const { bytes } = content;
  const textLength = await escapedLength(bytes);
  const kind = textLength === undefined ? 'blob' : 'text';
  const head = encoder.encode(`${before}${headJson(uri, content)},"${kind}":"`);
  const tail = encoder.encode(`"}${after}`);
  const encodedLength = textLength ?? Math.ceil(bytes.length / 3) * 4;
  return {
    length: head.length + encodedLength + tail.length,
    parts: joined(head, textLength === undefined ? encodedBlob(bytes) : encodedText(bytes), tail),
  };
}
