import { expect, test } from 'vitest';
import { findCollisions, type NamedSkill } from './discovered-skill.ts';

const skill = (label: string, path: string, name: string, local = false): NamedSkill => ({
  label,
  uri: `skill://${path}/SKILL.md`,
  name,
  local,
});

test('findCollisions() finds equal names in one listing, across origins and in local folders', () => {
  const skills = [
    skill('acme', 'a/pdf', 'pdf'),
    skill('acme', 'b/pdf', 'pdf'),
    skill('acme', 'alone', 'alone'),
    skill('home', 'docs', 'docs', true),
    skill('other', 'docs', 'docs'),
  ];
  expect(findCollisions(skills)).toEqual([
    {
      name: 'docs',
      skills: [
        { label: 'home', uri: 'skill://docs/SKILL.md', local: true },
        { label: 'other', uri: 'skill://docs/SKILL.md', local: false },
      ],
    },
    {
      name: 'pdf',
      skills: [
        { label: 'acme', uri: 'skill://a/pdf/SKILL.md', local: false },
        { label: 'acme', uri: 'skill://b/pdf/SKILL.md', local: false },
      ],
    },
  ]);
});

test('findCollisions() ignores case and Unicode form', () => {
  expect(findCollisions([skill('a', 'PDF', 'PDF'), skill('b', 'pdf', 'pdf')]).length).toBe(1);
  expect(findCollisions([skill('a', 'x', '\uff50df'), skill('b', 'pdf', 'pdf')]).length).toBe(1);
});

test('findCollisions() counts one skill once, and a label that ends like a URI as another origin', () => {
  expect(findCollisions([skill('a', 'x', 'x'), skill('a', 'x', 'x')])).toEqual([]);
  expect(findCollisions([])).toEqual([]);
});
