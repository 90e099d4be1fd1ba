/**
 * Finds the index of a site: v0.2 before v0.1, and below the requested path before the root. An address of an index
 * file, or of a folder below `.well-known`, means that one alone.
 *
 * Only an answer that means "no such document" leads to the next location. That is 404, 410, 403 (which object stores return for missing
 * objects), a page, or an unknown format. Any other answer is final, so a broken or overloaded site never falls back to the form without
 * digests. Skipped places are reported.
 */
import { type DecodedIndex, decodeIndex } from '../../dialects/well-known/decode-index.ts';
import { folderV01, folderV02, indexFileName } from '../../dialects/well-known/index-places.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { noIndex, notAnIndex, quoteUrl, redirectFinding, statusError, unknownForm } from './site-errors.ts';
import type { CachedAnswer, SiteHttp } from './site-http.ts';

export type UsableIndex = Exclude<DecodedIndex, { version: 'unknown' }>;

export interface SiteIndex {
  /** The requested address. */
  readonly place: string;
  readonly answer: CachedAnswer;
  readonly decoded: UsableIndex;
  /** Why it was not at the earlier places. */
  readonly passed: readonly SkillwireError[];
  readonly findings: readonly Finding[];
}

export interface FindIndexOptions {
  readonly http: SiteHttp;
  readonly site: string;
  readonly signal?: AbortSignal | undefined;
  /** The index found before. Its place is tried first, and an unchanged index is revalidated. */
  readonly known?: SiteIndex | undefined;
}

/** The possible addresses of the index, in search order. */
export function indexPlaces(site: string): readonly string[] {
  const { origin, pathname } = new URL(site);
  const path = pathname.replace(/\/+$/, '');
  if (path.endsWith(`/${indexFileName}`)) return [`${origin}${path}`];
  if (path.endsWith(`/${folderV02}`) || path.endsWith(`/${folderV01}`)) return [`${origin}${path}/${indexFileName}`];
  const bases = path === '' ? [origin] : [`${origin}${path}`, origin];
  return [folderV02, folderV01].flatMap((folder) => bases.map((base) => `${base}/${folder}/${indexFileName}`));
}

/** @throws SkillwireError NOT_AUTHORIZED, NO_INDEX, NOT_AN_INDEX, INDEX_UNSUPPORTED, BAD_ANSWER, ORIGIN_FAILED, and those of the client */
export async function findIndex(options: FindIndexOptions): Promise<SiteIndex> {
  const { http, site, signal, known } = options;
  if (known !== undefined) {
    const again = await readIndex(http, known.place, signal, known);
    if (!(again instanceof SkillwireError)) return foundIndex(site, known.place, again, known.passed);
  }
  const places = indexPlaces(site);
  const passed: SkillwireError[] = [];
  for (const place of places) {
    const read = await readIndex(http, place, signal, undefined);
    if (read instanceof SkillwireError) passed.push(read);
    else return foundIndex(site, place, read, passed);
  }
  const failures = passed.filter(({ code }) => code !== 'FILE_NOT_FOUND');
  throw failures.find(({ code }) => code === 'NOT_AUTHORIZED') ?? failures[0] ?? noIndex(site, places);
}

type ReadIndex = Pick<SiteIndex, 'answer' | 'decoded'>;

/** The index, or the reason why it is not at this place. */
async function readIndex(
  http: SiteHttp,
  place: string,
  signal: AbortSignal | undefined,
  known: ReadIndex | undefined,
): Promise<ReadIndex | SkillwireError> {
  const maxBytes = limits.wellKnown.indexBytes;
  const answer = await http.get(place, { signal, maxBytes, accept: 'application/json', cached: known?.answer });
  if (!answer.ok) {
    const error = statusError(`the index ${quoteUrl(place)}`, answer, http.authenticated);
    if (answer.status === 401 || error.code === 'ORIGIN_FAILED') throw error;
    return error;
  }
  const { bytes, url, type } = answer.cached;
  const same = known !== undefined && bytes === known.answer.bytes && url === known.answer.url;
  if (same) return { answer: answer.cached, decoded: known.decoded };
  if (isPage(bytes, type)) return notAnIndex(url, type, beginning(bytes));
  let decoded: DecodedIndex;
  try {
    decoded = decodeIndex(bytes, url);
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    const empty =
      bytes.length === 0
        ? `Cannot use the index ${quoteUrl(url)}: it is empty. Publish the site again.`
        : error.message;
    throw new SkillwireError(error.code, empty, { data: { ...error.data, type, requirement: 'W-1' }, cause: error });
  }
  return decoded.version === 'unknown' ? unknownForm(url, decoded.schema) : { answer: answer.cached, decoded };
}

function beginning(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 4 * limits.messages.quotedCharacters));
}

/** JSON never begins like a page, whatever its content type. */
function isPage(bytes: Uint8Array, type: string): boolean {
  const begin = beginning(bytes).trimStart().charAt(0);
  return begin === '<' || ((type === 'text/html' || type === 'application/xhtml+xml') && begin !== '{');
}

function foundIndex(site: string, place: string, read: ReadIndex, passed: readonly SkillwireError[]): SiteIndex {
  return { place, ...read, passed, findings: indexFindings(site, place, read, passed) };
}

function indexFindings(
  site: string,
  place: string,
  { answer, decoded }: ReadIndex,
  passed: readonly SkillwireError[],
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const error of passed) {
    if (error.code === 'FILE_NOT_FOUND') continue;
    findings.push(finding('site-index-unusual', `${error.message} Read ${quoteUrl(place)} instead`));
  }
  for (const warning of decoded.warnings) findings.push(finding('site-index-unusual', warning));
  if (answer.type !== 'application/json' && !answer.type.endsWith('+json'))
    findings.push(
      finding('site-index-unusual', `the index has the type ${quoteText(answer.type)}, not "application/json"`),
    );
  const { origin, pathname } = new URL(site);
  const base = `${origin}${pathname.replace(/\/+$/, '')}`;
  if (!place.startsWith(base)) {
    const message = `there is no index below ${quoteUrl(base)}; these are the skills of ${quoteUrl(origin)}`;
    findings.push(finding('site-elsewhere', message));
  }
  const target = new URL(answer.url).origin;
  if (target !== origin) findings.push(redirectFinding(origin, target));
  return findings;
}
