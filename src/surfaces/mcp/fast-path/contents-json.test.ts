import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileContent } from '../../../catalog/catalog.ts';
import { limits } from '../../../limits.ts';
import { resourceContents } from '../file-contents.ts';
import { type ContentsJson, createContentsJson } from './contents-json.ts';

function content(bytes: Uint8Array): FileContent {
  return { file: { mediaType: 'text/x-"quoted"' }, bytes } as FileContent;
}

const uri = 'skill://a/"b".md';

async function largeJson(bytes: Uint8Array, json: ContentsJson = createContentsJson()): Promise<string> {
  const { length, parts } = await json.large(uri, content(bytes), '<é', '>');
  const pieces: Uint8Array[] = [];
  for await (const piece of parts) pieces.push(piece);
  const sent = Buffer.concat(pieces);
  expect(sent.length).toBe(length);
  expect(sent.toString()).toMatch(/^<é\{.*\}>$/s);
  return sent.toString().slice(2, -1);
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.string({ unit: 'binary' }).map(encode));

describe('the JSON of a file', () => {
  test('equals that of its contents', () => {
    const json = createContentsJson();
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        for (let again = 0; again < 2; again++)
          expect(json.whole(uri, content(bytes))).toBe(JSON.stringify(resourceContents(uri, content(bytes))));
      }),
    );
  });

  test('is written in pieces if it is large', () => {
    const json = createContentsJson();
    expect(json.whole(uri, content(new Uint8Array(limits.reads.wholeBytes)))).toBeDefined();
    expect(json.whole(uri, content(new Uint8Array(limits.reads.wholeBytes + 1)))).toBeUndefined();
  });

  test('is the same in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        expect(await largeJson(bytes)).toBe(JSON.stringify(resourceContents(uri, content(bytes))));
      }),
    );
  });

  test.each([0, 1, 2, 3, 4])(
    'is the same in pieces if a character crosses their border, shifted by %i',
    async (shift) => {
      const text = `${'x'.repeat(limits.reads.pieceBytes - shift)}\u{1F600}"\n${'é'.repeat(limits.reads.pieceBytes)}`;
      expect(await largeJson(encode(text))).toBe(JSON.stringify(resourceContents(uri, content(encode(text)))));
    },
  );

  test.each([0, 1, 2])('is the same in pieces of base64, with a remainder of %i bytes', async (rest) => {
    const bytes = Uint8Array.from({ length: 3 * limits.reads.pieceBytes + rest }, (_, index) => (index * 131) % 256);
    expect(await largeJson(bytes)).toBe(JSON.stringify(resourceContents(uri, content(bytes))));
  });

  test('is a blob if the text ends inside a character', async () => {
    const bytes = encode('é'.repeat(limits.reads.pieceBytes)).subarray(0, -1);
    expect(await largeJson(bytes)).toContain('"blob":"');
  });

  test.each([32 << 20, 1 << 20])('is the same for later readers, with a cache of %i bytes', async (cached) => {
    const json = createContentsJson(cached);
    const bytes = encode('"é\n'.repeat(limits.reads.pieceBytes));
    const expected = JSON.stringify(resourceContents(uri, content(bytes)));
    for (let again = 0; again < 2; again++) expect(await largeJson(bytes, json)).toBe(expected);
  });

  test('is encoded once for all readers', async () => {
    const json = createContentsJson();
    const bytes = new Uint8Array(2 << 20).fill(0x61);
    const piecesOf = async (): Promise<Uint8Array[]> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of (await json.large(uri, content(bytes), '', '')).parts) pieces.push(piece);
      return pieces.slice(1, -1);
    };
    const [first = [], ...others] = [...(await Promise.all([piecesOf(), piecesOf()])), await piecesOf()];
    expect(first.length).toBeGreaterThan(2);
    for (const other of others) other.forEach((piece, index) => void expect(piece).toBe(first[index]));
  });

  test('takes one turn of the event loop per piece, however many readers there are', async () => {
    const json = createContentsJson();
    const readers = 20;
    const bytes = new Uint8Array(1 << 20).fill(0x61);
    const pieces = Math.ceil(bytes.length / limits.reads.pieceBytes);
    let turns = 0;
    let reading = true;
    const count = (): void => {
      turns++;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: readers }, () => largeJson(bytes, json)));
    reading = false;
    expect(turns).toBeGreaterThanOrEqual(readers * pieces);
  });
});
