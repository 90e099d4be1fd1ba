/**
 * URIs of skills and their files as other servers wrote them (SEP-2640: any scheme, the structure of `skill://`). The identity
 * of such a URI is the published string: nothing here rewrites it, it only says what path the string stands for.
 *
 * Accepts what is harmless although no URI grammar allows it (blanks and letters outside ASCII, as some servers publish them)
 * and says so; refuses what some reader could take for another path: dot segments, encoded separators, control characters,
 * queries, fragments, empty segments. Never resolves an authority: it is the first segment of the path and nothing else.
 */
import { limits } from '../limits.ts';
import { segmentFault } from './file-path.ts';
import { isPlainPath } from './plain-path.ts';

export interface ResourceUri {
  /** As it was published. */
  readonly uri: string;
  /** In lower case, without the colon. */
  readonly scheme: string;
  /** Decoded once, NFC. */
  readonly segments: readonly string[];
  /** The segments joined by `/`. */
  readonly path: string;
  /** False where parsers of URIs may rewrite the string: another spelling of an equivalent URI would be the usual one. */
  readonly canonical: boolean;
}

const schemePattern = /^([a-z][a-z0-9+.-]{0,63}):\/\//i;
const usual = 'skill://';

/** The first segment as a registered name, the others as path segments (RFC 3986, 3.2.2 and 3.3). */
const wellFormed =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[\w\-.~!$&'()*+,;=]|%[0-9A-F]{2})+(?:\/(?:[\w\-.~!$&'()*+,;=:@]|%[0-9A-F]{2})+)*$/;
/** Letters, digits, `-`, `.`, `_` and `~` that are percent-encoded for no reason. */
const needlesslyEncoded = /%(?:2[DE]|3\d|[46][1-9A-F]|5[\dAF]|7[\dAE])/;

/** Schemes whose URIs name something on the reader's side, or are programs. */
const foreignSchemes = new Set([
  'file',
  'data',
  'javascript',
  'vbscript',
  'blob',
  'about',
  'filesystem',
  'view-source',
  'jar',
]);

/** Reads a URI that somebody else published, or undefined where it cannot name a skill or one of its files. */
export function tryParseResourceUri(uri: string): ResourceUri | undefined {
  if (uri.length > limits.uri.characters) return undefined;
  if (uri.startsWith(usual) && isPlainPath(uri, usual.length)) return plain(uri, 'skill');
  const scheme = schemePattern.exec(uri)?.[1];
  if (scheme === undefined || foreignSchemes.has(scheme.toLowerCase())) return undefined;
  if (scheme === scheme.toLowerCase() && isPlainPath(uri, scheme.length + 3)) return plain(uri, scheme);
  const rest = uri.slice(scheme.length + 3);
  if (hasTooManySegments(rest)) return undefined;
  if (/[?#]/.test(rest)) return undefined;
  const segments: string[] = [];
  for (const raw of rest.split('/')) {
    const segment = decodeSegment(raw);
    if (segment === undefined || segmentFault(segment) !== undefined) return undefined;
    segments.push(segment.normalize('NFC'));
  }
  const path = segments.join('/');
  const canonical = wellFormed.test(uri) && !needlesslyEncoded.test(uri) && decodeURIComponent(rest) === path;
  return { uri, scheme: scheme.toLowerCase(), segments, path, canonical };
}

function plain(uri: string, scheme: string): ResourceUri {
  const path = uri.slice(scheme.length + 3);
  return { uri, scheme, segments: path.split('/'), path, canonical: true };
}

/** What two URIs of one server must share to name the same file: scheme and decoded path. */
export function resourceKey({ scheme, path }: ResourceUri): string {
  return `${scheme}://${path}`;
}

function hasTooManySegments(rest: string): boolean {
  let count = 0;
  for (let at = rest.indexOf('/'); at !== -1; at = rest.indexOf('/', at + 1))
    if (++count >= limits.uri.segments) return true;
  return false;
}

/** Characters that stand unencoded in a segment are taken as they are, a percent sign only as the begin of a code. */
function decodeSegment(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
