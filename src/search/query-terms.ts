/**
 * Reads a query: its words, each with the terms of the index that it stands for. A word also stands for names that contain it
 * ("brightspace" for "d2lbrightspace"). A word that no visible text has stands for the first of these that exists:
 * 1. words that begin with it
 * 2. its parts ("pdfforms")
 * 3. words that differ in one letter
 * 4. names that share most of its trigrams
 *
 * A query may be a whole task. Its first words count most, because a task begins with its purpose and ends with details such as file
 * names. A repeated word counts more, but not twice as much.
 */
import { limits } from '../limits.ts';
import { type Postings, slotOf } from './postings.ts';
import type { QueryTerm, Scope } from './rank-texts.ts';
import { differsInOne, mostAlike, type NameWords } from './similar-words.ts';
import { stem } from './stem.ts';
import { pairsOf } from './term-reader.ts';
import { isEmptyWord, visitWords } from './words.ts';

/** Factors for a guessed word, and for a name that contains the word. */
const guessed = 0.6;
const contained = 0.7;

/** How fast the weight of a word falls with its place: the 50th word counts half. */
const decay = 0.02;

/** Shorter words are not guessed at, and not searched inside other words. */
const guessedLength = 4;
const containedLength = 5;

/** A longer query has enough words: none is guessed at, and none searched inside names, which takes time. */
const shortQuery = 16;

export type QueryReader = (query: string, scope: Scope) => readonly QueryTerm[];

export function createQueryReader(postings: Postings, names: NameWords): QueryReader {
  function guessesFor(word: string, term: string, has: (term: string) => boolean): readonly string[] {
    if (word.length < guessedLength) return [];
    const near = postings.near(word);
    const most = limits.search.guesses;
    const beginning = near.filter((one) => one.startsWith(word) && has(one));
    if (beginning.length > 0) return beginning.slice(0, most);
    const parts = names.partsOf(word, has);
    if (parts.length > 0) return parts;
    const misspelled = near.filter((one) => differsInOne(one, term) && has(one));
    return misspelled.length > 0 ? misspelled.slice(0, most) : mostAlike(term, names.all(), has);
  }

  return (query, { visible }) => {
    const has = (term: string): boolean => postings.list(term).some((posting) => visible[slotOf(posting)] === 1);
    const words = wordsOf(query);
    const isShort = words.length <= shortQuery;
    const terms = words.map((word) => stem(word));
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    const joined = pairsOf(words).map((word) => stem(word));
    const read: QueryTerm[] = [];
    const listed = (all: readonly string[], factor: number): QueryTerm['lists'] =>
      all.map((term) => ({ postings: postings.list(term), factor }));
    for (const [place, term] of terms.entries()) {
      const count = counts.get(term);
      if (count === undefined) continue;
      counts.delete(term);
      const word = words[place] ?? '';
      const exact = [term, joined[place - 1], joined[place]].filter((one) => one !== undefined).filter(has);
      const inside = isShort && word.length >= containedLength ? names.containing(term, has) : [];
      const guesses = isShort && exact.length + inside.length === 0 ? guessesFor(word, term, has) : [];
      read.push({
        id: postings.find(term),
        weight: Math.sqrt(count) / (1 + decay * place),
        lists: [...listed(exact, 1), ...listed(inside, contained), ...listed(guesses, guessed)],
      });
    }
    return read;
  };
}

/** Without stop words, unless there are no other words. */
function wordsOf(query: string): readonly string[] {
  const words: string[] = [];
  visitWords(query.slice(0, limits.search.queryCharacters), (word) => words.push(word));
  const telling = words.filter((word) => !isEmptyWord(word));
  return telling.length > 0 ? telling : words;
}
