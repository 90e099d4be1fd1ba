/**
 * Archives of skills with several files. Each is built once per version of a skill, only from bytes that match the snapshot. The same files
 * always give the same archive, so an evicted archive can be rebuilt.
 *
 * Delivered archives and files stay cached by digest, even after their skill changed, so that a reader with a slightly older index still
 * finds them.
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
  /** Maximum size of cached archives and files. */
  readonly cacheBytes?: number;
}

export function createArtifacts(catalog: Catalog, options: ArtifactOptions) {
  const known = new WeakMap<SkillRecord, ArchiveFacts>();
  const { cacheBytes = limits.wellKnown.artifactBytes } = options;
  const bytes = createBoundedCache<string, Uint8Array>(cacheBytes, cacheBytes / 4);

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
    /** Digest and size of the archive of a skill; `undefined` if the skill changed since the snapshot. */
    async facts(skill: SkillRecord): Promise<ArchiveFacts | undefined> {
      if (!known.has(skill)) await make(skill);
      return known.get(skill);
    },
    /** The archive of a skill; `undefined` if the skill changed since the snapshot. */
    async archive(skill: SkillRecord): Promise<Uint8Array | undefined> {
      const facts = known.get(skill);
      return (facts === undefined ? undefined : bytes.get(facts.digest)) ?? make(skill);
    },
    /** Builds the archive of a skill from all its files. @throws SkillwireError ARCHIVE_* */
    pack,
    /** Registers a known archive of the same files, so that it is not built again. */
    remember(skill: SkillRecord, facts: ArchiveFacts): void {
      known.set(skill, facts);
    },
    /** Bytes that were delivered under a digest, if still cached. */
    cached: (digest: string): Uint8Array | undefined => bytes.get(digest),
    cache: (digest: string, delivered: Uint8Array): void => bytes.put(digest, delivered, delivered.length),
  };
}

export type Artifacts = ReturnType<typeof createArtifacts>;

/**
 * Every file of a skill, with exactly the bytes of its entry; `undefined` if one has changed.
 *
 * @param known bytes by digest that need not be read again
 */
export async function filesOf(
  catalog: Catalog,
  skill: SkillRecord,
  known?: (digest: string) => Uint8Array | undefined,
): Promise<readonly ArchiveFile[] | undefined> {
  const executable = new Set(executableUris(skill));
  const files: ArchiveFile[] = [];
  for (const [path, { uri, resource }] of skill.files) {
    let bytes = resource === undefined ? undefined : known?.(resource.digest);
    if (bytes === undefined) {
      const content = await catalog.read(uri, {});
      if (content.file.resource?.digest !== resource?.digest) return undefined;
      bytes = content.bytes;
    }
    files.push({ path, bytes, executable: executable.has(uri) });
  }
  return files;
}

/** URIs of the files that are executable at the origin. */
export function executableUris({ entry }: SkillRecord): readonly string[] {
  const uris = entry._meta?.[executableMetaKey];
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
