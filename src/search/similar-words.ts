/** Words that resemble a word of a query: they differ in one letter, share most trigrams, contain it, or are its parts. */
import { limits } from '../limits.ts';
import { stem } from './stem.ts';

/** Part of the trigrams that two similar words share at least. */
const alikePart = 0.5;

/** Shorter words are parts of too many words. */
const leastPart = 3;

export function createNameWords() {
  const words = new Set<string>();
  let text = '\n';

  function split(word: string, allowed: (term: string) => boolean, parts: number): readonly string[] | undefined {
    const term = stem(word);
    if (words.has(term) && allowed(term)) return [term];
    if (parts === 1) return undefined;
    for (let at = word.length - leastPart; at >= leastPart; at--) {
      const first = stem(word.slice(0, at));
      if (!words.has(first) || !allowed(first)) continue;
      const others = split(word.slice(at), allowed, parts - 1);
      if (others !== undefined) return [first, ...others];
    }
    return undefined;
  }

  return {
    add(term: string): void {
      if (words.has(term)) return;
      words.add(term);
      text += `${term}\n`;
    },
    all: (): Iterable<string> => words,
    /** Longer words that contain this one. */
    containing(term: string, allowed: (term: string) => boolean): readonly string[] {
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
    /** The two or three words that this one is made of, or nothing. */
    partsOf: (word: string, allowed: (term: string) => boolean): readonly string[] => split(word, allowed, 3) ?? [],
  };
}

/**
 * The words of skill names, also as one text, so that searching for a word inside all of them is a single search. Names are few
 * beside all words and say what a skill is. Words of removed names stay, and callers pass `allowed` to skip them.
 */
export type NameWords = ReturnType<typeof createNameWords>;

/** Whether the words differ by one inserted, deleted or replaced letter, or by two exchanged neighbors. */
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
  const different = shortEnd - from;
  return different <= 1 || (different === 2 && short[from] === long[from + 1] && short[from + 1] === long[from]);
}

/** The words that share most trigrams with this one, best first. */
export function mostAlike(
  word: string,
  words: Iterable<string>,
  allowed: (word: string) => boolean,
): readonly string[] {
  const trigrams = Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => word.slice(at, at + 3));
  const found: { readonly word: string; readonly part: number }[] = [];
  for (const one of words) {
    if (Math.abs(one.length - word.length) > 3) continue;
    let shared = 0;
    for (const trigram of trigrams) if (one.includes(trigram)) shared++;
    const part = (2 * shared) / (trigrams.length + one.length - 2);
    if (part >= alikePart && allowed(one)) found.push({ word: one, part });
  }
  const best = found.sort((a, b) => b.part - a.part || (a.word < b.word ? -1 : 1));
  return best.slice(0, limits.search.guesses).map((one) => one.word);
}
