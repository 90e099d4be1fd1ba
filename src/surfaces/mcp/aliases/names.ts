/** Skills of a snapshot by flat name (C-25), for dialects, tools and prompts that know no paths. */
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { flatNames } from '../../../dialects/flat-names.ts';

export interface NamedRecord {
  readonly name: string;
  readonly skill: SkillRecord;
}

export interface SkillNames {
  /** Listed skills that have a name, sorted by URI. */
  readonly named: readonly NamedRecord[];
  readonly byName: ReadonlyMap<string, SkillRecord>;
  /** What an operator should know, one sentence each without a final period. */
  readonly remarks: readonly string[];
}

const known = new WeakMap<Snapshot, SkillNames>();

export function skillNames(snapshot: Snapshot): SkillNames {
  let names = known.get(snapshot);
  if (names === undefined) {
    names = makeNames(snapshot);
    known.set(snapshot, names);
  }
  return names;
}

function makeNames({ listed }: Snapshot): SkillNames {
  const { named, nameless } = flatNames(
    listed.map((skill) => ({ skill, path: skill.path, name: skill.entry.frontmatter.name })),
  );
  const remarks = [
    ...named
      .filter(({ alias }) => alias)
      .map(({ skill, name }) => `${skill.skill.entry.uri} is called "${name}" where skills have names only`),
    ...nameless.map(
      ({ skill, fault }) => `${skill.skill.entry.uri} cannot be reached where skills have names only: ${fault}`,
    ),
  ];
  const rows = named.map(({ skill: { skill }, name }) => ({ name, skill }));
  return { named: rows, byName: new Map(rows.map(({ name, skill }) => [name, skill])), remarks };
}
