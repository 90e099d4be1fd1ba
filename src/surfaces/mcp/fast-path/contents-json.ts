/**
 * The contents of a file as JSON for `resources/read`, like `file-contents.ts` but already serialized. A large file is encoded in pieces,
 * one per turn of the event loop, and sent only as fast as the client reads. Its readers share the pieces. Its encoded length is known
 * before the first piece is sent.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import type { FileContent } from '../../../catalog/catalog.ts';
import { limits } from '../../../limits.ts';
import { decodeUtf8 } from '../../../skill/media-type.ts';
import type { PlainBytes } from '../../plain-answer.ts';
import { base64, encodingTurn } from '../file-contents.ts';

/** A large file between the quotes of its JSON string. */
interface EncodedFile {
  readonly kind: 'text' | 'blob';
  readonly length: number;
  /** `undefined` if they are too large to cache; each reader then encodes its own. */
  readonly pieces: readonly Uint8Array[] | undefined;
}

const encoder = new TextEncoder();

/** A multiple of three, so that pieces of base64 join without padding. */
const pieceBytes: number = limits.reads.pieceBytes - (limits.reads.pieceBytes % 3);

/** Text escaped for a JSON string. Throws a TypeError if the bytes are not UTF-8. Pieces never split a surrogate pair. */
function* textPieces(bytes: Uint8Array): Generator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const escaped = (text: string): Uint8Array => encoder.encode(JSON.stringify(text).slice(1, -1));
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield escaped(decoder.decode(bytes.subarray(start, start + pieceBytes), { stream: true }));
  yield escaped(decoder.decode());
}

function* blobPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield encoder.encode(base64(bytes.subarray(start, start + pieceBytes)));
}

const piecesOf = { text: textPieces, blob: blobPieces };

async function encodeAs(kind: EncodedFile['kind'], bytes: Uint8Array, mostBytes: number): Promise<EncodedFile> {
  let length = 0;
  let pieces: Uint8Array[] | undefined = [];
  for (const piece of piecesOf[kind](bytes)) {
    length += piece.length;
    if (length > mostBytes) pieces = undefined;
    pieces?.push(piece);
    await encodingTurn();
  }
  return { kind, length, pieces };
}

async function encodeFile(bytes: Uint8Array, mostBytes: number): Promise<EncodedFile> {
  try {
    return await encodeAs('text', bytes, mostBytes);
  } catch (error) {
    if (error instanceof TypeError) return encodeAs('blob', bytes, mostBytes);
    throw error;
  }
}

async function* inTurns(head: Uint8Array, pieces: Iterable<Uint8Array>, tail: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head;
  for (const piece of pieces) {
    yield piece;
    await encodingTurn();
  }
  yield tail;
}

function headJson(uri: string, { file }: FileContent): string {
  return `{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(file.mediaType)}`;
}

/** Caches the JSON of recent files, keyed by their byte arrays. */
export function createContentsJson(maxBytes: number = limits.cache.contentsBytes) {
  const cache = createBoundedCache<Uint8Array, string>(maxBytes, maxBytes / 4);
  const encodedFiles = createBoundedCache<Uint8Array, EncodedFile>(maxBytes);
  const encoding = new Map<Uint8Array, Promise<EncodedFile>>();

  function encoded(bytes: Uint8Array): string {
    let json = cache.get(bytes);
    if (json === undefined) {
      const text = decodeUtf8(bytes);
      json = text === undefined ? `,"blob":"${base64(bytes)}"}` : `,"text":${JSON.stringify(text)}}`;
      cache.put(bytes, json, json.length);
    }
    return json;
  }

  /** Encodes a file once for all readers that come meanwhile. */
  function encodeOnce(bytes: Uint8Array): Promise<EncodedFile> {
    let running = encoding.get(bytes);
    if (running === undefined) {
      running = encodeFile(bytes, maxBytes / 2).finally(() => encoding.delete(bytes));
      encoding.set(bytes, running);
    }
    return running;
  }

  async function encodedFile(bytes: Uint8Array): Promise<EncodedFile> {
    const known = encodedFiles.get(bytes);
    if (known !== undefined) return known;
    const file = await encodeOnce(bytes);
    // The bytes count too: they are the key.
    if (file.pieces !== undefined) encodedFiles.put(bytes, file, file.length + bytes.length);
    return file;
  }

  return {
    /** The JSON of a file, or `undefined` if it is too large to encode at once. `uri` is the requested URI. */
    whole: (uri: string, content: FileContent): string | undefined =>
      content.bytes.length > limits.reads.wholeBytes ? undefined : headJson(uri, content) + encoded(content.bytes),

    /** The JSON of a large file, between the parts of the answer before and after it. */
    async large(uri: string, content: FileContent, before: string, after: string): Promise<PlainBytes> {
      const { bytes } = content;
      const { kind, length, pieces } = await encodedFile(bytes);
      const head = encoder.encode(`${before}${headJson(uri, content)},"${kind}":"`);
      const tail = encoder.encode(`"}${after}`);
      return {
        length: head.length + length + tail.length,
        parts: inTurns(head, pieces ?? piecesOf[kind](bytes), tail),
      };
    },
  };
}

export type ContentsJson = ReturnType<typeof createContentsJson>;
