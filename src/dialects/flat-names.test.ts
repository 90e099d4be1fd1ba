import { expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { flatNames } from './flat-names.ts';

const skill = (path: string): { path: string; name: string } => ({ path, name: path.slice(path.lastIndexOf('/') + 1) });
const plan = (...paths: string[]): unknown => {
  const { named, nameless } = flatNames(paths.map(skill));
  return {
    named: named.map(({ skill: { path }, name, alias }) => `${path} ${alias ? '~' : '='} ${name}`),
    nameless: nameless.map(({ skill: { path }, fault }) => `${path}: ${fault}`),
  };
};

test('flatNames() gives each skill its name, whatever its path is', () => {
  expect(plan('acme/refunds', 'deploy')).toEqual({
    named: ['acme/refunds = refunds', 'deploy = deploy'],
    nameless: [],
  });
});

verifies(['C-25'], 'flatNames() gives a name to the first and paths as aliases to the others', () => {
  expect(plan('acme/billing/refunds', 'acme/support/refunds', 'refunds')).toEqual({
    named: ['acme/billing/refunds = refunds', 'acme/support/refunds ~ acme-support-refunds'],
    nameless: ['refunds: its name and "refunds" are taken'],
  });
});

verifies(['C-25'], 'flatNames() never gives away a name that somebody has by right', () => {
  expect(plan('a/x', 'b/x', 'z/b-x')).toEqual({
    named: ['a/x = x', 'z/b-x = b-x'],
    nameless: ['b/x: its name and "b-x" are taken'],
  });
});

test('flatNames() has no alias for a path that makes no name', () => {
  const { nameless } = flatNames(['a/x', 'Größe/x', `${'l'.repeat(70)}/x`].map(skill));
  expect(nameless.map(({ skill: { path }, fault }) => [path, /does not make a name/.test(fault)])).toEqual([
    ['Größe/x', true],
    [`${'l'.repeat(70)}/x`, true],
  ]);
});

test('flatNames() never names a skill by a name that breaks the rules', () => {
  expect(flatNames([{ path: 'Größe', name: 'Größe' }]).named).toEqual([]);
});
