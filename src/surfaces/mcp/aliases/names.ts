/**
 * Skills of a snapshot by flat name (C-25), for dialects, tools and prompts without paths. Names depend only on the paths and names of listed
 * skills. If these do not change, `carryNamesOver()` reuses them for the next snapshot, so an edit costs the same in a catalog of any size.
 */
import type { CatalogChange } from '../../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { type FlatName, flatNames, type PathAndName } from '../../../dialects/flat-names.ts';

export interface NamedRecord {
  readonly name: string;
  readonly skill: SkillRecord;
}

export interface SkillNames {
  /** Listed skills with a name, sorted by URI. */
  readonly named: readonly NamedRecord[];
  readonly byName: ReadonlyMap<string, SkillRecord>;
  /** For the operator, without a final period: how many skills have a name of their own here. */
  readonly remark: string | undefined;
}

interface Naming {
  readonly byUri: ReadonlyMap<string, string>;
  readonly remark: string | undefined;
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
  return { byUri: new Map(named.map(({ skill, name }) => [skill.uri, name])), remark: remarkAbout(named) };
}

/** One sentence however many skills there are: a large catalog has thousands, and nothing needs to be done. */
function remarkAbout(named: readonly FlatName<PathAndName & { readonly uri: string }>[]): string | undefined {
  const renamed = named.filter(({ alias }) => alias);
  const [first] = renamed;
  if (first === undefined) return undefined;
  const example = `"${first.name}" (${first.skill.uri})`;
  return renamed.length === 1
    ? `a skill has another name for clients without paths: ${example}`
    : `${renamed.length.toLocaleString('en')} skills have other names for clients without paths, such as ${example}`;
}

function makeNames(snapshot: Snapshot): SkillNames {
  const { byUri, remark } = namingOf(snapshot);
  const named: NamedRecord[] = [];
  for (const skill of snapshot.listed) {
    const name = byUri.get(skill.entry.uri);
    if (name !== undefined) named.push({ name, skill });
  }
  return { named, byName: new Map(named.map(({ name, skill }) => [name, skill])), remark };
}
