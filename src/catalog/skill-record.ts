/** A skill and its files in a snapshot: the entry of the source, and what lookups need. */
import { type SkillEntry, type SkillResource, skillFileName } from '../skill/entry.ts';
import { fileMediaType } from '../skill/media-type.ts';
import { parseSkillUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import type { SourceSkill } from '../sources/skill-source.ts';

/** One skill in a snapshot. */
export interface SkillRecord {
  /** Decoded path of the skill: its URI without scheme and `/SKILL.md`. */
  readonly path: string;
  readonly entry: SkillEntry;
  readonly source: SourceSkill;
  readonly listed: boolean;
  /**
   * Files by decoded path inside the skill. A dynamic skill has `SKILL.md` and the files that its origin names: see
   * `namesFiles()`.
   */
  readonly files: ReadonlyMap<string, FileRecord>;
}

/** One file of a skill. `resource` is absent if the skill is dynamic. */
export interface FileRecord {
  readonly skill: SkillRecord;
  /** Decoded path inside the skill. */
  readonly path: string;
  readonly uri: string;
  readonly mediaType: string;
  /** If the entry or its origin has it. */
  readonly size?: number | undefined;
  readonly resource?: SkillResource;
}

/** A child of a directory. */
export interface CatalogChild {
  readonly uri: string;
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly mediaType: string;
  readonly size?: number;
}

export function createRecord(source: SourceSkill): SkillRecord {
  return new LazyRecord(source);
}

/** Indexes its files on first use. A class, because an object with its own getter takes 400 bytes more. */
class LazyRecord implements SkillRecord {
  readonly path: string;
  readonly entry: SkillEntry;
  readonly source: SourceSkill;
  readonly listed: boolean;
  private indexed: ReadonlyMap<string, FileRecord> | undefined;

  constructor(source: SourceSkill) {
    const { entry, listed } = source;
    this.path = parseSkillUri(entry.uri).path.slice(0, -skillFileName.length - 1);
    this.entry = entry;
    this.source = source;
    this.listed = listed;
    this.indexed = undefined;
  }

  get files(): ReadonlyMap<string, FileRecord> {
    this.indexed ??= indexFiles(this);
    return this.indexed;
  }
}

function indexFiles(skill: SkillRecord): ReadonlyMap<string, FileRecord> {
  const { entry, source } = skill;
  const files = new Map<string, FileRecord>();
  const depth = skill.path.split('/').length;
  const mediaType = (path: string, uri: string): string => fileMediaType(path, source.mediaTypes?.[uri]);
  if (entry.resources !== 'dynamic') {
    for (const resource of entry.resources) {
      const { uri, size } = resource;
      const path = parseSkillUri(uri).segments.slice(depth).join('/');
      files.set(path, { skill, path, uri, mediaType: mediaType(path, uri), size, resource });
    }
    return files;
  }
  files.set(skillFileName, { skill, path: skillFileName, uri: entry.uri, mediaType: 'text/markdown' });
  for (const { uri, size } of source.partial?.files ?? []) {
    const segments = tryParseSkillUri(uri)?.segments ?? [];
    const path = segments.slice(depth).join('/');
    if (path === '' || path === skillFileName || segments.slice(0, depth).join('/') !== skill.path) continue;
    files.set(path, { skill, path, uri, mediaType: mediaType(path, uri), size });
  }
  return files;
}

/** True if the record has all files of the skill. If the origin names none of them, they cannot be listed. */
export function namesFiles({ entry, source, files }: SkillRecord): boolean {
  if (entry.resources !== 'dynamic' || files.size > 1) return true;
  return source.partial !== undefined && source.partial.more !== true;
}
