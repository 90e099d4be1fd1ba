/**
 * Skill URIs (SEP-2640): `skill://<skill path>/<file path>`. There is no authority: the text after `skill://` is the
 * first segment of the path.
 *
 * Every path has one canonical spelling: NFC, each segment encoded by `encodeURIComponent`, no trailing slash. WHATWG
 * URL parsers do not change it, so a host that normalizes still finds the published string. Parsing accepts every
 * equivalent spelling and decodes exactly once. Before it normalizes, it refuses anything that another reader could read as another path: dot
 * segments, encoded separators, backslashes, queries.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from './display-text.ts';
import { skillFileName } from './entry.ts';
import { decodeSegment, hasTooManySegments, isPlainPath, segmentFault } from './file-path.ts';

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
 * @throws SkillwireError `INVALID_URI` if the path is empty or has an empty or dot segment. Also if it contains a backslash, a control
 * character or half of a surrogate pair.
 */
export function buildSkillUri(path: string | readonly string[]): string {
  if (typeof path === 'string' && path.length <= limits.uri.characters - scheme.length && isPlainPath(path))
    return scheme + path;
  const segments = typeof path === 'string' ? path.split('/') : path;
  const joined = typeof path === 'string' ? path : path.join('/');
  const refuse = (reason: string): never => {
    throw new SkillwireError(
      'INVALID_URI',
      `Cannot create a skill URI from the path ${quoteText(joined)}: ${reason}.`,
      {
        data: { path: joined, reason },
      },
    );
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
 * Parses a skill URI in any equivalent spelling.
 *
 * @example
 * ```ts
 * const { path, uri, trailingSlash } = parseSkillUri('SKILL://acme/%61%20b.md');
 * // path 'acme/a b.md', uri 'skill://acme/a%20b.md', trailingSlash false
 * ```
 *
 * @throws SkillwireError `INVALID_URI` for anything that is not a skill URI, or that another reader could read as another path. Such are dot
 * segments, empty segments, encoded slashes and backslashes, NUL and control characters,
 * queries, fragments and malformed percent-encoding.
 */
export function parseSkillUri(uri: string): SkillUri {
  const parsed = readSkillUri(uri);
  if (typeof parsed !== 'string') return parsed;
  throw new SkillwireError('INVALID_URI', `${quoteText(uri)} is not a valid skill URI: ${parsed}.`, {
    data: { uri, reason: parsed },
  });
}

/** Like {@link parseSkillUri}, but returns `undefined` instead of throwing. */
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

/** The URI, or the reason why it is invalid. */
function readSkillUri(uri: string): SkillUri | string {
  if (uri.length > limits.uri.characters) return tooLong(uri.length);
  if (uri.startsWith(scheme) && isPlainPath(uri, scheme.length)) {
    const path = uri.slice(scheme.length);
    return { path, segments: path.split('/'), uri, trailingSlash: false };
  }
  if (hasTooManySegments(uri, scheme.length)) return `it has more than ${limits.uri.segments} segments`;
  if (uri.slice(0, scheme.length).toLowerCase() !== scheme) return 'it does not start with "skill://"';
  const rest = uri.slice(scheme.length);
  if (rest === '') return { path: '', segments: [], uri: scheme, trailingSlash: false };
  if (rest.includes('?')) return 'it has a query ("?"); write a question mark in a name as %3F';
  if (rest.includes('#')) return 'it has a fragment ("#"); write a number sign in a name as %23';

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

function canonicalUri(segments: readonly string[]): string {
  return scheme + segments.map((segment) => encodeURIComponent(segment)).join('/');
}

function tooLong(characters: number): string {
  return `it has ${characters} characters; at most ${limits.uri.characters} are allowed`;
}
