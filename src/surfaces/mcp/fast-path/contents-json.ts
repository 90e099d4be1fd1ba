/**
 * The contents of a file as JSON for `resources/read`: what `file-contents.ts` makes, already as text of an answer. A large
 * file is encoded piece by piece, each small enough not to hold up other requests, and no more of it is in memory at a time
 * than the client reads; how long it will be is counted beforehand.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { nextTurn } from '../../../async/next-turn.ts';
import type { FileContent } from '../../../catalog/catalog.ts';
import { limits } from '../../../limits.ts';
import { decodeUtf8 } from '../../../skill/media-type.ts';
import type { PlainBytes } from '../../plain-answer.ts';
import { base64 } from '../base64.ts';

export interface ContentsJson {
  /** The JSON of a file, or undefined where it is too large to be encoded in one go. `uri` is what the client asked for. */
  whole(uri: string, content: FileContent): string | undefined;
}

const encoder = new TextEncoder();

/** A multiple of three, so that pieces of base64 join without padding. */
const pieceBytes: number = limits.reads.pieceBytes - (limits.reads.pieceBytes % 3);

/** The text of UTF-8 bytes in pieces. Throws a TypeError where they are not UTF-8. */
function* textPieces(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield decoder.decode(bytes.subarray(start, start + pieceBytes), { stream: true });
  yield decoder.decode();
}

/** A piece of a text inside of a JSON string. Pieces never end within a surrogate pair. */
function escaped(text: string): Uint8Array {
  return encoder.encode(JSON.stringify(text).slice(1, -1));
}

/** How many bytes the text has inside of a JSON string, or undefined where the bytes are not text. */
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

/** Keeps the JSON of recently read files by their bytes, as long as whoever read them keeps those. */
export function createContentsJson(maxBytes: number = limits.cache.contentsBytes): ContentsJson {
  const kept = createBoundedCache<Uint8Array, string>(maxBytes, maxBytes / 4);

  function encoded(bytes: Uint8Array): string {
    let json = kept.get(bytes);
    if (json === undefined) {
      const text = decodeUtf8(bytes);
      json = text === undefined ? `,"blob":"${base64(bytes)}"}` : `,"text":${JSON.stringify(text)}}`;
      kept.put(bytes, json, json.length);
    }
    return json;
  }

  return {
    whole: (uri, content) =>
      content.bytes.length > limits.reads.wholeBytes ? undefined : headJson(uri, content) + encoded(content.bytes),
  };
}

/** The JSON of a file that is too large to be encoded in one go, between what stands before and after it in the answer. */
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
