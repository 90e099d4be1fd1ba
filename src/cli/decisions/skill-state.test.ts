import { describe, expect, test } from 'vitest';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import { howVerified, skillStates } from './skill-state.ts';

const uri = 'skill://a/SKILL.md';
const digest = (character: string): string => `sha256:${character.repeat(64)}`;

function skill(over: Partial<DiscoveredSkill> = {}): DiscoveredSkill {
  const frontmatter = { name: 'a', description: 'b' };
  const entry = { uri, frontmatter, resources: [{ uri, digest: digest('1'), size: 1 }] };
  const flags = { verifiable: true, enabled: true, ambiguous: false, local: false };
  return { label: 'x', uri, name: 'a', description: 'b', frontmatter, entry, ...flags, ...over };
}

const approved = (character: string) => [{ label: 'x', uri, set: [{ uri, digest: digest(character) }] }];

describe('skillStates()', () => {
  test('distinguishes approved, changed and not approved skills', () => {
    expect(skillStates(approved('1'), [])(skill())).toBe('approved');
    expect(skillStates(approved('2'), [])(skill())).toBe('changed');
    expect(skillStates([], [{ label: 'x', uri }])(skill())).toBe('changed');
    expect(skillStates([], [])(skill())).toBe('not-approved');
  });

  test('keeps origins apart', () => {
    expect(skillStates(approved('1'), [])(skill({ label: 'y' }))).toBe('not-approved');
    expect(skillStates([], [{ label: 'y', uri }])(skill())).toBe('not-approved');
  });

  test('knows skills that need no approval, that cannot have one, and that are disabled', () => {
    expect(skillStates([], [])(skill({ local: true }))).toBe('local');
    const dynamic = skill({ verifiable: false, entry: { ...skill().entry, resources: 'dynamic' } });
    expect(skillStates([], [])(dynamic)).toBe('unverifiable');
    expect(skillStates(approved('1'), [])(dynamic)).toBe('changed');
    expect(skillStates(approved('1'), [])(skill({ enabled: false }))).toBe('disabled');
  });
});

describe('howVerified()', () => {
  test('returns how much of a skill has digests', () => {
    const dynamic = { ...skill().entry, resources: 'dynamic' as const };
    const listed = (files: readonly { readonly uri: string; readonly digest?: string }[]) =>
      howVerified({ entry: dynamic, partial: { reason: 'no-digest', files } });
    expect(howVerified(skill())).toBe('full');
    expect(howVerified({ entry: dynamic })).toBe('none');
    expect(listed([{ uri }])).toBe('none');
    expect(listed([{ uri: 'skill://a/x', digest: digest('1') }, { uri }])).toBe('none');
    expect(listed([{ uri, digest: digest('1') }, { uri: 'skill://a/x' }])).toBe('skill-md-only');
  });
});
