/**
 * Assigns one flat name to each skill of a catalog with paths of any depth (C-25). Some formats have only names: the
 * site index, skilljack, skills-over-mcp, SEP-2076, tools and prompts. Among skills with one name, the first by URI
 * gets it. Each other one gets an alias that the publisher must report: its path joined by hyphens. If that is taken,
 * the alias is its name with a suffix derived from its path. Aliases do not change when the skill changes. An alias is
 * never another skill's name, and every skill gets a name.
 */
import { limits } from '../limits.ts';
import { isSkillName, suggestName } from '../skill/name.ts';

export interface PathAndName {
  /** Decoded path of the skill, which is unique. */
  readonly path: string;
  readonly name: string;
}

export interface FlatName<T extends PathAndName> {
  readonly skill: T;
  readonly name: string;
  readonly alias: boolean;
}

/** Names for skills sorted by URI. */
export function flatNames<T extends PathAndName>(skills: readonly T[]): readonly FlatName<T>[] {
  const owners = new Map<string, T>();
  for (const skill of skills) if (isSkillName(skill.name) && !owners.has(skill.name)) owners.set(skill.name, skill);
  return skills.map((skill) => {
    if (owners.get(skill.name) === skill) return { skill, name: skill.name, alias: false };
    const joined = skill.path.replaceAll('/', '-');
    const name = isSkillName(joined) && !owners.has(joined) ? joined : suffixed(skill, owners);
    owners.set(name, skill);
    return { skill, name, alias: true };
  });
}

const suffixLength = 8;

function suffixed({ path, name }: PathAndName, owners: ReadonlyMap<string, unknown>): string {
  const room = limits.skill.nameLength - suffixLength - 1;
  const stem = (suggestName(name) ?? 'skill').slice(0, room).replace(/-$/, '');
  // Two paths can have the same suffix, by chance or on purpose; then the next one is tried.
  for (let turn = 0; ; turn++) {
    const made = `${stem}-${suffixOf(path, turn)}`;
    if (!owners.has(made)) return made;
  }
}

/** A stable short suffix. Collisions are rare and harmless. */
function suffixOf(text: string, turn: number): string {
  let high = 0x9e3779b9 ^ turn;
  let low = 0x85ebca6b ^ turn;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x5bd1e995);
    low ^= low >>> 15;
    high ^= high >>> 13;
  }
  const digits = (value: number): string => (value >>> 0).toString(36).padStart(7, '0');
  return `${digits(high).slice(-suffixLength / 2)}${digits(low).slice(-suffixLength / 2)}`;
}
