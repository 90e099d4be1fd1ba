/** Turns the fields of a document into weighted terms. The term of a word is cached, because most words occur often. */
import { limits } from '../limits.ts';
import type { Postings } from './postings.ts';
import { type FieldWeight, fieldWeights, saturation } from './rank-texts.ts';
import type { SearchDocument } from './search-document.ts';
import { stem } from './stem.ts';
import { createWordIds, wordHash } from './word-ids.ts';
import { isEmptyWord, scanWords, visitWords, type WordVisitor } from './words.ts';

export interface DocumentTerms {
  readonly nameWords: readonly string[];
  /** Ids of the terms of the name, in order. */
  readonly name: Int32Array;
  /** Ids of the terms of the description, without duplicates, sorted. */
  readonly description: Int32Array;
}

/** The id of stop words. */
const nothing = -1;

/** Copies a text: a slice would keep the whole text that it was cut from in memory. */
function ownText(text: string): string {
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}

export function createTermReader(postings: Postings) {
  const known = createWordIds();
  /** Weight of each term in the current document. */
  let weights = new Float64Array(1024);
  /** The last document in which a term of the rest of a body occurred for the first time. */
  let seenOnce = new Int32Array(1024).fill(-1);
  /** Terms of the current field, the first `length` of it, and of the whole document. */
  let field = new Int32Array(1024);
  let length = 0;
  let touched: number[] = [];

  function push(id: number): void {
    if (id === nothing) return;
    if (length === field.length) {
      const more = new Int32Array(length * 2);
      more.set(field);
      field = more;
    }
    field[length++] = id;
  }

  function take(text: string, start: number, end: number, hash: number): void {
    push(known.find(text, start, end, hash) ?? learn(text, start, end, hash));
  }

  function learn(text: string, start: number, end: number, hash: number): number {
    const word = text.slice(start, end);
    const id = isEmptyWord(word) ? nothing : postings.idOf(ownText(stem(word)));
    known.add(text, start, end, hash, id);
    if (id >= weights.length) grow(id);
    return id;
  }

  const reader: WordVisitor = { plain: take, other: (word) => take(word, 0, word.length, wordHash(word)) };

  function grow(id: number): void {
    const length = Math.max(id + 1, weights.length * 2);
    const [moreWeights, moreSeen] = [new Float64Array(length), new Int32Array(length).fill(-1)];
    moreWeights.set(weights);
    moreSeen.set(seenOnce);
    [weights, seenOnce] = [moreWeights, moreSeen];
  }

  function add(id: number, weight: number): void {
    const before = weights[id] ?? 0;
    if (before === 0) touched.push(id);
    weights[id] = before + weight;
  }

  /** @param single from this place on a new term counts only if it occurs twice */
  function count({ boost, norm, typical }: FieldWeight, slot = -1, single = length): void {
    const each = boost / (1 - norm + norm * (length / typical));
    for (let at = 0; at < length; at++) {
      const id = field[at] as number;
      if (at < single || weights[id] !== 0) add(id, each);
      else if (seenOnce[id] === slot) add(id, 2 * each);
      else seenOnce[id] = slot;
    }
    length = 0;
  }

  return {
    /** Writes the terms of a document into the postings. */
    write(slot: number, { name, description, hints = '', headings = '', body = '' }: SearchDocument): DocumentTerms {
      touched = [];
      const nameWords = termsOf(name);
      const named = nameWords.map(postings.idOf);
      // "change-log" is found as "changelog" too.
      for (const id of [...named, ...pairsOf(nameWords).map(postings.idOf)]) {
        if (id >= weights.length) grow(id);
        push(id);
      }
      count(fieldWeights.name);
      scanWords(description, reader);
      const described = Int32Array.from(new Set(field.subarray(0, length))).sort();
      count(fieldWeights.description);
      scanWords(hints, reader);
      count(fieldWeights.hints);
      scanWords(headings, reader);
      count(fieldWeights.headings);
      scanWords(body.slice(0, limits.search.openingCharacters), reader);
      const opening = length;
      scanWords(body.slice(limits.search.openingCharacters), reader);
      count(fieldWeights.body, slot, opening);
      for (const id of touched) {
        const weight = weights[id] ?? 0;
        weights[id] = 0;
        postings.add(id, slot, weight / (saturation + weight));
      }
      return { nameWords, name: Int32Array.from(named), description: described };
    },
  };
}

function termsOf(name: string): readonly string[] {
  const terms: string[] = [];
  visitWords(name, (word) => terms.push(ownText(stem(word))));
  return terms;
}

/** Each two neighbors as one word. */
export function pairsOf(terms: readonly string[]): readonly string[] {
  return terms.slice(1).map((term, index) => `${terms[index] ?? ''}${term}`);
}
