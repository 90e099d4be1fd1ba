/**
 * Merges entries of one index that describe the same skill: some servers list it as files and as an archive, for
 * clients to choose. Name and path decide; an archive elsewhere belongs to the only skill of its name. If two entries
 * promise different bytes for one URI, the first stays and the second is refused, because nobody knows which is right.
 */
import { quoteText } from '../../skill/display-text.ts';
import { type DialectSkill, type Retrieval, verifiedBy } from '../dialect-skill.ts';
import type { RefusedSkill } from '../skills-extension/decode-entry.ts';

export interface MergedSkills {
  readonly skills: readonly DialectSkill[];
  readonly refused: readonly RefusedSkill[];
}

export function mergeSkills(listed: readonly DialectSkill[]): MergedSkills {
  const byPlace = new Map<string, DialectSkill>();
  const refused: RefusedSkill[] = [];
  for (const skill of listed) {
    const key = placeKey(skill);
    const first = byPlace.get(key);
    const merged = first === undefined ? skill : merge(first, skill);
    if (typeof merged === 'string')
      refused.push({
        uri: skill.uri,
        name: skill.name,
        faults: [{ requirement: 'index:both-entries', message: merged }],
      });
    else byPlace.set(key, merged);
  }
  return { skills: adoptArchives(byPlace), refused };
}

function placeKey({ name, skillPath, uri }: DialectSkill): string {
  return JSON.stringify([name, uri.slice(0, uri.indexOf(':')).toLowerCase(), skillPath]);
}

/** The merged skill, or why the two cannot be merged. */
function merge(first: DialectSkill, second: DialectSkill): DialectSkill | string {
  const retrievals: Retrieval[] = [...first.retrievals];
  for (const way of second.retrievals) {
    const at = retrievals.findIndex(
      (known) => known.kind === way.kind && 'uri' in known && 'uri' in way && known.uri === way.uri,
    );
    const known = retrievals[at];
    if (known === undefined || !('uri' in known) || !('uri' in way)) {
      retrievals.push(way);
      continue;
    }
    if (known.digest !== undefined && way.digest !== undefined && known.digest !== way.digest)
      return `two entries promise different bytes for ${quoteText(way.uri)}`;
    if (known.digest === undefined) retrievals[at] = way;
  }
  // The one with more information goes first; the retrievals keep the order of the index.
  const fuller = first.frontmatter === undefined && second.frontmatter !== undefined ? second : first;
  const reads = first.retrievals.some(({ kind }) => kind === 'read') ? first : second;
  const files = Array.isArray(second.files) && !Array.isArray(first.files) ? second.files : first.files;
  const ordered = [
    ...retrievals.filter(({ kind }) => kind === 'read'),
    ...retrievals.filter(({ kind }) => kind !== 'read'),
  ];
  return { ...fuller, uri: reads.uri, files, retrievals: ordered, verified: verifiedBy(files, ordered) };
}

/** Assigns archives that are not beside their skill to the only skill of their name. */
function adoptArchives(byPlace: ReadonlyMap<string, DialectSkill>): readonly DialectSkill[] {
  const readable = new Map<string, DialectSkill | undefined>();
  const packed = new Map<string, number>();
  for (const skill of byPlace.values()) {
    if (isArchiveOnly(skill)) packed.set(skill.name, (packed.get(skill.name) ?? 0) + 1);
    else readable.set(skill.name, readable.has(skill.name) ? undefined : skill);
  }
  const results = new Map<DialectSkill, DialectSkill>();
  for (const skill of byPlace.values()) {
    const owner = isArchiveOnly(skill) && packed.get(skill.name) === 1 ? readable.get(skill.name) : undefined;
    const merged = owner === undefined ? undefined : merge(results.get(owner) ?? owner, skill);
    if (owner !== undefined && merged !== undefined && typeof merged !== 'string')
      results.set(owner, { ...merged, uri: owner.uri, skillPath: owner.skillPath });
    else results.set(skill, results.get(skill) ?? skill);
  }
  const order = [...byPlace.values()];
  return order.flatMap((skill) => results.get(skill) ?? []);
}

function isArchiveOnly({ retrievals }: DialectSkill): boolean {
  return retrievals.every(({ kind }) => kind === 'archive');
}
