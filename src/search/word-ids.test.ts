import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { createWordIds, wordHash } from './word-ids.ts';
import { scanWords } from './words.ts';

describe('createWordIds()', () => {
  test('compares the characters of a word, not only its hash', () => {
    const ids = createWordIds();
    ids.add('aa', 0, 2, 7, 1);
    ids.add('bb', 0, 2, 7, 2);
    expect(ids.find('an aa', 3, 5, 7)).toBe(1);
    expect(ids.find('a bb', 2, 4, 7)).toBe(2);
    expect(ids.find('cc', 0, 2, 7)).toBeUndefined();
    expect(ids.find('aab', 0, 3, 7)).toBeUndefined();
  });

  test('keeps every word while it grows, in any script', () => {
    const ids = createWordIds();
    const words = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? `word${at}` : `слово${at}`));
    for (const [at, word] of words.entries()) ids.add(word, 0, word.length, wordHash(word), at);
    for (const [at, word] of words.entries()) expect(ids.find(word, 0, word.length, wordHash(word))).toBe(at);
  });

  test('forgets all words after too many', () => {
    const ids = createWordIds();
    for (let at = 0; at <= limits.search.rememberedWords; at++) ids.add(`w${at}`, 0, `w${at}`.length, at, at);
    expect(ids.find('w0', 0, 2, 0)).toBeUndefined();
    const last = limits.search.rememberedWords;
    expect(ids.find(`w${last}`, 0, `w${last}`.length, last)).toBe(last);
  });
});

test('scanWords() returns each plain word with the hash of its characters', () => {
  const seen: string[] = [];
  scanWords('Deploy c++ and naïve K8s', {
    plain(text, start, end, hash) {
      const word = text.slice(start, end);
      expect(hash).toBe(wordHash(word));
      seen.push(word);
    },
    other: (word) => seen.push(`other ${word}`),
  });
  expect(seen).toEqual(['deploy', 'other c++', 'and', 'other naive', 'k8s']);
});
