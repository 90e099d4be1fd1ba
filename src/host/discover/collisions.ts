/**
 * Skills that share a name, inside one listing or across origins, folders of the user included (SEP-2640: they are shown and told
 * apart, never resolved silently, H-12 to H-16). Names count as shared where they differ in case or Unicode form only.
 */
import { foldName } from '../../skill/file-path.ts';
import type { Collision } from './discovered-skill.ts';

export interface NamedSkill {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
  readonly local: boolean;
}

/** In the order of the names; the skills of each in the order given. One skill that is listed twice is no collision. */
export function findCollisions(skills: readonly NamedSkill[]): readonly Collision[] {
  const groups = new Map<string, Map<string, NamedSkill>>();
  for (const skill of skills) {
    const name = foldName(skill.name);
    const group = groups.get(name) ?? new Map<string, NamedSkill>();
    const identity = JSON.stringify([skill.label, skill.uri]);
    if (!group.has(identity)) group.set(identity, skill);
    groups.set(name, group);
  }
  return [...groups]
    .filter(([, group]) => group.size > 1)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => ({
      name,
      skills: [...group.values()].map(({ label, uri, local }) => ({ label, uri, local })),
    }));
}
