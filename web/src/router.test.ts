import { describe, expect, test } from 'vitest';
import { placeIn, skillHref } from './router.ts';

describe('placeIn()', () => {
  test('reads the address that skillHref() wrote', () => {
    const { view, item, query } = placeIn(skillHref('skill://a b/ü?#/SKILL.md', { tab: 'changes', at: 'a&b' }));
    expect([view, item, query.get('tab'), query.get('at')]).toEqual([
      'skill',
      'skill://a b/ü?#/SKILL.md',
      'changes',
      'a&b',
    ]);
  });

  test.each(['', '#', '#/', '#/?q=x'])('reads %j as the catalog', (hash) => {
    expect(placeIn(hash).view).toBe('');
  });

  test('reads an invalid address literally', () => {
    expect(placeIn('#/skill/%E0%A4%A').item).toBe('%E0%A4%A');
  });
});
