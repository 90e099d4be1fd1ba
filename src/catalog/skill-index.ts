/**
 * The records of a snapshot, sorted by URI and by path. An index is immutable; a derived one shares everything that does not differ. So
 * changing one skill among many costs a copy of a list.
 */
import type { SkillRecord } from './skill-record.ts';

export interface SkillIndex {
  /** All records, sorted by URI. */
  readonly skills: readonly SkillRecord[];
  /** The listed ones, sorted by URI. */
  readonly listed: readonly SkillRecord[];
  byPath(path: string): SkillRecord | undefined;
  byAlias(path: string): SkillRecord | undefined;
}

/** Changes since `base` was created; after many changes there is a new base. */
interface Layers {
  readonly base: ReadonlyMap<string, SkillRecord>;
  readonly changes: ReadonlyMap<string, SkillRecord | undefined>;
}

interface Parts {
  readonly skills: readonly SkillRecord[];
  readonly listed: readonly SkillRecord[];
  readonly paths: Layers;
  readonly aliases: ReadonlyMap<string, SkillRecord>;
}

const partsOf = new WeakMap<SkillIndex, Parts>();

/** More changes than this are not inserted one by one. */
const fewChanges = 64;

/** Creates an index of records with unique URIs. */
export function indexSkills(records: Iterable<SkillRecord>): SkillIndex {
  const skills = [...records].sort((a, b) => (a.entry.uri < b.entry.uri ? -1 : a.entry.uri > b.entry.uri ? 1 : 0));
  return toIndex({
    skills,
    listed: listedOf(skills),
    paths: { base: new Map(skills.map((skill) => [skill.path, skill])), changes: new Map() },
    aliases: aliasesOf(skills),
  });
}

/** The record with this canonical URI. */
export function recordAt({ skills }: Pick<SkillIndex, 'skills'>, uri: string): SkillRecord | undefined {
  return find(skills, uri);
}

function find(skills: readonly SkillRecord[], uri: string): SkillRecord | undefined {
  const record = skills[placeOf(skills, uri)];
  return record?.entry.uri === uri ? record : undefined;
}

/** The index after changes by URI; `undefined` for removed records. */
export function changedIndex(index: SkillIndex, changes: ReadonlyMap<string, SkillRecord | undefined>): SkillIndex {
  const parts = partsOf.get(index);
  if (parts === undefined || changes.size > fewChanges) return indexSkills(merged(index.skills, changes));
  const skills = [...parts.skills];
  const paths = new Map(parts.paths.changes);
  const listed = parts.listed === parts.skills ? undefined : [...parts.listed];
  let allListed = listed === undefined;
  let aliased = false;
  for (const [uri, after] of changes) {
    const before = find(skills, uri);
    put(skills, uri, after);
    if (listed !== undefined) put(listed, uri, after?.listed === true ? after : undefined);
    allListed &&= after?.listed !== false;
    if (before !== undefined) paths.set(before.path, undefined);
    if (after !== undefined) paths.set(after.path, after);
    aliased ||= before?.source.aliases !== undefined || after?.source.aliases !== undefined;
  }
  const much = paths.size > fewChanges + Math.sqrt(skills.length);
  return toIndex({
    skills,
    listed: allListed ? skills : (listed ?? listedOf(skills)),
    paths: much
      ? { base: new Map(skills.map((skill) => [skill.path, skill])), changes: new Map() }
      : { base: parts.paths.base, changes: paths },
    aliases: aliased ? aliasesOf(skills) : parts.aliases,
  });
}

function toIndex(parts: Parts): SkillIndex {
  const { skills, listed, paths, aliases } = parts;
  const { base, changes } = paths;
  const index: SkillIndex = {
    skills,
    listed,
    byPath: (path) => (changes.size > 0 && changes.has(path) ? changes.get(path) : base.get(path)),
    byAlias: (path) => aliases.get(path),
  };
  partsOf.set(index, parts);
  return index;
}

/** The same list if all are listed, as in most catalogs. */
function listedOf(skills: readonly SkillRecord[]): readonly SkillRecord[] {
  return skills.every(({ listed }) => listed) ? skills : skills.filter(({ listed }) => listed);
}

function aliasesOf(skills: readonly SkillRecord[]): ReadonlyMap<string, SkillRecord> {
  const aliases = new Map<string, SkillRecord>();
  for (const skill of skills)
    for (const alias of skill.source.aliases ?? []) if (!aliases.has(alias)) aliases.set(alias, skill);
  return aliases;
}

function* merged(
  skills: readonly SkillRecord[],
  changes: ReadonlyMap<string, SkillRecord | undefined>,
): Generator<SkillRecord> {
  for (const skill of skills) if (!changes.has(skill.entry.uri)) yield skill;
  for (const record of changes.values()) if (record !== undefined) yield record;
}

/** The position of the record with this URI, or where it would be. */
export function placeOf(skills: readonly SkillRecord[], uri: string): number {
  let low = 0;
  let high = skills.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((skills[middle] as SkillRecord).entry.uri < uri) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts, replaces or removes a record in a sorted list. */
function put(skills: SkillRecord[], uri: string, record: SkillRecord | undefined): void {
  const place = placeOf(skills, uri);
  const known = skills[place]?.entry.uri === uri;
  if (record === undefined) {
    if (known) skills.splice(place, 1);
  } else if (known) skills[place] = record;
  else skills.splice(place, 0, record);
}
