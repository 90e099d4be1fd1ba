import { describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { listedHints, useWhenSentences } from './search-document.ts';

const skill = { name: 'pdf', description: 'Fills in forms.' };

describe('listedHints()', () => {
  it('reads texts and lists of texts, at the top and under metadata, and nothing else', () => {
    const metadata = { tags: 'forms', keywords: [1, 'acroform', { deep: 'no' }], author: 'nobody' };
    const hints = listedHints({ ...skill, triggers: ['fill a form'], category: 7, metadata });
    expect(hints.split('\n')).toEqual(['fill a form', 'acroform', 'forms']);
  });

  it.each([null, 'text', ['tags'], 3])('reads nothing from metadata that is %j', (metadata) => {
    expect(listedHints({ ...skill, metadata })).toBe('');
  });

  it('limits them', () => {
    expect(listedHints({ ...skill, tags: 'x '.repeat(limits.search.hintCharacters) })).toHaveLength(
      limits.search.hintCharacters,
    );
  });
});

describe('useWhenSentences()', () => {
  it.each([
    ['Fills in forms. Use when somebody has a PDF. Never signs.', 'Use when somebody has a PDF'],
    ['Use this for invoices', 'Use this for invoices'],
    ['Fills in forms!\nTriggers: "fill it in", "sign".', 'Triggers: "fill it in", "sign"'],
    ['Fills in forms that people use when travelling.', ''],
  ])('finds them in %j', (description, sentences) => {
    expect(useWhenSentences(description)).toBe(sentences);
  });
});
