/** From the fields of a document to weighted terms. What a word stands for is remembered: most words come again and again. */
import { limits } from '../limits.ts';
import type { Postings } from './postings.ts';
import type { FieldWeight, FieldWeights } from './rank-texts.ts';
import type { SearchDocument } from './search-document.ts';
import { stem } from './stem.ts';
import { isEmptyWord, visitWords } from './words.ts';

export interface TermReader {
  /** Writes the terms of a document into the postings. @returns those of its description, each once, sorted */
  write(slot: number, document: SearchDocument, fields: FieldWeights): Int32Array;
}

/** What a word stands for that says nothing. */
const nothing = -1;

/** A part of a text keeps the whole text in memory; what is kept for long is a text of its own. */
function ownText(text: string): string {
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}

export function nameTerms(name: string): readonly string[] {
  const terms: string[] = [];
  visitWords(name, (word) => terms.push(ownText(stem(word))));
  return terms;
}

export function createTermReader(postings: Postings): TermReader {
  let known = new Map<string, number>();
  let weights = new Float64Array(1024);
  /** Terms of the field that is being read, and of the whole document. */
  let field: number[] = [];
  let touched: number[] = [];

  function take(word: string): void {
    let term = known.get(word);
    if (term === undefined) {
      if (known.size >= limits.search.rememberedWords) known = new Map();
      const own = ownText(word);
      term = isEmptyWord(own) ? nothing : postings.number(ownText(stem(own)));
      known.set(own, term);
    }
    if (term !== nothing) field.push(term);
  }

  function count({ boost, norm, typical }: FieldWeight): void {
    const each = boost / (1 - norm + norm * (field.length / typical));
    for (const term of field) {
      if (term >= weights.length) weights = grown(weights, term);
      const before = weights[term] ?? 0;
      if (before === 0) touched.push(term);
      weights[term] = before + each;
    }
    field = [];
  }

  return {
    write(slot, { name, description, hints = '', headings = '', body = '' }, fields) {
      touched = [];
      const named = nameTerms(name);
      // "change-log" is found as "changelog" too.
      field = [...named, ...pairsOf(named)].map(postings.number);
      count(fields.name);
      visitWords(description, take);
      const described = Int32Array.from(new Set(field)).sort();
      count(fields.description);
      visitWords(hints, take);
      count(fields.hints);
      visitWords(headings, take);
      count(fields.headings);
      visitWords(body, take);
      count(fields.body);
      for (const term of touched) {
        const weight = weights[term] ?? 0;
        weights[term] = 0;
        postings.add(term, slot, weight / (fields.saturation + weight));
      }
      return described;
    },
  };
}

function grown(weights: Float64Array, term: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(Math.max(term + 1, weights.length * 2));
  more.set(weights);
  return more;
}

/** Each two neighbours as one word. */
export function pairsOf(terms: readonly string[]): readonly string[] {
  return terms.slice(1).map((term, index) => `${terms[index] ?? ''}${term}`);
}
