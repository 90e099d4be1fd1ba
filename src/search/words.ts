/**
 * Words of a text: runs of letters and digits in lower case, without accents. In scripts without blanks between words, every two
 * characters are a word. `c++` and `c#` are words.
 */
import { limits } from '../limits.ts';
import { nextHash } from './word-ids.ts';

const marks = /\p{M}+/gu;
const runs = /[\p{L}\p{N}]+/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/gu;

/** Stop words: they say nothing about the purpose of a skill. */
const empty: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be been before being but by can could did do does doing done for from ' +
    'get had has have having he her here him his how i if in into is it its just let like me more most my need needs no not of ' +
    'on once one or other our out over own please same she should skill skills so some somebody someone such than that the ' +
    'their them then there these they this those to too under up us use used user using very via want wants was we were what ' +
    'when where which while who whom whose why will with would you your s t d ll re ve m'
  ).split(' '),
);

/** Whether nearly every text has this word. */
export function isEmptyWord(word: string): boolean {
  return empty.has(word);
}

export interface WordVisitor {
  /** A word of letters a to z and digits in a text in lower case, with its hash (`nextHash`). */
  plain(text: string, start: number, end: number, hash: number): void;
  /** Any other word. */
  other(word: string): void;
}

export function visitWords(text: string, visit: (word: string) => void): void {
  scanWords(text, { plain: (lower, start, end) => visit(lower.slice(start, end)), other: visit });
}

/** Visits words without cutting them out of the text. */
export function scanWords(text: string, visitor: WordVisitor): void {
  const lower = text.toLowerCase();
  const { length } = lower;
  let start = -1;
  let isPlain = true;
  let hash = 0;
  for (let at = 0; at <= length; at++) {
    const code = at < length ? lower.charCodeAt(at) : 0;
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    if (isLetter || (code > 0x7f && !isSeparator(code))) {
      if (start === -1) {
        start = at;
        hash = 0;
      }
      if (!isLetter) isPlain = false;
      hash = nextHash(hash, code);
    } else if (start !== -1) {
      if (!isPlain) visitAny(lower.slice(start, at), visitor.other);
      else if (at - start === 1 && signsBehind(lower, at) > 0)
        visitor.other(lower.slice(start, at + signsBehind(lower, at)));
      else if (at - start <= limits.search.wordCharacters) visitor.plain(lower, start, at, hash);
      else visitor.other(lower.slice(start, start + limits.search.wordCharacters));
      start = -1;
      isPlain = true;
    }
  }
}

/** Common characters beyond ASCII that are in no word: dashes, quotation marks, arrows, lines. Others are left to regular expressions. */
function isSeparator(code: number): boolean {
  return (code >= 0x2010 && code <= 0x2027) || (code >= 0x2190 && code <= 0x23ff) || (code >= 0x2500 && code <= 0x2757);
}

/** The signs behind a single letter that make it the name of a language. */
function signsBehind(text: string, at: number): number {
  if (text.startsWith('++', at)) return 2;
  return text[at] === '#' && !/[a-z0-9]/.test(text.charAt(at + 1)) ? 1 : 0;
}

function visitAny(text: string, visit: (word: string) => void): void {
  const bare = text.normalize('NFKD').replace(marks, '').normalize('NFC');
  for (const [run] of bare.matchAll(runs)) {
    let end = 0;
    for (const found of run.matchAll(unspaced)) {
      if (found.index > end) visit(run.slice(end, found.index).slice(0, limits.search.wordCharacters));
      visitPairs([...found[0]], visit);
      end = found.index + found[0].length;
    }
    if (end < run.length) visit(run.slice(end).slice(0, limits.search.wordCharacters));
  }
}

function visitPairs(characters: readonly string[], visit: (word: string) => void): void {
  if (characters.length === 1) visit(characters[0] ?? '');
  for (let at = 0; at + 1 < characters.length; at++) visit(`${characters[at]}${characters[at + 1]}`);
}
