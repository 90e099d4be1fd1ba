/**
 * The entries of one upstream: as received (digests, sizes, frontmatter, unknown fields), plus their provenance. An entry that already
 * passed through this gateway, or through too many, is refused (sec:X-9), and so is one with an invalid name. An unchanged entry stays
 * the same object, so callers need not write it again.
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { skillFileName } from '../skill/entry.ts';
import { sameJson } from '../skill/json.ts';
import { nameFault } from '../skill/name.ts';
import { pathsAround } from '../skill/nested-skills.ts';
import { decodeProvenance, originMetaKey, type Provenance, type VerifiedExtent } from '../skill/provenance.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import type { CachedSkill } from './listing-cache.ts';

export interface EntryFacts {
  readonly label: string;
  readonly kind: string;
  /** Id of this gateway. */
  readonly gateway: string;
  /** They came over an authenticated connection, so shared caches must not store them. */
  readonly isPrivate: boolean;
  readonly now: () => number;
}

/** Facts about the upstream as a whole. */
export interface EntryMarks {
  readonly dialect?: string | undefined;
  /** ISO 8601: since when it has not answered. */
  readonly stale?: string | undefined;
}

export interface UpstreamChange {
  readonly upserted: readonly SourceSkill[];
  readonly removed: readonly string[];
  /** A reason for each refused entry. */
  readonly refused: readonly string[];
}

interface CurrentEntry {
  /** As received. */
  readonly raw: SourceSkill;
  /** As served. */
  readonly skill: SourceSkill;
  readonly since: string;
}

export function createEntries(facts: EntryFacts) {
  const { label, kind, gateway, isPrivate, now } = facts;
  let current = new Map<string, CurrentEntry>();

  function present(raw: SourceSkill, since: string, { dialect, stale }: EntryMarks): SourceSkill {
    const { entry } = raw;
    const before = decodeProvenance(entry._meta?.[originMetaKey]);
    const provenance: Provenance = {
      label,
      uri: entry.uri,
      kind,
      ...(dialect === undefined ? {} : { dialect }),
      verified: extentOf(raw),
      since,
      ...(stale === undefined ? {} : { stale }),
      via: [...(before?.via ?? raw.via ?? []), gateway],
      ...(before === undefined ? {} : { from: before }),
    };
    return {
      ...raw,
      entry: { ...entry, _meta: { ...entry._meta, [originMetaKey]: provenance } },
      ...(isPrivate ? { cacheScope: 'private' } : {}),
    };
  }

  function take(raw: SourceSkill, marks: EntryMarks): CurrentEntry {
    const before = current.get(raw.entry.uri);
    const same = before !== undefined && sameSkill(before.raw, raw);
    const since = same ? before.since : new Date(now()).toISOString();
    const skill = present(raw, since, marks);
    // The provenance may differ even if the skill does not.
    if (same && sameSkill(before.skill, skill)) return before;
    return { raw, skill, since };
  }

  function refusal({ entry, via: reported = [] }: SourceSkill): string | undefined {
    const via = decodeProvenance(entry._meta?.[originMetaKey])?.via ?? reported;
    if (via.includes(gateway)) return `${quoteText(entry.uri)} comes from this gateway, so listing it would be a loop`;
    if (via.length >= limits.gateway.hops)
      return `${quoteText(entry.uri)} came through ${via.length} gateways, which looks like a loop`;
    return misnamed(entry);
  }

  return {
    get size(): number {
      return current.size;
    },
    get skills(): readonly SourceSkill[] {
      return [...current.values()].map(({ skill }) => skill);
    },
    /** As received, for the next start. */
    forCache: (): readonly CachedSkill[] => [...current.values()].map(({ raw, since }) => ({ skill: raw, since })),
    restore(cached: readonly CachedSkill[], marks: EntryMarks): void {
      for (const { skill: raw, since } of cached)
        if (refusal(raw) === undefined) current.set(raw.entry.uri, { raw, skill: present(raw, since, marks), since });
    },
    get: (uri: string): SourceSkill | undefined => current.get(uri)?.skill,
    /** The innermost skill in whose folder a file lies. */
    around(uri: string): SourceSkill | undefined {
      for (const folder of pathsAround(uri)) {
        const found = current.get(`${folder}/${skillFileName}`);
        if (found !== undefined) return found.skill;
      }
      return undefined;
    },
    /** Replaces all entries by a listing, including those that were requested by URI. */
    replace(skills: readonly SourceSkill[], marks: EntryMarks): UpstreamChange {
      const next = new Map<string, CurrentEntry>();
      const refused: string[] = [];
      const upserted: SourceSkill[] = [];
      for (const raw of skills) {
        const why = refusal(raw);
        if (why !== undefined) {
          refused.push(why);
          continue;
        }
        const entry = take(raw, marks);
        if (entry !== current.get(raw.entry.uri)) upserted.push(entry.skill);
        next.set(raw.entry.uri, entry);
      }
      const removed = [...current.keys()].filter((uri) => !next.has(uri));
      current = next;
      return { upserted, removed, refused };
    },
    /** `undefined` if the entry is refused. */
    put(raw: SourceSkill, marks: EntryMarks): SourceSkill | undefined {
      if (refusal(raw) !== undefined) return undefined;
      const entry = take(raw, marks);
      current.set(raw.entry.uri, entry);
      return entry.skill;
    },
    delete: (uri: string): boolean => current.delete(uri),
    /** Sets the marks of all entries and returns those that changed. */
    mark(marks: EntryMarks): readonly SourceSkill[] {
      const changed: SourceSkill[] = [];
      for (const [uri, { raw }] of current) {
        const entry = take(raw, marks);
        if (entry === current.get(uri)) continue;
        current.set(uri, entry);
        changed.push(entry.skill);
      }
      return changed;
    },
    clear(): readonly string[] {
      const removed = [...current.keys()];
      current = new Map();
      return removed;
    },
  };
}

export type UpstreamEntries = ReturnType<typeof createEntries>;

function misnamed({ uri, frontmatter: { name } }: SourceSkill['entry']): string | undefined {
  const fault = nameFault(name);
  return fault === undefined ? undefined : `${quoteText(uri)} cannot be served: its name ${quoteText(name)} ${fault}`;
}

function extentOf({ entry, partial }: SourceSkill): VerifiedExtent {
  if (entry.resources !== 'dynamic' || partial?.reason === 'no-size') return 'files';
  return partial?.files.some(({ digest }) => digest !== undefined) === true ? 'some' : 'none';
}

/** Whether two skills differ in nothing but the TTL. */
function sameSkill(a: SourceSkill, b: SourceSkill): boolean {
  return a === b || sameJson({ ...a, ttlMs: 0 }, { ...b, ttlMs: 0 });
}
