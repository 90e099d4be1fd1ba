import { expect, test } from 'vitest';
import { noGrants } from '../store/decisions/approval.ts';
import { type PlannedVersion, planDigest } from './approval-plan.ts';

const digest = (character: string): string => `sha256:${character.repeat(64)}`;
const version = (label: string, name: string, set: string): PlannedVersion => ({
  label,
  uri: `skill://${name}/SKILL.md`,
  setDigest: digest(set),
});
const [a, b] = [version('docs', 'a', '1'), version('docs', 'b', '2')];

test('a plan has the same digest in any order, and with a skill named twice', async () => {
  const plan = await planDigest([a, b], noGrants);
  expect(plan).toBe('sha256:68524a2ac40cd995d916c0a5a29d04bc78e6b039ff9a4d6460162d7e36933f2c');
  expect(await planDigest([b, a], noGrants)).toBe(plan);
  expect(await planDigest([b, a, b], noGrants)).toBe(plan);
});

test.each([
  ['fewer skills', [a], noGrants],
  ['another version', [a, version('docs', 'b', '3')], noGrants],
  ['another skill', [a, version('docs', 'c', '2')], noGrants],
  ['another origin', [a, version('team', 'b', '2')], noGrants],
  ['execution', [a, b], { ...noGrants, execution: true }],
  ['tools', [a, b], { ...noGrants, allowedTools: true }],
])('a plan with %s has another digest', async (_, versions, grants) => {
  expect(await planDigest(versions, grants)).not.toBe(await planDigest([a, b], noGrants));
});

test('texts cannot be moved between fields and lines', async () => {
  const plain = { label: 'x', uri: 'y', setDigest: 'z' };
  for (const other of [
    { label: 'x","y', uri: '', setDigest: 'z' },
    { label: 'x', uri: 'y\n', setDigest: 'z' },
    { label: 'x', uri: 'y","z', setDigest: '' },
  ])
    expect(await planDigest([other], noGrants)).not.toBe(await planDigest([plain], noGrants));
});
