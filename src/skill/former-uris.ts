/**
 * Earlier addresses of a skill. A skill whose path changed still answers at its old one, as an alias. Decisions and lock files that were
 * stored under the old address are found by it.
 */
import { skillFileName } from './entry.ts';
import type { SkillSet } from './skill-set.ts';
import { buildSkillUri } from './skill-uri.ts';

/** The `SKILL.md` URIs of the aliases of a skill; `undefined` if it has none. */
export function formerUris(aliases: readonly string[] | undefined): readonly string[] | undefined {
  return aliases?.map((path) => buildSkillUri(`${path}/${skillFileName}`));
}

/** Whether a skill has this URI, now or as an earlier one. */
export function answersTo(
  skill: { readonly uri: string; readonly formerUris?: readonly string[] },
  uri: string,
): boolean {
  return skill.uri === uri || skill.formerUris?.includes(uri) === true;
}

/** The set of a skill whose `SKILL.md` moved from one URI to another. */
export function movedSet(set: SkillSet, from: string, to: string): SkillSet {
  if (from === to) return set;
  const [before, now] = [from.slice(0, -skillFileName.length), to.slice(0, -skillFileName.length)];
  return set.map(({ uri, digest }) => ({
    uri: uri.startsWith(before) ? `${now}${uri.slice(before.length)}` : uri,
    digest,
  }));
}
