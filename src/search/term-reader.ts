/** Turns the fields of a document into weighted terms. The term of a word is cached, because most words occur again and again. */
import { limits } from '../limits.ts';
import type { Postings } from './postings.ts';
import { type FieldWeight, fieldWeights, saturation } from './rank-texts.ts';
import type { SearchDocument } from './search-document.ts';
import { stem } from './stem.ts';
import { isEmptyWord, visitWords } from './words.ts';

export interface DocumentTerms {
  readonly nameWords: readonly string[];
  /** Ids of the terms of the name, in order. */
  readonly name: Int32Array;
  /** Ids of the terms of the description, without duplicates, sorted. */
  readonly description: Int32Array;
}

export interface TermReader {
  /** Writes the terms of a document into the postings. */
  write(slot: number, document: SearchDocument): DocumentTerms;
}

/** The id of words that say nothing. */
const nothing = -1;

/** Copies a text: a slice would keep the whole text that it was cut from in memory. */
function ownText(text: string): string {
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}

export function createTermReader(postings: Postings): TermReader {
  let known = new Map<string, number>();
  /** Weight of each term in the current document. */
  let weights = new Float64Array(1024);
  /** The last document in which a term of the rest of a body occurred for the first time. */
  let seenOnce = new Int32Array(1024).fill(-1);
  /** Terms of the current field, and of the whole document. */
  let field: number[] = [];
  let touched: number[] = [];

  function take(word: string): void {
    let id = known.get(word);
    if (id === undefined) {
      if (known.size >= limits.search.rememberedWords) known = new Map();
      const own = ownText(word);
      id = isEmptyWord(own) ? nothing : postings.idOf(ownText(stem(own)));
      known.set(own, id);
      if (id >= weights.length) grow(id);
    }
    if (id !== nothing) field.push(id);
  }

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
  function count({ boost, norm, typical }: FieldWeight, slot = -1, single = field.length): void {
    const each = boost / (1 - norm + norm * (field.length / typical));
    for (let at = 0; at < field.length; at++) {
      const id = field[at] as number;
      if (at < single || weights[id] !== 0) add(id, each);
      else if (seenOnce[id] === slot) add(id, 2 * each);
      else seenOnce[id] = slot;
    }
    field = [];
  }

  return {
    write(slot, { name, description, hints = '', headings = '', body = '' }) {
      touched = [];
      const nameWords = termsOf(name);
      const named = nameWords.map(postings.idOf);
      // "change-log" is found as "changelog" too.
      field = [...named, ...pairsOf(nameWords).map(postings.idOf)];
      for (const id of field) if (id >= weights.length) grow(id);
      count(fieldWeights.name);
      visitWords(description, take);
      const described = Int32Array.from(new Set(field)).sort();
      count(fieldWeights.description);
      visitWords(hints, take);
      count(fieldWeights.hints);
      visitWords(headings, take);
      count(fieldWeights.headings);
      visitWords(body.slice(0, limits.search.openingCharacters), take);
      const opening = field.length;
      visitWords(body.slice(limits.search.openingCharacters), take);
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
