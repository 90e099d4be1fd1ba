import { expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { isSkillName } from '../skill/name.ts';
import { flatNames } from './flat-names.ts';

const skill = (path: string): { path: string; name: string } => ({ path, name: path.slice(path.lastIndexOf('/') + 1) });
const plan = (...paths: string[]): readonly string[] =>
  flatNames(paths.map(skill)).map(({ skill: { path }, name, alias }) => `${path} ${alias ? '~' : '='} ${name}`);

test('flatNames() gives each skill its own name, whatever its path', () => {
  expect(plan('acme/refunds', 'deploy')).toEqual(['acme/refunds = refunds', 'deploy = deploy']);
});

verifies(['C-25'], 'flatNames() gives a shared name to the first skill and aliases to the others', () => {
  expect(plan('acme/billing/refunds', 'acme/support/refunds', 'refunds')).toEqual([
    'acme/billing/refunds = refunds',
    'acme/support/refunds ~ acme-support-refunds',
    expect.stringMatching(/^refunds ~ refunds-[a-z0-9]{8}$/),
  ]);
});

verifies(['C-25'], 'flatNames() never takes a name that is the own name of another skill', () => {
  expect(plan('a/x', 'b/x', 'z/b-x')).toEqual([
    'a/x = x',
    expect.stringMatching(/^b\/x ~ x-[a-z0-9]{8}$/),
    'z/b-x = b-x',
  ]);
});

test('flatNames() derives an alias from the path alone', () => {
  const long = `${'l'.repeat(70)}/${'n'.repeat(64)}`;
  const first = `a/${'n'.repeat(64)}`;
  const names = flatNames([first, 'a/x', long, 'Größe/x'].map(skill));
  expect(names.map(({ name }) => isSkillName(name))).toEqual([true, true, true, true]);
  const again = flatNames(['a/x', first, 'Größe/x', long].map(skill));
  for (const {
    skill: { path },
    name,
  } of names)
    expect(again.find((other) => other.skill.path === path)?.name).toBe(name);
});

test('flatNames() gives every skill of a large catalog a unique name, also if names are invalid', () => {
  const skills = Array.from({ length: 20_000 }, (_, index) => ({ path: `Owner ${index}/x/same`, name: 'same' }));
  const invalid = ['Größe', '', '---', 'A B'].map((name, index) => ({ path: `odd/${index}`, name }));
  const names = flatNames([...skills, ...invalid]).map(({ name }) => name);
  expect(new Set(names).size).toBe(skills.length + invalid.length);
  expect(names.every((name) => isSkillName(name))).toBe(true);
});
