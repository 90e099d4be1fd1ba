/**
 * An approved skill as it is served. Nothing of it leaves that nobody approved: files, frontmatter and `_meta` are those of the
 * approval, and what an origin can change afterwards (media types, empty folders, what it says of its own origins) stays behind.
 */

import { metaPrefix } from '../project.ts';
import type { ApprovedSkill } from '../serving/origin-decisions.ts';
import { executableMetaKey, type SkillEntry } from '../skill/entry.ts';
import { decodeProvenance, originMetaKey } from '../skill/provenance.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import { pinnedMetaKey } from './pinned-entry.ts';

/** `_meta` key: when the skill was approved, and whether its origin has another version by now. */
const approvedMetaKey: string = `${metaPrefix}approved`;

/** @param same whether the live skill has the approved files */
export function approvedSource(live: SourceSkill, { entry, at }: ApprovedSkill, same: boolean): SourceSkill {
  const { uri, frontmatter, resources } = entry;
  const { listed, aliases, ttlMs, cacheScope, atHand, madeFrom } = live;
  const _meta = { ...approvedMeta(entry), ...ownMeta(live.entry), [approvedMetaKey]: { at, current: same } };
  return {
    entry: { uri, frontmatter, resources, _meta },
    listed,
    // Paths under which the same files are read; nobody is told of them.
    ...(aliases === undefined || !same ? {} : { aliases }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(cacheScope === undefined ? {} : { cacheScope }),
    ...(atHand === undefined || !same ? {} : { atHand }),
    ...(madeFrom === undefined || !same ? {} : { madeFrom }),
  };
}

/** What the approver has seen; of keys that are ours only the one that an origin fills in. */
function approvedMeta({ _meta = {} }: SkillEntry): Readonly<Record<string, unknown>> {
  const seen = Object.entries(_meta).filter(([key]) => !key.startsWith(metaPrefix) || key === executableMetaKey);
  return Object.fromEntries(seen);
}

/** What this server says of the skill now. */
function ownMeta({ _meta = {} }: SkillEntry): Readonly<Record<string, unknown>> {
  const provenance = decodeProvenance(_meta[originMetaKey]);
  const { from: _, ...origin } = provenance ?? {};
  return {
    ...(provenance === undefined ? {} : { [originMetaKey]: origin }),
    ...(_meta[pinnedMetaKey] === undefined ? {} : { [pinnedMetaKey]: _meta[pinnedMetaKey] }),
  };
}

/** Whether two entries have the same files with the same digests. */
export function sameFiles(a: SkillEntry | undefined, b: SkillEntry | undefined): boolean {
  if (a === undefined || b === undefined || a.resources === 'dynamic' || b.resources === 'dynamic') return false;
  if (a.resources.length !== b.resources.length) return false;
  const digests = new Map(b.resources.map(({ uri, digest }) => [uri, digest]));
  return a.resources.every(({ uri, digest }) => digests.get(uri) === digest);
}

/** Whether an outer entry has exactly the files of an inner one that both name. */
export function sameWhereBoth(outer: SkillEntry, inner: SkillEntry): boolean {
  if (outer.resources === 'dynamic' || inner.resources === 'dynamic') return true;
  const digests = new Map(outer.resources.map(({ uri, digest }) => [uri, digest]));
  return inner.resources.every(({ uri, digest }) => (digests.get(uri) ?? digest) === digest);
}
