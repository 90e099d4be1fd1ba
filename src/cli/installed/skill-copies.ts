/**
 * Repositories often have a skill at several paths, for example once more in each plugin. For a person who installs it, copies of one
 * origin with the same name and files are one skill. The one with the shortest path is installed. Different files are never copies.
 */
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import { contentFiles } from '../../skill/content-digest.ts';

/** The given skills in their order, without all but one copy of each. */
export function withoutCopies(skills: readonly DiscoveredSkill[]): readonly DiscoveredSkill[] {
  const best = new Map<string, DiscoveredSkill>();
  for (const skill of skills) {
    const key = keyOf(skill);
    const other = best.get(key);
    if (other === undefined || isBefore(skill.uri, other.uri)) best.set(key, skill);
  }
  const chosen = new Set(best.values());
  return skills.filter((skill) => chosen.has(skill));
}

function keyOf({ label, uri, name, entry }: DiscoveredSkill): string {
  const files = contentFiles(entry);
  // A live skill equals no other.
  return JSON.stringify(files === undefined ? [label, uri] : [label, name, [...files].sort()]);
}

function isBefore(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
