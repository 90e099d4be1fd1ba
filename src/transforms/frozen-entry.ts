/** A frozen skill as it is served: its entry with what a reader should know about it, for as long as it lasts. */
import { limits } from '../limits.ts';
import { metaPrefix } from '../skill/entry.ts';
import { originMetaKey, type Provenance } from '../skill/provenance.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import type { FrozenSkill } from './frozen-skill.ts';

/** `_meta` key: when the skill was frozen, until when, and whether the live one differs. */
export const frozenMetaKey: string = `${metaPrefix}frozen`;

export function frozenSource(skill: FrozenSkill, now: number, origin?: Provenance): SourceSkill {
  const { entry, frozenAt, expiresAt, drift } = skill;
  const meta = { at: frozenAt, ...(expiresAt === undefined ? {} : { until: expiresAt }), drift: drift !== undefined };
  const left = expiresAt === undefined ? limits.freeze.ttlMs : Math.max(0, Date.parse(expiresAt) - now);
  return {
    entry: {
      ...entry,
      _meta: {
        ...entry._meta,
        ...(origin === undefined ? {} : { [originMetaKey]: origin }),
        [frozenMetaKey]: meta,
      },
    },
    listed: true,
    ttlMs: Math.min(limits.freeze.ttlMs, left),
    cacheScope: 'private',
  };
}
