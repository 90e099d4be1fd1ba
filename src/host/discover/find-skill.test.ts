import { describe, expect, test } from 'vitest';
import type { DiscoveredSkill } from './discovered-skill.ts';
import { matchSkill } from './find.ts';

function skill(label: string, uri: string): DiscoveredSkill {
  const name = uri.split('/').at(-2) ?? '';
  const frontmatter = { name, description: 'x' };
  const entry = { uri, frontmatter, resources: 'dynamic' } as const;
  return {
    label,
    local: false,
    uri,
    name,
    description: 'x',
    frontmatter,
    entry,
    verifiable: false,
    enabled: true,
    ambiguous: false,
  };
}

const url = 'mcp:http://127.0.0.1:1/mcp';
const refunds = skill('acme', 'skill://refunds/SKILL.md');
const billing = skill('acme', 'skill://billing/refunds/SKILL.md');
const remote = skill(url, 'skill://refunds/SKILL.md');
const pdf = skill(url, 'skill://tools/pdf/SKILL.md');
const spaced = skill('acme', 'github://o/a b/notes/SKILL.md');
const skills = [refunds, billing, remote, pdf, spaced];
const labels = ['mcp', 'acme', url, 'skill', 'empty', 'http://127.0.0.1:2/mcp'];

const match = (reference: string): unknown => matchSkill(reference, skills, labels);
const one = (found: DiscoveredSkill): unknown => ({ kind: 'one', skill: found });
const many = (...found: readonly DiscoveredSkill[]): unknown => ({ kind: 'many', skills: found });

describe('matchSkill()', () => {
  test.each<[reference: string, found: unknown]>([
    ['pdf', one(pdf)],
    ['PDF', one(pdf)],
    ['tools/pdf', one(pdf)],
    ['tools/pdf/', one(pdf)],
    ['tools/pdf/SKILL.md', one(pdf)],
    ['billing/refunds', one(billing)],
    ['skill://tools/pdf/SKILL.md', one(pdf)],
    ['skill://tools/pdf', one(pdf)],
    ['skill://tools/pdf/', one(pdf)],
    ['SKILL://tools/%70df/SKILL.md', one(pdf)],
    ['o/a b/notes', one(spaced)],
    ['github://o/a b/notes/SKILL.md', one(spaced)],
    ['github://o/a%20b/notes/SKILL.md', one(spaced)],
    ['acme:billing/refunds', one(billing)],
    ['acme:skill://refunds/SKILL.md', one(refunds)],
    [`${url}:refunds`, one(remote)],
    [`${url}:skill://refunds/SKILL.md`, one(remote)],
    [`${url}:tools/pdf`, one(pdf)],
  ])('finds the skill that %j means', (reference, found) => {
    expect(match(reference)).toEqual(found);
  });

  test('returns all matches without preference', () => {
    expect(match('refunds')).toEqual(many(refunds, billing, remote));
    expect(match('acme:refunds')).toEqual(many(refunds, billing));
    expect(match('skill://refunds/SKILL.md')).toEqual(many(refunds, remote));
  });

  test('returns both if a text is the path of one skill, and label and path of another', () => {
    const unusual = skill('x', 'skill://acme:billing/refunds/SKILL.md');
    expect(matchSkill('acme:billing/refunds', [...skills, unusual], labels)).toEqual(many(unusual, billing));
  });

  test.each<[reference: string, found: unknown]>([
    ['', { kind: 'none' }],
    ['nothing', { kind: 'none' }],
    ['acme', { kind: 'none' }],
    ['acme:', { kind: 'none', label: 'acme' }],
    ['acme:pdf', { kind: 'none', label: 'acme' }],
    ['empty:x', { kind: 'none', label: 'empty' }],
    ['unknown:pdf', { kind: 'none' }],
    [`${url}:nothing`, { kind: 'none', label: url }],
    ['skill://new/x/SKILL.md', { kind: 'none', uri: 'skill://new/x/SKILL.md' }],
    ['skill://new/x', { kind: 'none', uri: 'skill://new/x/SKILL.md' }],
    ['empty:skill://new/x/SKILL.md', { kind: 'none', label: 'empty', uri: 'skill://new/x/SKILL.md' }],
    [`${url}:skill://new/x/`, { kind: 'none', label: url, uri: 'skill://new/x/SKILL.md' }],
    ['http://127.0.0.1:2/mcp:x', { kind: 'none', label: 'http://127.0.0.1:2/mcp' }],
    ['skill://a/../b', { kind: 'none', label: 'skill' }],
    ['file:///etc/passwd', { kind: 'none' }],
    ['ools/pdf', { kind: 'none' }],
  ])('finds none for %j and reports what is known of it', (reference, found) => {
    expect(match(reference)).toEqual(found);
  });

  test('uses the longest label that leads to a skill', () => {
    const inner = skill('mcp', 'skill://refunds/SKILL.md');
    expect(matchSkill(`${url}:refunds`, [inner, remote], labels)).toEqual(one(remote));
    expect(matchSkill('mcp:refunds', [inner, remote], labels)).toEqual(one(inner));
  });
});
