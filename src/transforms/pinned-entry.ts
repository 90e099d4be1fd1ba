/** A pinned skill as it is served: its entry with what a reader should know about it, for as long as it lasts. */
import { limits } from '../limits.ts';
import { metaPrefix } from '../project.ts';
import { originMetaKey, type Provenance } from '../skill/provenance.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import type { PinnedSkill } from './pinned-skill.ts';

/** `_meta` key: when the skill was pinned, until when, and whether the live one differs. */
export const pinnedMetaKey: string = `${metaPrefix}pinned`;

export function pinnedSource(skill: PinnedSkill, now: number, origin?: Provenance): SourceSkill {
  const { entry, pinnedAt, expiresAt, drift } = skill;
  const meta = { at: pinnedAt, ...(expiresAt === undefined ? {} : { until: expiresAt }), drift: drift !== undefined };
  const left = expiresAt === undefined ? limits.pin.ttlMs : Math.max(0, Date.parse(expiresAt) - now);
  return {
    entry: {
      ...entry,
      _meta: { ...entry._meta, ...(origin === undefined ? {} : { [originMetaKey]: origin }), [pinnedMetaKey]: meta },
    },
    listed: true,
    ttlMs: Math.min(limits.pin.ttlMs, left),
    cacheScope: 'private',
  };
}
