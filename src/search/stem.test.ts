import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';

describe('stem()', () => {
  it('joins the forms of a verb and of a noun', () => {
    for (const forms of [
      ['deploy', 'deploys', 'deployed', 'deploying'],
      ['review', 'reviews', 'reviewing', 'reviewed'],
      ['hop', 'hopped', 'hopping'],
      ['file', 'files', 'filed', 'filing'],
      ['migration', 'migrations', 'migrate', 'migrating'],
      ['query', 'queries'],
      ['relational', 'relate'],
      ['adjustment', 'adjust', 'adjustable'],
    ])
      expect(new Set(forms.map(stem)), forms.join()).toHaveLength(1);
  });

  it('joins British and American spellings', () => {
    expect(stem('organise')).toBe(stem('organizing'));
    expect(stem('analyse')).toBe(stem('analyze'));
    expect(stem('behaviour')).toBe(stem('behavior'));
  });

  it('keeps different words apart', () => {
    const words = ['test', 'text', 'ring', 'bed', 'feed', 'sky', 'gas', 'pass', 'string', 'policy', 'police'];
    expect(new Set(words.map(stem))).toHaveLength(words.length);
  });

  it('does not change words of other languages', () => {
    for (const word of ['c++', 'größe', '発注', 'go', 'x86', 'utf8s']) expect(stem(word)).toBe(word);
  });

  it('is fast for hostile words', () => {
    for (const word of ['y'.repeat(40), 'ay'.repeat(20), 'ation'.repeat(8), 'b'.repeat(40)])
      expect(stem(word).length).toBeLessThanOrEqual(40);
  });
});
