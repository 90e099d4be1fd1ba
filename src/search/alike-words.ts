/** Words that are nearly the same: spelled with one letter otherwise, or made of the same groups of three letters. */
import { limits } from '../limits.ts';

/** The part of the groups of two words that both have, from which on they are alike. */
const alikePart = 0.5;

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

/** Those of the words that share most groups of three letters with the one that is asked for, best first. */
export function mostAlike(
  word: string,
  words: Iterable<string>,
  allowed: (word: string) => boolean,
): readonly string[] {
  const asked = groupsOf(word);
  const found: { readonly word: string; readonly part: number }[] = [];
  for (const one of words) {
    if (Math.abs(one.length - word.length) > 3) continue;
    let shared = 0;
    for (const group of asked) if (one.includes(group)) shared++;
    const part = (2 * shared) / (asked.length + one.length - 2);
    if (part >= alikePart && allowed(one)) found.push({ word: one, part });
  }
  const best = found.sort((a, b) => b.part - a.part || (a.word < b.word ? -1 : 1));
  return best.slice(0, limits.search.guesses).map((one) => one.word);
}

function groupsOf(word: string): readonly string[] {
  return Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => word.slice(at, at + 3));
}
