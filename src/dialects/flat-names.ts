/**
 * One flat name for each skill of a catalogue whose paths may have any depth (C-25), for all that knows names only: the
 * index of a site, skilljack, skills-over-mcp, SEP-2076, tools and prompts. Of the skills with one name, the first by URI
 * gets it; each other one gets its path joined by hyphens, as an alias that whoever publishes must report. A name that
 * somebody has by right is never given away as an alias.
 */
import { limits } from '../limits.ts';
import { isSkillName } from '../skill/name.ts';

export interface PathAndName {
  /** Decoded path of the skill, which is unique. */
  readonly path: string;
  readonly name: string;
}

export interface FlatNames<T extends PathAndName> {
  readonly named: readonly { readonly skill: T; readonly name: string; readonly alias: boolean }[];
  /** Skills for which no name is left, each with the reason as a phrase. */
  readonly nameless: readonly { readonly skill: T; readonly fault: string }[];
}

/** Names for skills that are sorted by URI. */
export function flatNames<T extends PathAndName>(skills: readonly T[]): FlatNames<T> {
  const owners = new Map<string, T>();
  for (const skill of skills) if (isSkillName(skill.name) && !owners.has(skill.name)) owners.set(skill.name, skill);
  const named: { skill: T; name: string; alias: boolean }[] = [];
  const nameless: { skill: T; fault: string }[] = [];
  for (const skill of skills) {
    if (owners.get(skill.name) === skill) {
      named.push({ skill, name: skill.name, alias: false });
      continue;
    }
    const alias = skill.path.replaceAll('/', '-');
    if (!isSkillName(alias))
      nameless.push({
        skill,
        fault: `its name is taken, and its path does not make a name of at most ${limits.skill.nameLength} of a-z, 0-9 and single inner hyphens`,
      });
    else if (owners.has(alias)) nameless.push({ skill, fault: `its name and "${alias}" are taken` });
    else {
      owners.set(alias, skill);
      named.push({ skill, name: alias, alias: true });
    }
  }
  return { named, nameless };
}
