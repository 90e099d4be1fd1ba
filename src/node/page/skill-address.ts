/**
 * Under which name decisions about a skill are kept: the label of its origin, and the URI and files as the origin has them. Hosts that
 * read the origin, `skillwire approve` and servers with a policy use the same one, so a decision of one counts for all of them. Where
 * a skill is served under another URI than its origin gives it, everything is translated here.
 */
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { executableMetaKey, type SkillEntry, skillFileName } from '../../skill/entry.ts';
import type { PageOrigins } from '../../surfaces/page/page-ports.ts';

export interface AddressedSkill {
  readonly label: string;
  /** As the origin has it. */
  readonly entry: SkillEntry;
}

export type AddressOf = (skill: SkillRecord) => AddressedSkill;

/** @param live what an origin says now, to the letter, where that is known */
export function addresses(
  origins: Pick<PageOrigins, 'labelOf' | 'uriOf'>,
  live: (label: string, uri: string) => SkillEntry | undefined = () => undefined,
): AddressOf {
  const known = new WeakMap<SkillRecord, AddressedSkill>();
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
