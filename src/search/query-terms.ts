/**
 * What a query asks for: its words, each with the terms of the index that stand for it. A word that no text has stands for those that
 * begin with it, else for those that differ in one letter. Only texts within the scope count.
 */
import { limits } from '../limits.ts';
import { type Postings, slotOf } from './postings.ts';
import type { QueryTerm, Scope } from './rank-texts.ts';
import { stem } from './stem.ts';
import { pairsOf } from './term-reader.ts';
import { isEmptyWord, visitWords } from './words.ts';

/** How much less a guessed word says. */
const guessed = 0.6;

/** Words shorter than this are not guessed at. */
const guessedLength = 4;

export type QueryReader = (query: string, scope: Scope) => readonly QueryTerm[];

export function createQueryReader(lists: Postings): QueryReader {
  return (query, scope) => {
    const words = wordsOf(query);
    const has = (term: string): boolean => lists.list(term).some((posting) => scope.has(slotOf(posting)));
    const terms = words.map((word) => ({ word, term: stem(word) }));
    const joined = pairsOf(words).map((word) => stem(word));
    return distinct(
      terms.map(({ word, term }, index) => {
        const around = [joined[index - 1], joined[index]].filter((one) => one !== undefined && has(one)) as string[];
        const own = has(term) ? [term] : [];
        const exact = [...own, ...around];
        const guesses = exact.length > 0 ? [] : guessesFor(word, lists.near(word), has);
        return {
          term,
          lists: [
            ...exact.map((one) => ({ postings: lists.list(one), factor: 1 })),
            ...guesses.map((one) => ({ postings: lists.list(one), factor: guessed })),
          ],
        };
      }),
    );
  };
}

/** Without the words that say nothing, unless there are no others. */
function wordsOf(query: string): readonly string[] {
  const words: string[] = [];
  visitWords(query.slice(0, limits.search.queryCharacters), (word) => words.push(word));
  const telling = words.filter((word) => !isEmptyWord(word));
  return (telling.length > 0 ? telling : words).slice(0, limits.search.queryWords);
}

function distinct(terms: readonly (QueryTerm & { readonly term: string })[]): readonly QueryTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ term }) => {
    if (seen.has(term)) return false;
    seen.add(term);
    return true;
  });
}

function guessesFor(word: string, near: readonly string[], has: (term: string) => boolean): readonly string[] {
  if (word.length < guessedLength) return [];
  const beginning = near.filter((term) => term.startsWith(word) && has(term));
  if (beginning.length > 0) return beginning.slice(0, limits.search.guesses);
  const asked = stem(word);
  return near.filter((term) => differsInOne(term, asked) && has(term)).slice(0, limits.search.guesses);
}

/** One letter more, less or other, or two neighbours exchanged. */
export function differsInOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let from = 0;
  while (from < short.length && short[from] === long[from]) from++;
  let [shortEnd, longEnd] = [short.length, long.length];
  while (shortEnd > from && short[shortEnd - 1] === long[longEnd - 1]) {
    shortEnd--;
    longEnd--;
  }
  if (long.length > short.length) return shortEnd === from;
  const left = shortEnd - from;
  return left <= 1 || (left === 2 && short[from] === long[from + 1] && short[from + 1] === long[from]);
}
