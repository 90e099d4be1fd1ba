import type { Frontmatter, SkillEntry } from '../../skill/entry.ts';
import { foldName } from '../../skill/file-path.ts';
import type { PartialManifest } from '../../sources/skill-source.ts';

/** A listed skill, under the label of its origin. Nothing in it is approved or verified. */
export interface DiscoveredSkill extends SkillAddress {
  readonly local: boolean;
  readonly name: string;
  readonly description: string;
  readonly frontmatter: Frontmatter;
  readonly entry: SkillEntry;
  readonly partial?: PartialManifest;
  /** Every byte can be checked against the entry. */
  readonly verifiable: boolean;
  readonly enabled: boolean;
  /** It is in a folder of an agent, which servers publish only on request. */
  readonly inAgentFolder?: true;
  /** The name alone does not identify this skill. */
  readonly ambiguous: boolean;
}

/** Skills that share a name, inside one listing or across origins. None is preferred. */
export interface Collision {
  readonly name: string;
  readonly skills: readonly { readonly label: string; readonly uri: string; readonly local: boolean }[];
}

/** The identity of a skill: the label of its origin, and its URI. */
export interface SkillAddress {
  readonly label: string;
  readonly uri: string;
  /** Earlier URIs of the skill. Decisions about these count for it. */
  readonly formerUris?: readonly string[];
}

export interface NamedSkill {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
  readonly local: boolean;
}

/**
 * Finds skills that share a name, inside one listing or across origins, including local folders. They are shown and distinguished, never
 * resolved silently (SEP-2640, H-12 to H-16). Names that differ only by case or Unicode form count as shared. The result is sorted by name;
 * the skills of each keep the given order. A skill listed twice is not a collision.
 */
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
