/**
 * All skills of a catalog at one moment, immutable. Listing, entries, directories and file digests come from one
 * snapshot, so no two surfaces disagree. A new snapshot shares every unchanged record with the previous one.
 *
 * Lookups are by decoded path ("acme/billing/refunds/templates/a b.md") among published paths, and never join foreign text to a folder. A
 * path that is not in the snapshot does not exist.
 */
import { createBoundedCache } from '../async/bounded-cache.ts';
import { limits } from '../limits.ts';
import { skillFileName } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import { fileMediaType } from '../skill/media-type.ts';
import { movedEntry } from '../skill/nested-skills.ts';
import { skillFileUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import { skillDirectory, skillsBelow } from './directories.ts';
import type { ListingMode } from './offered-skills.ts';
import { indexSkills, type SkillIndex } from './skill-index.ts';
import { type CatalogChild, createRecord, type FileRecord, type SkillRecord } from './skill-record.ts';

export { type CatalogChild as DirectoryChild, type FileRecord, namesFiles, type SkillRecord } from './skill-record.ts';

/** All skills of a catalog at one moment; immutable. */
export interface Snapshot {
  /** Number of earlier snapshots of the catalog. @internal */
  readonly generation: number;
  /** All skills, sorted by URI. */
  readonly skills: readonly SkillRecord[];
  /** The listed ones, sorted by URI. */
  readonly listed: readonly SkillRecord[];
  /** Which of them `skills/list` shows by default: see `offeredSkills()`. */
  readonly listing: ListingMode;
  readonly findings: readonly Finding[];
  /** The skill with this `SKILL.md` URI in any equivalent spelling, not counting aliases. */
  skill(uri: string): SkillRecord | undefined;
  /**
   * The skill with this `SKILL.md` URI as an alias that ends with its name, with its URIs there. `undefined` unless
   * every file is available there.
   */
  aliased(uri: string): SkillRecord | undefined;
  /** The file with this URI in any equivalent spelling, also below an alias of a skill. */
  file(uri: string): FileRecord | undefined;
  /**
   * Direct children of a directory, sorted by URI; `undefined` if the URI is not a directory. A trailing slash is
   * accepted.
   */
  directory(uri: string): readonly CatalogChild[] | undefined;
}

const indexes = new WeakMap<Snapshot, SkillIndex>();

/** The index of a snapshot, to derive another one. */
export function indexOf(snapshot: Snapshot): SkillIndex {
  return indexes.get(snapshot) ?? indexSkills(snapshot.skills);
}

export function snapshotOf(
  generation: number,
  index: SkillIndex,
  findings: readonly Finding[],
  listing: ListingMode,
): Snapshot {
  const { skills, listed } = index;
  const known = createBoundedCache<string, SkillRecord>(limits.cache.foundUris);
  const files = createBoundedCache<string, FileRecord>(limits.cache.foundUris);

  /** Skills whose folder contains a path, innermost first; own paths before aliases. */
  function* around(segments: readonly string[]): Generator<{ skill: SkillRecord; base: string; below: string }> {
    for (const find of [index.byPath, index.byAlias])
      for (let depth = segments.length; depth > 0; depth--) {
        const base = segments.slice(0, depth).join('/');
        const skill = find(base);
        if (skill !== undefined) yield { skill, base, below: segments.slice(depth).join('/') };
      }
  }

  function fileAt(uri: string): FileRecord | undefined {
    const found = files.get(uri);
    if (found !== undefined) return found;
    const parsed = tryParseSkillUri(uri);
    if (parsed === undefined || parsed.trailingSlash) return undefined;
    for (const { skill, below } of around(parsed.segments)) {
      if (below === '') continue;
      const known = skill.files.get(below);
      if (known !== undefined) {
        files.put(uri, known, 1);
        return known;
      }
      // Only the source knows the other files of a dynamic skill, and has them at its own path.
      if (skill.entry.resources === 'dynamic')
        return { skill, path: below, uri: skillFileUri(skill.path, below), mediaType: fileMediaType(below) };
    }
    return undefined;
  }

  const snapshot: Snapshot = {
    generation,
    skills,
    listed,
    listing,
    findings,
    skill(uri) {
      const found = known.get(uri);
      if (found !== undefined) return found;
      const path = skillPathOf(uri);
      const skill = path === undefined ? undefined : index.byPath(path);
      if (skill !== undefined) known.put(uri, skill, 1);
      return skill;
    },
    aliased(uri) {
      const path = skillPathOf(uri);
      const skill = path === undefined || index.byPath(path) !== undefined ? undefined : index.byAlias(path);
      if (path === undefined || skill === undefined || skill.entry.resources === 'dynamic') return undefined;
      if (path.slice(path.lastIndexOf('/') + 1) !== skill.entry.frontmatter.name) return undefined;
      const record = createRecord({ ...skill.source, entry: movedEntry(skill.entry, skill.path, path), listed: false });
      const isRead = ({ uri: at, path: below }: FileRecord): boolean => fileAt(at) === skill.files.get(below);
      return [...record.files.values()].every(isRead) ? record : undefined;
    },
    file: fileAt,
    directory(uri) {
      const parsed = tryParseSkillUri(uri);
      if (parsed === undefined) return undefined;
      for (const { skill, base, below } of around(parsed.segments)) {
        const children = skillDirectory(skill, base, below);
        if (children !== undefined) return children;
      }
      return skillsBelow(listed, parsed.path);
    },
  };
  indexes.set(snapshot, index);
  return snapshot;
}

/** The decoded path of the skill with this `SKILL.md` URI. */
function skillPathOf(uri: string): string | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined || parsed.trailingSlash || parsed.segments.at(-1) !== skillFileName) return undefined;
  return parsed.segments.slice(0, -1).join('/');
}
