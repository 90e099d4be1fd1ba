/**
 * The archives of skills with several files. Each is made from the bytes that the snapshot names and from no others, once per
 * version of a skill; since the same files always give the same archive, what had to make room is simply made again.
 *
 * Archives and single files that were handed out are kept by digest as long as there is room, also after their skill has
 * changed: a reader that holds the index of a moment ago finds what it names.
 */
import type { ArchiveFile, ArchiveFormat } from '../../archive/archive-file.ts';
import { packArchiveInTurns } from '../../archive/pack.ts';
import { createBoundedCache } from '../../async/bounded-cache.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { executableMetaKey } from '../../skill/entry.ts';

export interface ArchiveFacts {
  readonly digest: string;
  readonly size: number;
}

export interface ArtifactOptions {
  readonly format: ArchiveFormat;
  readonly digest: (bytes: Uint8Array) => string | Promise<string>;
  /** Bytes of archives and files that are kept. */
  readonly keptBytes?: number;
}

export interface Artifacts {
  /** Digest and size of the archive of a skill; undefined where the skill has changed since the snapshot. */
  facts(skill: SkillRecord): Promise<ArchiveFacts | undefined>;
  /** The archive of a skill; undefined where the skill has changed since the snapshot. */
  archive(skill: SkillRecord): Promise<Uint8Array | undefined>;
  /** Makes the archive of a skill from all its files. @throws SkillwireError ARCHIVE_* where that is not possible */
  pack(skill: SkillRecord, files: readonly ArchiveFile[]): Promise<Uint8Array>;
  /** Spares making an archive that was made before, of the same files. */
  remember(skill: SkillRecord, facts: ArchiveFacts): void;
  /** What was handed out under a digest, if it is still there. */
  kept(digest: string): Uint8Array | undefined;
  keep(digest: string, bytes: Uint8Array): void;
}

export function createArtifacts(catalog: Catalog, options: ArtifactOptions): Artifacts {
  const known = new WeakMap<SkillRecord, ArchiveFacts>();
  const { keptBytes = limits.wellKnown.artifactBytes } = options;
  const bytes = createBoundedCache<string, Uint8Array>(keptBytes, keptBytes / 4);

  async function pack(skill: SkillRecord, files: readonly ArchiveFile[]): Promise<Uint8Array> {
    const packed = await packArchiveInTurns(files, options.format);
    const facts = known.get(skill) ?? { digest: await options.digest(packed), size: packed.length };
    known.set(skill, facts);
    bytes.put(facts.digest, packed, packed.length);
    return packed;
  }

  async function make(skill: SkillRecord): Promise<Uint8Array | undefined> {
    const files = await filesOf(catalog, skill);
    return files === undefined ? undefined : pack(skill, files);
  }

  return {
    async facts(skill) {
      if (!known.has(skill)) await make(skill);
      return known.get(skill);
    },
    async archive(skill) {
      const facts = known.get(skill);
      return (facts === undefined ? undefined : bytes.get(facts.digest)) ?? make(skill);
    },
    pack,
    remember: (skill, facts) => known.set(skill, facts),
    kept: (wanted) => bytes.get(wanted),
    keep: (named, kept) => bytes.put(named, kept, kept.length),
  };
}

/**
 * Every file of a skill with exactly the bytes of its entry; undefined where one of them has changed.
 *
 * @param held bytes by digest that need not be read any more
 */
export async function filesOf(
  catalog: Catalog,
  skill: SkillRecord,
  held?: (digest: string) => Uint8Array | undefined,
): Promise<readonly ArchiveFile[] | undefined> {
  const executable = new Set(executableUris(skill));
  const files: ArchiveFile[] = [];
  for (const [path, { uri, resource }] of skill.files) {
    let bytes = resource === undefined ? undefined : held?.(resource.digest);
    if (bytes === undefined) {
      const content = await catalog.read(uri, {});
      if (content.file.resource?.digest !== resource?.digest) return undefined;
      bytes = content.bytes;
    }
    files.push({ path, bytes, executable: executable.has(uri) });
  }
  return files;
}

/** URIs of the files of a skill that are executable where it comes from. */
export function executableUris({ entry }: SkillRecord): readonly string[] {
  const uris = entry._meta?.[executableMetaKey];
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
