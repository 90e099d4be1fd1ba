/**
 * Skills of a snapshot by flat name (C-25), for dialects, tools and prompts without paths. Names depend only on the paths and names of listed
 * skills. If these do not change, `carryNamesOver()` reuses them for the next snapshot, so an edit costs the same in a catalog of any size.
 */
import type { CatalogChange } from '../../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { flatNames } from '../../../dialects/flat-names.ts';

export interface NamedRecord {
  readonly name: string;
  readonly skill: SkillRecord;
}

export interface SkillNames {
  /** Listed skills with a name, sorted by URI. */
  readonly named: readonly NamedRecord[];
  readonly byName: ReadonlyMap<string, SkillRecord>;
  /** Remarks for the operator, one sentence each without a final period. */
  readonly remarks: readonly string[];
}

interface Naming {
  readonly byUri: ReadonlyMap<string, string>;
  readonly remarks: readonly string[];
}

const known = new WeakMap<Snapshot, SkillNames>();
const namings = new WeakMap<Snapshot, Naming>();

export function skillNames(snapshot: Snapshot): SkillNames {
  let names = known.get(snapshot);
  if (names === undefined) {
    names = makeNames(snapshot);
    known.set(snapshot, names);
  }
  return names;
}

/** The name of a listed skill that has one. */
export function nameOf(snapshot: Snapshot, uri: string): string | undefined {
  return namingOf(snapshot).byUri.get(uri);
}

/** Reuses the names of the previous snapshot if the change renames no skill. */
export function carryNamesOver({ previous, snapshot, added, removed, changed }: CatalogChange): void {
  const naming = namings.get(previous);
  if (naming === undefined || added.length + removed.length > 0) return;
  const same = (uri: string): boolean => {
    const [before, after] = [previous.skill(uri), snapshot.skill(uri)];
    return (
      before?.entry.frontmatter.name === after?.entry.frontmatter.name && before?.source.listed === after?.source.listed
    );
  };
  if (changed.every(same)) namings.set(snapshot, naming);
}

function namingOf(snapshot: Snapshot): Naming {
  let naming = namings.get(snapshot);
  if (naming === undefined) {
    naming = makeNaming(snapshot);
    namings.set(snapshot, naming);
  }
  return naming;
}

function makeNaming({ listed }: Snapshot): Naming {
  const named = flatNames(listed.map(({ path, entry }) => ({ uri: entry.uri, path, name: entry.frontmatter.name })));
  const remarks = named
    .filter(({ alias }) => alias)
    .map(({ skill, name }) => `${skill.uri} is named "${name}" in dialects without paths`);
  return { byUri: new Map(named.map(({ skill, name }) => [skill.uri, name])), remarks };
}

function makeNames(snapshot: Snapshot): SkillNames {
  const { byUri, remarks } = namingOf(snapshot);
  const named: NamedRecord[] = [];
  for (const skill of snapshot.listed) {
    const name = byUri.get(skill.entry.uri);
    if (name !== undefined) named.push({ name, skill });
  }
  return { named, byName: new Map(named.map(({ name, skill }) => [name, skill])), remarks };
}
