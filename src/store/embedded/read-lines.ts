/** The lines of a part of a file, in bounded memory. A line without its end is not given: it may still be being written. */
import { limits } from '../../limits.ts';
import type { OpenFile } from './file-system.ts';

export interface RawLine {
  /** Without its line break; undefined where the line is longer than a line may be. */
  readonly bytes: Uint8Array | undefined;
  /** Where the next line begins. */
  readonly end: number;
}

const lineBreak = 0x0a;

export async function* readLines(file: OpenFile, from: number, to: number, longest: number): AsyncGenerator<RawLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let tooLong = false;
  for (let position = from; position < to; ) {
    const chunk = Buffer.allocUnsafe(Math.min(limits.store.chunkBytes, to - position));
    const count = await file.read(chunk, position);
    if (count === 0) return;
    let begin = 0;
    for (let at = chunk.indexOf(lineBreak); at !== -1 && at < count; at = chunk.indexOf(lineBreak, begin)) {
      parts.push(chunk.subarray(begin, at));
      length += at - begin;
      begin = at + 1;
      yield { bytes: tooLong || length > longest ? undefined : Buffer.concat(parts), end: position + begin };
      parts = [];
      length = 0;
      tooLong = false;
    }
    length += count - begin;
    if (length > longest) {
      tooLong = true;
      parts = [];
    } else parts.push(chunk.subarray(begin, count));
    position += count;
  }
}
