/**
 * Fetches the files of an index entry.
 *
 * - v0.2: one artifact. Its digest is verified over exactly the received bytes before anything is read or unpacked
 *   (W-9, W-13). Bytes that fail verification are reported with file and digests, and never used.
 * - v0.1 and the early v0.2 drafts: one request per file, at the addresses that follow from the index. v0.1 promises no
 *   digests. The drafts have digests of files, of the whole skill, or both, and all of them must match. Missing files
 *   are reported; a skill without its `SKILL.md` is refused.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { BoundedCache } from '../../async/bounded-cache.ts';
import { earlySkillDigest } from '../../dialects/well-known/decode-entries.ts';
import type { DecodedEarly, DecodedV02 } from '../../dialects/well-known/decode-index.ts';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDigester } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import { quoteUrl, redirectFinding, statusError } from './site-errors.ts';
import type { CachedAnswer, SiteHttp } from './site-http.ts';
import { type SkillFile, unusable } from './skill-of-files.ts';

export interface SiteFetchOptions {
  readonly http: SiteHttp;
  readonly digest: AsyncDigester;
  readonly signal: AbortSignal;
  /** Receives the number of fetched bytes. */
  readonly onBytes: (count: number) => void;
}

/** @throws VerificationError `digest`, `missing`; SkillwireError ARCHIVE_* and those of the client */
export async function fetchArtifact(entry: DecodedV02, options: SiteFetchOptions): Promise<readonly SkillFile[]> {
  const { type, name, url, digest: promised } = entry;
  const maxBytes = type === 'archive' ? limits.site.artifactBytes : limits.skill.bytes;
  const answer = await fetchContent(url, `the skill ${quoteText(name)} at ${quoteUrl(url)}`, maxBytes, options, 'W-8');
  await verifyDigest(answer, promised, { name, path: skillFileName, url, digest: options.digest });
  if (type === 'skill-md') return [{ path: skillFileName, bytes: answer.bytes }];
  const { unpackArchive } = await import('../../archive/unpack.ts');
  const format = formatOf(answer.type, url);
  const { signal } = options;
  try {
    return await unpackArchive(answer.bytes, { signal, format });
  } catch (error) {
    if (!(error instanceof SkillwireError) || !error.code.startsWith('ARCHIVE_')) throw error;
    throw new SkillwireError(
      error.code,
      `Cannot use ${quoteUrl(url)} of the skill ${quoteText(name)}: ${error.message}`,
      { data: { ...error.data, url, name, requirement: archiveRequirements[error.code] ?? 'W-12' }, cause: error },
    );
  }
}

const archiveRequirements: Readonly<Record<string, string>> = {
  ARCHIVE_FORMAT: 'W-10',
  ARCHIVE_PATH_ESCAPE: 'W-14',
  ARCHIVE_LINK: 'W-14',
  ARCHIVE_TOO_LARGE: 'W-15',
};

/**
 * @param missingRule the requirement that a site violates if its index names a missing file
 * @throws SkillwireError for any response without content; a missing file is a `missing` VerificationError
 */
async function fetchContent(
  url: string,
  what: string,
  maxBytes: number,
  { http, signal, onBytes }: SiteFetchOptions,
  missingRule: string,
  cached?: CachedAnswer,
): Promise<CachedAnswer> {
  const answer = await http.get(url, { signal, maxBytes, cached });
  if (!answer.ok) {
    const error = statusError(what, answer, http.authenticated);
    if (error.code !== 'FILE_NOT_FOUND') throw error;
    const message = `${error.message} The index names it.`;
    throw new VerificationError('missing', message, { data: { ...error.data, requirement: missingRule } });
  }
  if (answer.cached.bytes !== cached?.bytes) onBytes(answer.cached.bytes.byteLength);
  return answer.cached;
}

interface PromisedFile {
  /** The skill's name in the index. */
  readonly name: string;
  readonly path: string;
  readonly url: string;
  readonly digest: AsyncDigester;
}

/** @throws VerificationError `digest` */
async function verifyDigest(
  { bytes, type }: Pick<CachedAnswer, 'bytes' | 'type'>,
  promised: string,
  { name, path, url, digest }: PromisedFile,
): Promise<string> {
  const actual = await digest(bytes);
  if (actual === promised) return actual;
  const page = type === 'text/html' ? ' It is an HTML page, perhaps a login.' : '';
  throw new VerificationError(
    'digest',
    `Cannot use ${quoteUrl(url)} of the skill ${quoteText(name)}: the index promises the digest "${promised}", ` +
      `but the ${bytes.byteLength} bytes received have "${actual}".${page}`,
    {
      data: { uri: skillFileUri(name, path), url, expectedDigest: promised, actualDigest: actual, requirement: 'W-9' },
    },
  );
}

/** W-11: the format by content type, else by file extension; `undefined` leaves it to the first bytes. */
function formatOf(type: string, url: string): ArchiveFormat | undefined {
  if (/^application\/(?:x-)?(?:gzip|gtar|compressed-tar)$/.test(type)) return 'tar.gz';
  if (/^application\/(?:x-)?zip(?:-compressed)?$/.test(type)) return 'zip';
  const path = new URL(url).pathname.toLowerCase();
  if (path.endsWith('.tar.gz') || path.endsWith('.tgz')) return 'tar.gz';
  return path.endsWith('.zip') ? 'zip' : undefined;
}

export type ListedEarlySkill = Omit<DecodedEarly, 'package'>;
export type ListedFile = ListedEarlySkill['files'][number];

interface ListedOptions extends SiteFetchOptions {
  /** Cached answers by address, for revalidation. */
  readonly answers: BoundedCache<string, CachedAnswer>;
  /** The index's address. A file from another origin without a digest is reported. */
  readonly indexUrl: string;
  /** Revalidate cached answers too. */
  readonly fresh: boolean;
}

interface FetchedFiles {
  /** By path. */
  readonly files: ReadonlyMap<string, CachedAnswer>;
  readonly findings: readonly Finding[];
  /** Whether the digests of the index prove every file, the `SKILL.md`, or nothing. */
  readonly proved: 'all' | 'skill-md' | 'nothing';
}

/** @throws VerificationError, SkillwireError */
export async function fetchListed(
  skill: ListedEarlySkill,
  wanted: readonly ListedFile[],
  options: ListedOptions,
): Promise<FetchedFiles> {
  const files = new Map<string, CachedAnswer>();
  const findings: Finding[] = [];
  let bytes = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let file = wanted[next++]; file !== undefined; file = wanted[next++]) {
      const answer = await fetchFile(skill, file, options);
      if (answer === undefined) {
        const message = `the index lists ${quoteText(file.path)} of the skill ${quoteText(skill.name)}, but ${quoteUrl(file.url)} does not exist`;
        findings.push(finding('site-file-missing', message));
        continue;
      }
      bytes += answer.bytes.byteLength;
      if (bytes > limits.skill.bytes)
        throw unusable(skill.name, `its files have more than ${limits.skill.bytes} bytes`, 'S-35');
      files.set(file.path, answer);
      const isElsewhere = new URL(answer.url).origin !== new URL(options.indexUrl).origin;
      if (isElsewhere && file.digest === undefined) findings.push(redirectFinding(file.url, answer.url));
    }
  };
  await Promise.all(Array.from({ length: Math.min(limits.outbound.perOrigin, wanted.length) }, worker));
  return { files, findings, proved: await provedBy(skill, files, options) };
}

/** `undefined` if the file is missing and nothing was promised about it. */
export async function fetchFile(
  { name }: Pick<ListedEarlySkill, 'name'>,
  { path, url, digest }: ListedFile,
  options: ListedOptions,
): Promise<CachedAnswer | undefined> {
  const cached = options.answers.get(url);
  try {
    const what = `${quoteText(path)} of the skill ${quoteText(name)} at ${quoteUrl(url)}`;
    const answer =
      cached !== undefined && !options.fresh && cached.freshUntil > performance.now()
        ? cached
        : await fetchContent(url, what, limits.skill.bytes, options, 'wk01:files-served', cached);
    if (digest !== undefined) await verifyDigest(answer, digest, { name, path, url, digest: options.digest });
    options.answers.put(url, answer, answer.bytes.byteLength);
    return answer;
  } catch (error) {
    const optional = digest === undefined && path !== skillFileName;
    if (optional && error instanceof VerificationError && error.reason === 'missing') return undefined;
    throw error;
  }
}

async function provedBy(
  { name, digest, files: listed }: ListedEarlySkill,
  files: ReadonlyMap<string, CachedAnswer>,
  options: ListedOptions,
): Promise<FetchedFiles['proved']> {
  const skillMd = listed.find(({ path }) => path === skillFileName);
  const alone = skillMd?.digest === undefined ? 'nothing' : 'skill-md';
  if (files.size < listed.length) return alone;
  if (digest === undefined) return listed.every((file) => file.digest !== undefined) ? 'all' : alone;
  const actual: { path: string; digest: string }[] = [];
  for (const [path, { bytes }] of files) actual.push({ path, digest: await options.digest(bytes) });
  const found = await earlySkillDigest(actual);
  if (found === digest) return 'all';
  throw new VerificationError(
    'digest',
    `Cannot use the skill ${quoteText(name)} of ${quoteUrl(options.indexUrl)}: the index promises the digest "${digest}" for all its files together, but they have "${found}".`,
    { data: { name, expectedDigest: digest, actualDigest: found, requirement: 'W-9' } },
  );
}
