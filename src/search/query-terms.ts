/**
 * What a query asks for: its words, each with the terms of the index that stand for it. A word also stands for names that contain it
 * ("brightspace" for "d2lbrightspace"). A word that no text has stands for those that begin with it, else for its parts ("pdfforms"), else
 * for those that differ in a letter, else for names that share most of its groups of three letters. Only texts within the scope count.
 */
import { limits } from '../limits.ts';
import { differsInOne, mostAlike } from './alike-words.ts';
import type { NameWords } from './name-words.ts';
import { type Postings, slotOf } from './postings.ts';
import type { QueryTerm, Scope } from './rank-texts.ts';
import { stem } from './stem.ts';
import { pairsOf } from './term-reader.ts';
import { isEmptyWord, visitWords } from './words.ts';

/** How much less a guessed word says, and a name that contains the word. */
const guessed = 0.6;
const contained = 0.7;

/** Words shorter than this are not guessed at, and not looked for inside of others. */
const guessedLength = 4;
const containedLength = 5;

/** Words of a query that are looked for inside of names. */
const shortQuery = 16;

export type QueryReader = (query: string, scope: Scope) => readonly QueryTerm[];

export function createQueryReader(lists: Postings, names: NameWords): QueryReader {
  return (query, scope) => {
    const words = wordsOf(query);
    const has = (term: string): boolean => lists.list(term).some((posting) => scope.has(slotOf(posting)));
    const terms = words.map((word) => ({ word, term: stem(word) }));
    const joined = pairsOf(words).map((word) => stem(word));
    // A whole task has enough words, and looking for each of them in all names takes long.
    const long = words.length > shortQuery;
    const read = new Map<string, QueryTerm>();
    for (const [index, { word, term }] of terms.entries()) {
      if (read.has(term)) continue;
      const around = [joined[index - 1], joined[index]].filter((one) => one !== undefined && has(one)) as string[];
      const exact = [...(has(term) ? [term] : []), ...around];
      const inside = long || word.length < containedLength ? [] : names.containing(term, has);
      const guesses = exact.length + inside.length > 0 ? [] : guessesFor(word, term, has);
      read.set(term, {
        term,
        lists: [
          ...exact.map((one) => ({ postings: lists.list(one), factor: 1 })),
          ...inside.map((one) => ({ postings: lists.list(one), factor: contained })),
          ...guesses.map((one) => ({ postings: lists.list(one), factor: guessed })),
        ],
      });
    }
    return [...read.values()];
  };

  function guessesFor(word: string, term: string, has: (term: string) => boolean): readonly string[] {
    if (word.length < guessedLength) return [];
    const near = lists.near(word);
    const most = limits.search.guesses;
    const beginning = near.filter((one) => one.startsWith(word) && has(one));
    if (beginning.length > 0) return beginning.slice(0, most);
    const parts = names.partsOf(word, has);
    if (parts.length > 0) return parts;
    const misspelled = near.filter((one) => differsInOne(one, term) && has(one));
    return misspelled.length > 0 ? misspelled.slice(0, most) : mostAlike(term, names.all(), has);
  }
}

/** Without the words that say nothing, unless there are no others. */
function wordsOf(query: string): readonly string[] {
  const words: string[] = [];
  visitWords(query.slice(0, limits.search.queryCharacters), (word) => words.push(word));
  const telling = words.filter((word) => !isEmptyWord(word));
  return (telling.length > 0 ? telling : words).slice(0, limits.search.queryWords);
}
