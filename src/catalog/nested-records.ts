/**
 * Consistent parts of a snapshot: a skill that contains files of a hidden one is hidden too. Its entry promises those
 * files and its archive has them, so it cannot be shown without them.
 */
import { skillFileName } from '../skill/entry.ts';
import { hasFilesIn, pathsAround } from '../skill/nested-skills.ts';
import { skillFileUri } from '../skill/skill-uri.ts';
import type { CatalogChange } from './catalog.ts';
import type { SkillRecord, Snapshot } from './snapshot.ts';

/** The visible skills that contain no hidden one. */
export function visibleRecords(
  skills: readonly SkillRecord[],
  isVisible: (skill: SkillRecord) => boolean,
): readonly SkillRecord[] {
  const shown = skills.filter(isVisible);
  if (shown.length === skills.length) return skills;
  const hidden = carriers(skills, isVisible);
  return hidden.size === 0 ? shown : shown.filter((skill) => !hidden.has(skill));
}

/** Visible skills that contain files of a hidden one, each with that one. */
export function carriers(
  skills: readonly SkillRecord[],
  isVisible: (skill: SkillRecord) => boolean,
): ReadonlyMap<SkillRecord, SkillRecord> {
  const byPath = new Map<string, SkillRecord>();
  const hidden: SkillRecord[] = [];
  for (const skill of skills) {
    if (isVisible(skill)) byPath.set(skill.path, skill);
    else hidden.push(skill);
  }
  const found = new Map<SkillRecord, SkillRecord>();
  for (const inner of hidden)
    for (const own of pathsOf(inner))
      for (const path of pathsAround(own)) {
        const outer = byPath.get(path);
        if (outer !== undefined && !found.has(outer) && hasFilesIn(outer.entry, own)) found.set(outer, inner);
      }
  return found;
}

/** All paths of a skill: an outer skill may contain its files only at an alias. */
function pathsOf({ path, source: { aliases } }: SkillRecord): readonly string[] {
  return aliases === undefined ? [path] : [path, ...aliases];
}

/** The visible part of a change; `undefined` if there is none. */
export function changeWithin(change: CatalogChange, snapshot: Snapshot, previous: Snapshot): CatalogChange | undefined {
  const concerned = new Set<string>();
  for (const uri of [...change.added, ...change.removed, ...change.changed]) {
    concerned.add(uri);
    const skill = change.snapshot.skill(uri) ?? change.previous.skill(uri);
    // A skill appears or disappears together with one inside it.
    for (const path of skill === undefined ? [] : pathsOf(skill))
      for (const outer of pathsAround(path)) {
        const around = skillAt(change.snapshot, outer) ?? skillAt(change.previous, outer);
        if (around !== undefined) concerned.add(around.entry.uri);
      }
  }
  const changes = new Set(change.changed);
  const was = (uri: string): boolean => previous.skill(uri) !== undefined;
  const is = (uri: string): boolean => snapshot.skill(uri) !== undefined;
  const added = [...concerned].filter((uri) => !was(uri) && is(uri));
  const removed = [...concerned].filter((uri) => was(uri) && !is(uri));
  const changed = [...concerned].filter((uri) => was(uri) && is(uri) && changes.has(uri));
  if (added.length + removed.length + changed.length === 0) return undefined;
  const files = new Set(change.files.filter((uri) => (snapshot.file(uri) ?? previous.file(uri)) !== undefined));
  for (const uri of added) for (const file of snapshot.skill(uri)?.files.values() ?? []) files.add(file.uri);
  for (const uri of removed) for (const file of previous.skill(uri)?.files.values() ?? []) files.add(file.uri);
  return { snapshot, previous, added, removed, changed, files: [...files].sort() };
}

function skillAt(snapshot: Snapshot, path: string): SkillRecord | undefined {
  return snapshot.skill(skillFileUri(path, skillFileName));
}
