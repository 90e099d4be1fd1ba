/**
 * Skill URIs (SEP-2640): `skill://<skill path>/<file path>`. There is no authority: what stands after `skill://` is the
 * first segment of the path.
 *
 * Every path has one canonical spelling: NFC, each segment percent-encoded as `encodeURIComponent` does, no trailing slash.
 * WHATWG URL parsers leave it as it is, so a host that normalises still finds the string that was published. Reading accepts
 * every equivalent spelling, decodes exactly once, and refuses whatever some other reader could take for another path (dot
 * segments, encoded separators, backslashes, queries) before it normalises anything.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from './display-text.ts';
import { skillFileName } from './entry.ts';
import { segmentFault } from './file-path.ts';
import { isPlainPath } from './plain-path.ts';

/** The parts of a `skill://` URI, decoded. */
export interface SkillUri {
  /** Decoded, NFC, segments joined by `/`, no trailing slash; empty for the bare `skill://`. */
  readonly path: string;
  readonly segments: readonly string[];
  /** The canonical spelling, without a trailing slash. */
  readonly uri: string;
  readonly trailingSlash: boolean;
}

const scheme = 'skill://';

/**
 * The canonical URI of a decoded path, given as one text or as segments.
 *
 * @example
 * ```ts
 * buildSkillUri('acme/refunds/templates/a b.md'); // 'skill://acme/refunds/templates/a%20b.md'
 * buildSkillUri(['acme', 'refunds', 'SKILL.md']); // 'skill://acme/refunds/SKILL.md'
 * ```
 *
 * @throws SkillwireError `INVALID_URI` for a path that is empty, has an empty or dot segment, or holds a backslash, a control
 * character or half of a surrogate pair.
 */
export function buildSkillUri(path: string | readonly string[]): string {
  if (typeof path === 'string' && path.length <= limits.uri.characters - scheme.length && isPlainPath(path))
    return scheme + path;
  const segments = typeof path === 'string' ? path.split('/') : path;
  const given = typeof path === 'string' ? path : path.join('/');
  const refuse = (reason: string): never => {
    throw new SkillwireError('INVALID_URI', `cannot make a skill URI of the path ${quoteText(given)}: ${reason}`, {
      data: { path: given, reason },
    });
  };
  if (segments.length === 0) refuse('it is empty');
  for (const segment of segments) {
    const fault = segmentFault(segment);
    if (fault !== undefined) refuse(`the segment ${quoteText(segment)} ${fault}`);
  }
  const uri = canonicalUri(segments.map((segment) => segment.normalize('NFC')));
  if (uri.length > limits.uri.characters) refuse(tooLong(uri.length));
  return uri;
}

/**
 * Reads a skill URI in any equivalent spelling.
 *
 * @example
 * ```ts
 * const { path, uri, trailingSlash } = parseSkillUri('SKILL://acme/%61%20b.md');
 * // path 'acme/a b.md', uri 'skill://acme/a%20b.md', trailingSlash false
 * ```
 *
 * @throws SkillwireError `INVALID_URI` for everything that is not a skill URI or that another reader could take for another
 * path: dot segments, encoded slashes and backslashes, NUL and control characters, queries, fragments, empty segments,
 * malformed percent-encoding.
 */
export function parseSkillUri(uri: string): SkillUri {
  const parsed = readSkillUri(uri);
  if (typeof parsed !== 'string') return parsed;
  throw new SkillwireError('INVALID_URI', `cannot read ${quoteText(uri)} as a skill URI: ${parsed}`, {
    data: { uri, reason: parsed },
  });
}

/** Like {@link parseSkillUri}, but undefined where that throws. */
export function tryParseSkillUri(uri: string): SkillUri | undefined {
  const parsed = readSkillUri(uri);
  return typeof parsed === 'string' ? undefined : parsed;
}

/** The canonical URI of a file of a skill, from two decoded paths. */
export function skillFileUri(skillPath: string, filePath: string): string {
  return buildSkillUri(`${skillPath}/${filePath}`);
}

/** True for the canonical URI of a `SKILL.md` in a named folder. */
export function isSkillFileUri(uri: string): boolean {
  if (!uri.endsWith(`/${skillFileName}`)) return false;
  const parsed = tryParseSkillUri(uri);
  return parsed !== undefined && parsed.uri === uri && parsed.segments.length > 1;
}

/** Counted before anything is split: whoever looks a path up tries each of its prefixes. */
function hasTooManySegments(uri: string): boolean {
  let count = 0;
  for (let at = uri.indexOf('/', scheme.length); at !== -1; at = uri.indexOf('/', at + 1))
    if (++count >= limits.uri.segments) return true;
  return false;
}

/** The URI, or the reason why it is none. */
function readSkillUri(uri: string): SkillUri | string {
  if (uri.length > limits.uri.characters) return tooLong(uri.length);
  if (uri.startsWith(scheme) && isPlainPath(uri, scheme.length)) {
    const path = uri.slice(scheme.length);
    return { path, segments: path.split('/'), uri, trailingSlash: false };
  }
  if (hasTooManySegments(uri)) return `it has more than ${limits.uri.segments} segments`;
  if (uri.slice(0, scheme.length).toLowerCase() !== scheme) return 'it does not begin with "skill://"';
  const rest = uri.slice(scheme.length);
  if (rest === '') return { path: '', segments: [], uri: scheme, trailingSlash: false };
  if (rest.includes('?')) return 'it has a query ("?"); a question mark in a name is written %3F';
  if (rest.includes('#')) return 'it has a fragment ("#"); a number sign in a name is written %23';

  const trailingSlash = rest.endsWith('/');
  const segments: string[] = [];
  for (const raw of (trailingSlash ? rest.slice(0, -1) : rest).split('/')) {
    const segment = decodeSegment(raw);
    if (segment === undefined) return `the segment ${quoteText(raw)} is not percent-encoded UTF-8`;
    const fault = segmentFault(segment);
    if (fault !== undefined) return `the segment ${quoteText(raw)} ${fault}`;
    segments.push(segment.normalize('NFC'));
  }
  const canonical = canonicalUri(segments);
  if (canonical.length > limits.uri.characters) return tooLong(canonical.length);
  return { path: segments.join('/'), segments, uri: canonical, trailingSlash };
}

function decodeSegment(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function canonicalUri(segments: readonly string[]): string {
  return scheme + segments.map((segment) => encodeURIComponent(segment)).join('/');
}

function tooLong(characters: number): string {
  return `it has ${characters} characters; at most ${limits.uri.characters} are allowed`;
}
