import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { didYouMean, nearestName } from './did-you-mean.ts';

const known = ['code-review', 'code-coverage', 'claude-code', 'claude-desktop', 'pdf-tools', 'codex', 'platform'];

describe('nearestName()', () => {
  test.each([
    ['code-revew', 'code-review'],
    ['codereview', 'code-review'],
    ['Code_Review', 'code-review'],
    ['code-reveiw', 'code-review'],
    ['clude-code', 'claude-code'],
    ['claude', 'claude-code'],
    ['pdf', 'pdf-tools'],
    ['plattform', 'platform'],
    ['codx', 'codex'],
  ])('finds for %s %s', (typed, nearest) => {
    expect(nearestName(typed, known)).toBe(nearest);
    expect(nearestName(typed, [...known].reverse())).toBe(nearest);
  });

  test.each([['nope'], ['x'], [''], ['--'], ['co'], ['spreadsheet'], ['x'.repeat(1000)]])(
    'finds nothing for %j',
    (typed) => {
      expect(nearestName(typed, known)).toBeUndefined();
    },
  );

  test('compares a limited number of names', () => {
    const many = Array.from({ length: limits.suggestions.names }, (_, at) => `skill-${at}-of-many`);
    expect(nearestName('pdf-tool', [...many, 'pdf-tools'])).toBeUndefined();
    expect(nearestName('pdf-tool', [...many.slice(1), 'pdf-tools'])).toBe('pdf-tools');
  });
});

describe('didYouMean()', () => {
  test('is a sentence with visible hidden characters', () => {
    expect(didYouMean('code-revew', known)).toBe(' Did you mean "code-review"?');
    expect(didYouMean('nope', known)).toBe('');
    expect(didYouMean('code-revew', ['code-revie\u202ew'])).not.toContain('\u202e');
  });
});
