import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { skillUriOfName } from './name-rules.ts';

describe('skillUriOfName()', () => {
  verifies(['list:mcpc-names'], 'makes a URI of a typed name like mcpc', () => {
    const cases: readonly (readonly [typed: string, uri: string])[] = [
      ['git-workflow', 'skill://git-workflow/SKILL.md'],
      ['/acme/billing/refunds/', 'skill://acme/billing/refunds/SKILL.md'],
      ['skill://git-workflow', 'skill://git-workflow/SKILL.md'],
      ['skill://git-workflow/', 'skill://git-workflow/SKILL.md'],
      ['skill://a/readme.md', 'skill://a/readme.md'],
      ['skill://a/SKILL.md', 'skill://a/SKILL.md'],
      ['github://o/r/skills/x', 'github://o/r/skills/x/SKILL.md'],
    ];
    for (const [typed, uri] of cases) expect(skillUriOfName(typed)).toBe(uri);
  });

  test.each(['', '  ', '/', 'skill://'])('refuses "%s"', (typed) => {
    expect(() => skillUriOfName(typed)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
