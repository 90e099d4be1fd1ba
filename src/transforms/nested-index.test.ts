/** A nested skill is served on its own and is still part of the outer one, whose entry has its files. */
import { expect, onTestFinished, test } from 'vitest';
import { skill, temporary } from '../../test/skill-folders.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { visibleRecords } from '../catalog/nested-records.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource, SourceSkill } from '../sources/skill-source.ts';
import { selected } from './selected.ts';
import { createStandings } from './serving-standings.ts';

const inner = 'skill://outer~b/x/SKILL.md';
const outer = 'skill://outer/SKILL.md';

async function nested(): Promise<SkillSource> {
  const folder = await temporary({
    outer: { 'SKILL.md': skill('outer'), b: { 'SKILL.md': skill('x') } },
    plain: { 'SKILL.md': skill('plain') },
  });
  const source = directorySource(folder, { watch: false, cache: false });
  onTestFinished(() => source.close?.());
  return source;
}

async function listed(source: SkillSource): Promise<readonly SourceSkill[]> {
  const found: SourceSkill[] = [];
  for await (const { skills } of source.list({})) found.push(...skills);
  return found;
}

test('a skill that contains one that is left out is left out', async () => {
  const { skills } = await createCatalog(await nested()).snapshot();
  const seen = visibleRecords(skills, ({ entry }) => entry.uri !== inner);
  expect(seen.map(({ path }) => path)).toEqual(['plain']);
});

test('a skill that contains a denied one is not served, and is served again with it', async () => {
  const skills = await listed(await nested());
  const standings = createStandings();
  const served = skills.map((one) => [one.entry.uri, { skill: one, served: { skill: one, approved: false } }] as const);
  standings.settle(new Map(served));
  expect(standings.allServed()).toHaveLength(3);
  const denied = skills.filter(({ entry }) => entry.uri === inner);
  standings.settle(new Map(denied.map((one) => [inner, { skill: one }])));
  expect(standings.allServed().map(({ entry }) => entry.uri)).toEqual(['skill://plain/SKILL.md']);
  expect(standings.whyUnserved(outer)?.reason).toContain(inner);
  standings.settle(new Map(served.filter(([uri]) => uri === inner)));
  expect(standings.allServed()).toHaveLength(3);
});

test.each([
  ['its own path', { exclude: ['outer~b'] }, ['skill://plain/SKILL.md']],
  ['the path of its folder', { exclude: ['outer/b'] }, ['skill://plain/SKILL.md']],
  ['the path of the skill around it', { include: ['outer'] }, [outer, inner]],
] as const)('patterns mean a skill by %s', async (_, selection, expected) => {
  const source = selected(await nested(), selection);
  expect((await listed(source)).map(({ entry }) => entry.uri).sort()).toEqual(expected);
  expect((await source.get(inner, {}))?.entry.uri).toBe(expected.find((uri) => uri === inner));
});
