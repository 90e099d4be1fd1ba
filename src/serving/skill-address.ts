/**
 * The address under which decisions about a skill are stored: the label of its origin, with the origin's URI and files.
 *
 * Readers of the origin, `skillwire approve` and servers use the same address, so a decision of one counts for all. If
 * a skill is served at another URI than at its origin, this file translates between them.
 */
import { executableMetaKey, type SkillEntry, skillFileName } from '../skill/entry.ts';

export interface AddressedSkill {
  readonly label: string;
  /** The URI at the origin. */
  readonly entry: SkillEntry;
}

/** A skill at the URI where it is served. */
interface ServedSkill {
  readonly entry: SkillEntry;
}

export interface OriginNames<Skill extends ServedSkill> {
  labelOf(skill: Skill): string;
  /** The skill's URI at its origin. Default: the URI at which it is served. */
  uriOf?(skill: Skill): string;
}

export type AddressOf<Skill extends ServedSkill> = (skill: Skill) => AddressedSkill;

/** @param live the exact current entry of the origin, if known */
export function addresses<Skill extends ServedSkill>(
  origins: OriginNames<Skill>,
  live: (label: string, uri: string) => SkillEntry | undefined = () => undefined,
): AddressOf<Skill> {
  const known = new WeakMap<Skill, AddressedSkill>();
  return (skill) => {
    const before = known.get(skill);
    if (before !== undefined) return before;
    const label = origins.labelOf(skill);
    const moved = movedEntry(skill.entry, origins.uriOf?.(skill) ?? skill.entry.uri);
    const original = live(label, moved.uri);
    const address = { label, entry: original !== undefined && sameBytes(original, moved) ? original : moved };
    known.set(skill, address);
    return address;
  };
}

/** The same skill at another URI. */
export function movedEntry(entry: SkillEntry, uri: string): SkillEntry {
  if (entry.uri === uri) return entry;
  const [from, to] = [entry.uri, uri].map((text) => text.slice(0, -skillFileName.length)) as [string, string];
  const moved = (file: string): string => (file.startsWith(from) ? `${to}${file.slice(from.length)}` : file);
  const executable = entry._meta?.[executableMetaKey];
  return {
    ...entry,
    uri,
    resources:
      entry.resources === 'dynamic' ? 'dynamic' : entry.resources.map((file) => ({ ...file, uri: moved(file.uri) })),
    ...(Array.isArray(executable)
      ? { _meta: { ...entry._meta, [executableMetaKey]: executable.map((file) => moved(String(file))) } }
      : {}),
  };
}

function sameBytes(a: SkillEntry, b: SkillEntry): boolean {
  const digests = ({ resources }: SkillEntry): string =>
    resources === 'dynamic'
      ? 'dynamic'
      : resources
          .map(({ digest }) => digest)
          .sort()
          .join();
  return digests(a) === digests(b);
}
