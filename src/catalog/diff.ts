/** How two records of one skill, or two snapshots, differ. */
import { sameJson } from '../skill/json.ts';
import type { SkillRecord } from './skill-record.ts';

function manifest(skill: SkillRecord | undefined): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const resources = skill?.entry.resources;
  if (resources !== undefined && resources !== 'dynamic')
    for (const { uri, digest } of resources) files.set(uri, digest);
  return files;
}

/** URIs of files that only one of the two has, or that have other bytes. */
export function changedFiles(before: SkillRecord | undefined, after: SkillRecord | undefined): readonly string[] {
  const old = manifest(before);
  const now = manifest(after);
  const changed: string[] = [];
  for (const [uri, digest] of now) if (old.get(uri) !== digest) changed.push(uri);
  for (const uri of old.keys()) if (!now.has(uri)) changed.push(uri);
  return changed;
}

/** True if nothing that a surface shows differs. */
export function sameSkill(before: SkillRecord, after: SkillRecord): boolean {
  return sameJson(before.source, after.source);
}
