/** What a listing shows of a skill, under the label of its origin. Nothing in it is approved or verified. */
import type { Frontmatter, SkillEntry } from '../../skill/entry.ts';
import type { PartialManifest } from '../../sources/skill-source.ts';

/** A skill as a listing shows it, under the label of its origin. */
export interface DiscoveredSkill {
  readonly label: string;
  readonly local: boolean;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly frontmatter: Frontmatter;
  readonly entry: SkillEntry;
  readonly partial?: PartialManifest;
  /** Whether every byte can be checked against the entry. */
  readonly verifiable: boolean;
  readonly enabled: boolean;
  /** The name alone is not enough to mean this skill. */
  readonly ambiguous: boolean;
}

/** Skills that share a name, inside one listing or across origins. None of them is preferred. */
export interface Collision {
  readonly name: string;
  readonly skills: readonly { readonly label: string; readonly uri: string; readonly local: boolean }[];
}

/** The identity of a skill: the label that the host gave to its origin, and its URI. */
export interface SkillAddress {
  readonly label: string;
  readonly uri: string;
}
