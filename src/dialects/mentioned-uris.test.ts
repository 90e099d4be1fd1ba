import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { limits } from '../limits.ts';
import { mentionedUris } from './mentioned-uris.ts';

const uris = (text: string): string[] => mentionedUris(text).map(({ uri }) => uri);

describe('mentionedUris()', () => {
  verifies(['discovery:instructions'], 'finds URIs of skills in prose', () => {
    const text =
      'Before using IPInfo tools, read the skill://ipinfo/usage resource. Then "github://o/r/skills/x/SKILL.md", ' +
      '(skill://a/SKILL.md), `SKILL://b/SKILL.md`! And skill://a/SKILL.md again.';
    expect(mentionedUris(text)).toEqual([
      { uri: 'skill://ipinfo/usage', skillFile: false },
      { uri: 'github://o/r/skills/x/SKILL.md', skillFile: true },
      { uri: 'skill://a/SKILL.md', skillFile: true },
      { uri: 'skill://b/SKILL.md', skillFile: true },
    ]);
  });

  test.each([
    'https://example.com/x/SKILL.md',
    'file:///etc/SKILL.md',
    'db://table',
    'skill://a/../SKILL.md',
    'skill://',
    '://a/SKILL.md',
    'skill://{name}/SKILL.md',
  ])('ignores %s', (text) => {
    expect(uris(text)).toEqual([]);
  });

  test('returns at most the given number', () => {
    const text = Array.from({ length: 100 }, (_, at) => `skill://s${at}/SKILL.md`).join(' ');
    expect(uris(text)).toHaveLength(limits.dialects.mentions);
    expect(uris('a'.repeat(100_000))).toEqual([]);
  });
});
