/**
 * The artifact of an entry of v0.2: one request, then the digest over exactly the bytes that came, and only then is anything
 * read or unpacked (W-9, W-13). What does not have its digest is told with file, promise and finding, and never used.
 */

import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { DecodedV02 } from '../../dialects/well-known/decode-index.ts';
import { SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import { quoteUrl, statusError } from './site-errors.ts';
import type { KeptAnswer, SiteHttp } from './site-http.ts';
import type { Digest, GivenFile } from './skill-of-files.ts';

export interface FetchOptions {
  readonly http: SiteHttp;
  readonly digest: Digest;
  readonly signal: AbortSignal;
  /** Told of what came. */
  readonly onBytes: (count: number) => void;
}

/** @throws VerificationError `digest`, `missing`; SkillwireError ARCHIVE_* and those of the client */
export async function fetchArtifact(entry: DecodedV02, options: FetchOptions): Promise<readonly GivenFile[]> {
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
      `cannot use ${quoteUrl(url)} of the skill ${quoteText(name)}: ${error.message}`,
      {
        data: { ...error.data, url, name, requirement: archiveRequirements[error.code] ?? 'W-12' },
        cause: error,
      },
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
 * @param missingRule the requirement that a site breaks whose index names what is not there
 * @throws SkillwireError for any answer but content; one that says that nothing is there is a `missing` VerificationError
 */
export async function fetchContent(
  url: string,
  what: string,
  maxBytes: number,
  { http, signal, onBytes }: FetchOptions,
  missingRule: string,
  kept?: KeptAnswer,
): Promise<KeptAnswer> {
  const answer = await http.get(url, { signal, maxBytes, kept });
  if (!answer.ok) {
    const error = statusError(what, answer, http.authenticated);
    if (error.code !== 'FILE_NOT_FOUND') throw error;
    const message = `${error.message}, although the index names it`;
    throw new VerificationError('missing', message, { data: { ...error.data, requirement: missingRule } });
  }
  if (answer.kept.bytes !== kept?.bytes) onBytes(answer.kept.bytes.byteLength);
  return answer.kept;
}

interface PromisedFile {
  /** Of the skill, as the index has it. */
  readonly name: string;
  readonly path: string;
  readonly url: string;
  readonly digest: Digest;
}

/** @throws VerificationError `digest` */
export async function verifyDigest(
  { bytes, type }: Pick<KeptAnswer, 'bytes' | 'type'>,
  promised: string,
  { name, path, url, digest }: PromisedFile,
): Promise<string> {
  const actual = await digest(bytes);
  if (actual === promised) return actual;
  const page = type === 'text/html' ? `; it is a page (${shortText(type)}), perhaps of a login` : '';
  throw new VerificationError(
    'digest',
    `cannot use ${quoteUrl(url)} of the skill ${quoteText(name)}: the index promises the digest "${promised}", ` +
      `the ${bytes.byteLength} bytes that came have "${actual}"${page}`,
    {
      data: { uri: skillFileUri(name, path), url, expectedDigest: promised, actualDigest: actual, requirement: 'W-9' },
    },
  );
}

/** W-11: what the answer says, else the ending of the address; undefined leaves it to the first bytes. */
function formatOf(type: string, url: string): ArchiveFormat | undefined {
  if (/^application\/(?:x-)?(?:gzip|gtar|compressed-tar)$/.test(type)) return 'tar.gz';
  if (/^application\/(?:x-)?zip(?:-compressed)?$/.test(type)) return 'zip';
  const path = new URL(url).pathname.toLowerCase();
  if (path.endsWith('.tar.gz') || path.endsWith('.tgz')) return 'tar.gz';
  return path.endsWith('.zip') ? 'zip' : undefined;
}
