/**
 * Loads a skill from an archive. It is fetched with its entry, verified against the index's digest, unpacked behind our limits and hashed
 * file by file. Later reads come from the archive. If the index also promises a digest for `SKILL.md`, the archive's one must match. The
 * first usable archive counts. A digest mismatch fails the skill; no other archive is tried.
 */
import type { BoundedCache } from '../../../async/bounded-cache.ts';
import type { DialectSkill, Retrieval } from '../../../dialects/dialect-skill.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { reasonOf, SkillwireError, VerificationError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText, shortText } from '../../../skill/display-text.ts';
import { executableMetaKey, type Frontmatter, type SkillEntry, skillFileName } from '../../../skill/entry.ts';
import { compareFrontmatter } from '../../../skill/frontmatter-compare.ts';
import { mediaTypeFromBytes, mediaTypeOf } from '../../../skill/media-type.ts';
import type { SourceSkill } from '../../skill-source.ts';
import { RpcError } from '../wire.ts';
import { readContent } from './ask.ts';
import { type DialectLoadOptions, fileUriOf, type LoadedDialectSkill, requireDigest } from './loaded-skill.ts';
import { readHead } from './skill-head.ts';

type Archive = Extract<Retrieval, { readonly kind: 'archive' }>;
/** By path. */
export type ArchiveFiles = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly executable: boolean }>;

export interface ArchiveOptions extends DialectLoadOptions {
  readonly unpacked: BoundedCache<string, ArchiveFiles>;
}

/**
 * The archives worth fetching: all if the files cannot be read otherwise, else those that prove more than the files do.
 */
export function archivesOf({ retrievals, files }: DialectSkill): readonly Archive[] {
  const archives = retrievals.filter((way): way is Archive => way.kind === 'archive');
  if (!retrievals.some(({ kind }) => kind === 'read')) return archives;
  const proved = Array.isArray(files) && files.every(({ digest, size }) => digest !== undefined && size !== undefined);
  return proved ? [] : archives.filter(({ digest }) => digest !== undefined);
}

/** Returns only remarks if no archive exists or can be unpacked, and the files can be read otherwise. */
export async function loadArchive(
  skill: DialectSkill,
  options: ArchiveOptions,
): Promise<LoadedDialectSkill | { readonly unused: readonly Remark[] }> {
  const unused: Remark[] = [];
  let failure: unknown;
  for (const archive of archivesOf(skill)) {
    try {
      return await loadOne(skill, archive, options, unused);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      failure ??= error;
      const why = reasonOf(error);
      unused.push(
        remark('index:b-archives', `cannot use the archive ${quoteText(archive.uri)}: ${shortText(why)}`, options.uri),
      );
    }
  }
  if (failure !== undefined && !skill.retrievals.some(({ kind }) => kind === 'read')) throw failure;
  return { unused };
}

/** It does not exist, or cannot be unpacked. */
function isUnusable(error: unknown): boolean {
  return error instanceof RpcError || (error instanceof SkillwireError && error.code.startsWith('ARCHIVE_'));
}

async function loadOne(
  skill: DialectSkill,
  archive: Archive,
  options: ArchiveOptions,
  earlier: readonly Remark[],
): Promise<LoadedDialectSkill> {
  const { uri, digest, unpacked } = options;
  const files = await fetchFiles(archive, options);
  const main = files.get(skillFileName);
  if (main === undefined)
    throw new SkillwireError(
      'ARCHIVE_LAYOUT',
      `${quoteText(archive.uri)} has no ${skillFileName} at its root. Pack the content of the skill folder.`,
    );
  const promised = skill.retrievals.find((way) => way.kind === 'read')?.digest;
  await requireDigest(main.bytes, uri, promised, digest);
  const remarks = [...earlier];
  const frontmatter = requireFrontmatter(skill, main.bytes, options, remarks);
  const key = keyOf(archive);
  return {
    skill: { ...(await entryOf(files, frontmatter, archive, options)), listed: true },
    remarks,
    async file(path, { signal }) {
      const current = unpacked.get(key) ?? (await fetchFiles(archive, { ...options, signal }));
      return current.get(path)?.bytes;
    },
  };
}

function keyOf({ uri, digest = '' }: Archive): string {
  return `${digest} ${uri}`;
}

async function fetchFiles(archive: Archive, options: ArchiveOptions): Promise<ArchiveFiles> {
  const { ask, signal, onBytes, digest, unpacked } = options;
  const known = archive.digest === undefined ? undefined : unpacked.get(keyOf(archive));
  if (known !== undefined) return known;
  const bytes = await readContent(ask, archive.uri, { maxBytes: limits.archive.packedBytes, signal });
  onBytes(bytes.byteLength);
  await requireDigest(bytes, archive.uri, archive.digest, digest);
  const { unpackArchive } = await import('../../../archive/unpack.ts');
  const { format } = archive;
  const found = await unpackArchive(bytes, { format, signal });
  if (found.length > limits.skill.files)
    throw new SkillwireError(
      'ARCHIVE_TOO_LARGE',
      `${quoteText(archive.uri)} has ${found.length} files, more than ${limits.skill.files}.`,
    );
  const files = new Map(found.map((file) => [file.path, { bytes: file.bytes, executable: file.executable === true }]));
  const size = found.reduce((total, file) => total + file.bytes.byteLength, 0);
  unpacked.put(keyOf(archive), files, size);
  return files;
}

/** The file's frontmatter; it must equal the index's, if that has one. */
function requireFrontmatter(
  skill: DialectSkill,
  skillMd: Uint8Array,
  { uri, dialect }: ArchiveOptions,
  remarks: Remark[],
): Frontmatter {
  if (skill.frontmatter !== undefined) {
    const { matches, differences, remarks: said } = compareFrontmatter(skill.frontmatter, skillMd);
    if (matches) return skill.frontmatter;
    const fields = differences.map(({ field }) => quoteText(field)).join(', ') || said.join('; ');
    throw new VerificationError(
      'frontmatter',
      `Cannot use ${quoteText(uri)}: the frontmatter in the archive differs from the index: ${fields}.`,
      { data: { uri, differences } },
    );
  }
  const head = readHead(skill, uri, skillMd, dialect);
  remarks.push(...head.remarks);
  return head.frontmatter;
}

async function entryOf(
  files: ArchiveFiles,
  frontmatter: Frontmatter,
  archive: Archive,
  { uri, digest }: ArchiveOptions,
): Promise<Pick<SourceSkill, 'entry' | 'partial' | 'mediaTypes'>> {
  const mediaTypes: Record<string, string> = {};
  const executable: string[] = [];
  const resources: { uri: string; digest: string; size: number }[] = [];
  for (const [path, file] of files) {
    const fileUri = fileUriOf(uri, path);
    resources.push({ uri: fileUri, digest: await digest(file.bytes), size: file.bytes.byteLength });
    if (file.executable) executable.push(fileUri);
    if (mediaTypeOf(path) === undefined) mediaTypes[fileUri] = mediaTypeFromBytes(path, file.bytes);
  }
  resources.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const meta = executable.length === 0 ? {} : { _meta: { [executableMetaKey]: executable.sort() } };
  const entry: SkillEntry = { uri, frontmatter, resources, ...meta };
  if (archive.digest !== undefined) return { entry, mediaTypes };
  // Nothing was promised about these bytes; their hashes only describe this fetch.
  const partial = { reason: 'no-digest' as const, files: resources.map(({ uri: own }) => ({ uri: own })) };
  return { entry: { ...entry, resources: 'dynamic' }, partial, mediaTypes };
}
