/**
 * Numbers of words that were read before. A known word is found in the text itself, by a hash that its reader has computed already. So no
 * text is cut out for it, and everything about a word lies together in memory.
 */
import { limits } from '../limits.ts';

/** A cell has the hash of a word, its number, where its characters begin, and how many there are; 0 characters if it is free. */
const cellFields = 4;

export function createWordIds() {
  let count = 0;
  /** A power of two of cells, at least twice as many as there are words. */
  let cells = new Int32Array(1024 * cellFields);
  let characters = new Uint16Array(8192);
  let written = 0;

  /** The cell of a word, or the free one where it belongs. */
  function cellOf(text: string, start: number, end: number, hash: number): number {
    const mask = cells.length - 1;
    let at = (hash << 2) & mask;
    while (cells[at + 3] !== 0 && !isWord(at, text, start, end, hash)) at = (at + cellFields) & mask;
    return at;
  }

  function isWord(cell: number, text: string, start: number, end: number, hash: number): boolean {
    if (cells[cell] !== hash || cells[cell + 3] !== end - start) return false;
    let from = cells[cell + 2] as number;
    for (let at = start; at < end; at++) if (characters[from++] !== text.charCodeAt(at)) return false;
    return true;
  }

  function makeRoom(length: number): void {
    if (count >= limits.search.rememberedWords) {
      cells.fill(0);
      [count, written] = [0, 0];
    }
    if (written + length > characters.length) {
      const more = new Uint16Array(Math.max(characters.length * 2, written + length));
      more.set(characters);
      characters = more;
    }
    if (count * 2 * cellFields < cells.length) return;
    const before = cells;
    cells = new Int32Array(before.length * 2);
    const mask = cells.length - 1;
    for (let cell = 0; cell < before.length; cell += cellFields) {
      if (before[cell + 3] === 0) continue;
      let at = ((before[cell] as number) << 2) & mask;
      while (cells[at + 3] !== 0) at = (at + cellFields) & mask;
      cells.set(before.subarray(cell, cell + cellFields), at);
    }
  }

  return {
    /** The number of the word between two places of a text, or `undefined` if it is new. */
    find(text: string, start: number, end: number, hash: number): number | undefined {
      const cell = cellOf(text, start, end, hash);
      return cells[cell + 3] === 0 ? undefined : cells[cell + 1];
    },
    /** Remembers the word between two places of a text. After too many words, all are forgotten. */
    add(text: string, start: number, end: number, hash: number, id: number): void {
      makeRoom(end - start);
      const cell = cellOf(text, start, end, hash);
      cells[cell] = hash;
      cells[cell + 1] = id;
      cells[cell + 2] = written;
      cells[cell + 3] = end - start;
      for (let at = start; at < end; at++) characters[written++] = text.charCodeAt(at);
      count++;
    },
  };
}

/** The hash of a text so far, with one more character; begins with 0. */
export function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

/** The hash of a whole word, as `nextHash` gives it character by character. */
export function wordHash(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = nextHash(hash, word.charCodeAt(at));
  return hash;
}
