/**
 * The entries of one upstream as a gateway holds them: as they came (digests, sizes, frontmatter, unknown fields), with their
 * provenance beside. An entry that came through this gateway already, or through too many, is refused (sec:X-9). So is one whose name
 * is none. What did not change stays the same object, so that nobody above writes it anew.
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { skillFileName } from '../skill/entry.ts';
import { sameJson } from '../skill/json.ts';
import { nameFault } from '../skill/name.ts';
import { decodeProvenance, originMetaKey, type Provenance, type VerifiedExtent } from '../skill/provenance.ts';
import type { SourceSkill } from '../sources/skill-source.ts';
import type { KeptSkill } from './kept-listing.ts';

export interface EntryFacts {
  readonly label: string;
  readonly kind: string;
  /** Id of the gateway that holds them. */
  readonly gateway: string;
  /** Whether they came over an authenticated connection, so that nobody else may keep them. */
  readonly isPrivate: boolean;
  readonly now: () => number;
}

/** What is known of the upstream as a whole. */
export interface EntryMarks {
  readonly dialect?: string | undefined;
  /** ISO 8601: since when it does not answer. */
  readonly stale?: string | undefined;
}

export interface EntryChange {
  readonly upserted: readonly SourceSkill[];
  readonly removed: readonly string[];
  /** Why entries are refused, one phrase each. */
  readonly refused: readonly string[];
}

interface Held {
  /** As it came. */
  readonly raw: SourceSkill;
  /** As it is shown. */
  readonly skill: SourceSkill;
  readonly since: string;
}

export interface UpstreamEntries {
  readonly size: number;
  readonly skills: readonly SourceSkill[];
  /** As they came, for the next start. */
  kept(): readonly KeptSkill[];
  /** Takes what was kept, where there is nothing yet. */
  restore(kept: readonly KeptSkill[], marks: EntryMarks): void;
  get(uri: string): SourceSkill | undefined;
  /** The innermost skill in whose folder a file lies. */
  around(uri: string): SourceSkill | undefined;
  /** Takes a whole listing. Skills that are not listed and were asked for by URI stay only if they are in it. */
  replace(skills: readonly SourceSkill[], marks: EntryMarks): EntryChange;
  /** Takes one; undefined where it is refused. */
  put(skill: SourceSkill, marks: EntryMarks): SourceSkill | undefined;
  delete(uri: string): boolean;
  /** Shows all of them with other marks. */
  mark(marks: EntryMarks): readonly SourceSkill[];
  clear(): readonly string[];
}

export function createEntries(facts: EntryFacts): UpstreamEntries {
  const { label, kind, gateway, isPrivate, now } = facts;
  let held = new Map<string, Held>();

  function shown(raw: SourceSkill, since: string, { dialect, stale }: EntryMarks): SourceSkill {
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

  function take(raw: SourceSkill, marks: EntryMarks): Held {
    const before = held.get(raw.entry.uri);
    const same = before !== undefined && sameSkill(before.raw, raw);
    const since = same ? before.since : new Date(now()).toISOString();
    const skill = shown(raw, since, marks);
    // The provenance may have changed although the skill did not.
    if (same && sameSkill(before.skill, skill)) return before;
    return { raw, skill, since };
  }

  function refusal({ entry, via: told = [] }: SourceSkill): string | undefined {
    const via = decodeProvenance(entry._meta?.[originMetaKey])?.via ?? told;
    if (via.includes(gateway)) return `${quoteText(entry.uri)} comes from this gateway itself, which would list itself`;
    if (via.length >= limits.gateway.hops)
      return `${quoteText(entry.uri)} comes through ${via.length} gateways already, which is taken for a loop`;
    return misnamed(entry);
  }

  return {
    get size() {
      return held.size;
    },
    get skills() {
      return [...held.values()].map(({ skill }) => skill);
    },
    kept: () => [...held.values()].map(({ raw, since }) => ({ skill: raw, since })),
    restore(kept, marks) {
      for (const { skill: raw, since } of kept)
        if (refusal(raw) === undefined) held.set(raw.entry.uri, { raw, skill: shown(raw, since, marks), since });
    },
    get: (uri) => held.get(uri)?.skill,
    around(uri) {
      for (let end = uri.lastIndexOf('/'); end > 0; end = uri.lastIndexOf('/', end - 1)) {
        const found = held.get(`${uri.slice(0, end)}/${skillFileName}`);
        if (found !== undefined) return found.skill;
      }
      return undefined;
    },
    replace(skills, marks) {
      const next = new Map<string, Held>();
      const refused: string[] = [];
      const upserted: SourceSkill[] = [];
      for (const raw of skills) {
        const why = refusal(raw);
        if (why !== undefined) {
          refused.push(why);
          continue;
        }
        const taken = take(raw, marks);
        if (taken !== held.get(raw.entry.uri)) upserted.push(taken.skill);
        next.set(raw.entry.uri, taken);
      }
      const removed = [...held.keys()].filter((uri) => !next.has(uri));
      held = next;
      return { upserted, removed, refused };
    },
    put(raw, marks) {
      if (refusal(raw) !== undefined) return undefined;
      const taken = take(raw, marks);
      held.set(raw.entry.uri, taken);
      return taken.skill;
    },
    delete: (uri) => held.delete(uri),
    mark(marks) {
      const changed: SourceSkill[] = [];
      for (const [uri, { raw }] of held) {
        const taken = take(raw, marks);
        if (taken === held.get(uri)) continue;
        held.set(uri, taken);
        changed.push(taken.skill);
      }
      return changed;
    },
    clear() {
      const removed = [...held.keys()];
      held = new Map();
      return removed;
    },
  };
}

function misnamed({ uri, frontmatter: { name } }: SourceSkill['entry']): string | undefined {
  const fault = nameFault(name);
  return fault === undefined ? undefined : `${quoteText(uri)} cannot be served: its name ${quoteText(name)} ${fault}`;
}

function extentOf({ entry, partial }: SourceSkill): VerifiedExtent {
  if (entry.resources !== 'dynamic' || partial?.reason === 'no-size') return 'files';
  return partial?.files.some(({ digest }) => digest !== undefined) === true ? 'some' : 'none';
}

/** Whether nothing differs but the time that is left of it. */
function sameSkill(a: SourceSkill, b: SourceSkill): boolean {
  return a === b || sameJson({ ...a, ttlMs: 0 }, { ...b, ttlMs: 0 });
}
