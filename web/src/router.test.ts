import { describe, expect, test } from 'vitest';
import { placeIn, skillHref } from './router.ts';

describe('placeIn()', () => {
  test('finds what skillHref() wrote', () => {
    const { view, item, query } = placeIn(skillHref('skill://a b/ü?#/SKILL.md', { tab: 'changes', at: 'a&b' }));
    expect([view, item, query.get('tab'), query.get('at')]).toEqual([
      'skill',
      'skill://a b/ü?#/SKILL.md',
      'changes',
      'a&b',
    ]);
  });

  test.each(['', '#', '#/', '#/?q=x'])('takes %j for the catalogue', (hash) => {
    expect(placeIn(hash).view).toBe('');
  });

  test('takes an address that cannot be decoded as it is', () => {
    expect(placeIn('#/skill/%E0%A4%A').item).toBe('%E0%A4%A');
  });
});
