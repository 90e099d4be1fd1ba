/**
 * The words that names are made of, as one text, so that looking for a word inside of all others is a single search. Names are few
 * beside all words, and say what a skill is; bodies have too many words for it. Words of names that are gone stay: the postings know.
 */
import { limits } from '../limits.ts';
import { stem } from './stem.ts';

export interface NameWords {
  add(term: string): void;
  all(): Iterable<string>;
  /** Longer words with this one inside. */
  containing(term: string, allowed: (term: string) => boolean): readonly string[];
  /** The words that this one is made of, if there are such: two or three of them. */
  partsOf(word: string, allowed: (term: string) => boolean): readonly string[];
}

/** Shorter words are parts of anything. */
const leastPart = 3;

export function createNameWords(): NameWords {
  const words = new Set<string>();
  let text = '\n';

  function split(word: string, allowed: (term: string) => boolean, parts: number): readonly string[] | undefined {
    const term = stem(word);
    if (words.has(term) && allowed(term)) return [term];
    if (parts === 1) return undefined;
    for (let at = word.length - leastPart; at >= leastPart; at--) {
      const first = stem(word.slice(0, at));
      if (!words.has(first) || !allowed(first)) continue;
      const rest = split(word.slice(at), allowed, parts - 1);
      if (rest !== undefined) return [first, ...rest];
    }
    return undefined;
  }

  return {
    add(term) {
      if (words.has(term)) return;
      words.add(term);
      text += `${term}\n`;
    },
    all: () => words,
    containing(term, allowed) {
      const found: string[] = [];
      for (
        let at = text.indexOf(term);
        at !== -1 && found.length < limits.search.guesses;
        at = text.indexOf(term, at)
      ) {
        const start = text.lastIndexOf('\n', at) + 1;
        at = text.indexOf('\n', at);
        const word = text.slice(start, at);
        if (word !== term && allowed(word)) found.push(word);
      }
      return found;
    },
    partsOf: (word, allowed) => split(word, allowed, 3) ?? [],
  };
}
