import { expect, test } from 'vitest';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import { withoutCopies } from './skill-copies.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;

function skill(path: string, files: Readonly<Record<string, string>> | 'dynamic', label = 'a'): DiscoveredSkill {
  const root = `skill://${path}`;
  const uri = `${root}/SKILL.md`;
  const name = path.split('/').at(-1) ?? '';
  const resources =
    files === 'dynamic'
      ? files
      : Object.entries(files).map(([file, digit]) => ({ uri: `${root}/${file}`, digest: digest(digit), size: 1 }));
  const entry = { uri, frontmatter: { name, description: 'x' }, resources };
  return { label, uri, name, description: 'x', local: false, enabled: true, entry } as DiscoveredSkill;
}

test('one of several copies is left: the shortest path, then the first by alphabet, in the order of the list', () => {
  const files = { 'SKILL.md': '1', 'b.md': '2' };
  const swapped = { 'b.md': '2', 'SKILL.md': '1' };
  const [far, z, near, b] = [
    skill('x/y/pdf', files),
    skill('z', files),
    skill('b/pdf', swapped),
    skill('a/pdf', files),
  ];
  expect(withoutCopies([far, z, near, b])).toEqual([z, b]);
});

test.each([
  ['another file', skill('b/pdf', { 'SKILL.md': '1', 'c.md': '1' })],
  ['other bytes', skill('b/pdf', { 'SKILL.md': '2' })],
  ['another origin', skill('b/pdf', { 'SKILL.md': '1' }, 'b')],
  ['another name', skill('b/doc', { 'SKILL.md': '1' })],
])('%s makes another skill', (_, other) => {
  const one = skill('a/pdf', { 'SKILL.md': '1' });
  expect(withoutCopies([one, other])).toEqual([one, other]);
});

test('a live skill is never a copy', () => {
  const live = [skill('a/pdf', 'dynamic'), skill('b/pdf', 'dynamic')];
  expect(withoutCopies(live)).toEqual(live);
});
