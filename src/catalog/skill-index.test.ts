import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedIndex, indexSkills, recordAt, type SkillIndex } from './skill-index.ts';
import { createRecord, type SkillRecord } from './skill-record.ts';

function record(name: string, version: number, listed: boolean, alias: string | undefined): SkillRecord {
  const uri = `skill://${name}/SKILL.md`;
  const entry = { uri, frontmatter: { name, description: `Version ${version}` }, resources: [] };
  return createRecord({ entry, listed, ...(alias === undefined ? {} : { aliases: [alias] }) });
}

const name = fc.constantFrom('a', 'a-b', 'a/b', 'b', 'c', 'team/a', 'team/b', 'z');
const change = fc.record({
  name,
  gone: fc.boolean(),
  version: fc.nat(),
  listed: fc.boolean(),
  alias: fc.option(fc.constantFrom('old', 'older'), { nil: undefined }),
});

function view(index: SkillIndex): unknown {
  const paths = ['a', 'a-b', 'a/b', 'b', 'c', 'team/a', 'team/b', 'z'];
  return {
    skills: index.skills,
    listed: index.listed,
    byPath: paths.map((path) => index.byPath(path)),
    byAlias: ['old', 'older'].map((path) => index.byAlias(path)),
    byUri: paths.map((path) => recordAt(index, `skill://${path}/SKILL.md`)),
  };
}

test('an updated index equals a new index of the same skills', () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }), (rounds) => {
      const all = new Map<string, SkillRecord>();
      let index = indexSkills([]);
      for (const round of rounds) {
        const before = view(index);
        const previous = index;
        const changes = new Map<string, SkillRecord | undefined>();
        for (const { name: path, gone, version, listed, alias } of round) {
          const made = gone ? undefined : record(path, version, listed, alias);
          changes.set(`skill://${path}/SKILL.md`, made);
        }
        for (const [uri, made] of changes) {
          if (made === undefined) all.delete(uri);
          else all.set(uri, made);
        }
        index = changedIndex(index, changes);
        expect(view(index)).toEqual(view(indexSkills(all.values())));
        expect(view(previous)).toEqual(before);
      }
    }),
    { numRuns: 300 },
  );
});

test('finds skills after many changes, together or one by one', () => {
  const names = Array.from({ length: 500 }, (_, at) => `skill-${String(at).padStart(3, '0')}`);
  let index = indexSkills(names.map((path) => record(path, 0, true, undefined)));
  expect(index.listed).toBe(index.skills);
  for (const [at, path] of names.entries())
    index = changedIndex(index, new Map([[`skill://${path}/SKILL.md`, record(path, at, true, undefined)]]));
  for (const [at, path] of names.entries())
    expect(index.byPath(path)?.entry.frontmatter.description).toBe(`Version ${at}`);
  const half = new Map(names.slice(250).map((path) => [`skill://${path}/SKILL.md`, undefined]));
  expect(changedIndex(index, half).skills).toHaveLength(250);
});
