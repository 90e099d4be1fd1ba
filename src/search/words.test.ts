import { describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { isEmptyWord, visitWords } from './words.ts';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  visitWords(text, (word) => words.push(word));
  return words;
}

describe('visitWords()', () => {
  it('returns runs of letters and digits in lower case', () => {
    expect(wordsOf('Fill-in the PDF_form, v2.1!')).toEqual(['fill', 'in', 'the', 'pdf', 'form', 'v2', '1']);
    expect(wordsOf('')).toEqual([]);
    expect(wordsOf('end')).toEqual(['end']);
  });

  it('treats c++ and c# as words', () => {
    expect(wordsOf('C++ and C#, not a#b or x + y')).toEqual(['c++', 'and', 'c#', 'not', 'a', 'b', 'or', 'x', 'y']);
  });

  it('ignores accents and ligatures', () => {
    expect(wordsOf('Café RÉSUMÉ ﬁle')).toEqual(['cafe', 'resume', 'file']);
  });

  it('returns pairs of characters of scripts without spaces', () => {
    expect(wordsOf('PDFを読む')).toEqual(['pdf', 'を読', '読む']);
    expect(wordsOf('税 表')).toEqual(['税', '表']);
  });

  it('cuts words that are too long', () => {
    const long = 'x'.repeat(1_000);
    expect(wordsOf(long)).toEqual([long.slice(0, limits.search.wordCharacters)]);
    expect(wordsOf(`é${long}`)[0]).toHaveLength(limits.search.wordCharacters);
  });
});

describe('isEmptyWord()', () => {
  it('knows very common words', () => {
    expect(['the', 'use', 'when', 'skill'].every(isEmptyWord)).toBe(true);
    expect(['pdf', 'test', 'go'].some(isEmptyWord)).toBe(false);
  });
});
