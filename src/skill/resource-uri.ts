/**
 * URIs of skills and files as other servers publish them (SEP-2640: any scheme, the structure of `skill://`). The
 * published string is the identity of such a URI; it is never rewritten, only parsed.
 *
 * Harmless violations of the URI grammar (blanks and non-ASCII letters, as some servers publish them) are accepted and
 * flagged. Anything that another reader could read as another path is refused: dot segments, encoded separators,
 * control characters, queries, fragments, empty segments. The authority is never resolved; it is the first segment of
 * the path.
 */
import { limits } from '../limits.ts';
import { decodeSegment, hasTooManySegments, isPlainPath, segmentFault } from './file-path.ts';

export interface ResourceUri {
  /** As published. */
  readonly uri: string;
  /** In lower case, without the colon. */
  readonly scheme: string;
  /** Decoded once, NFC. */
  readonly segments: readonly string[];
  /** The segments joined by `/`. */
  readonly path: string;
  /** False if URI parsers may rewrite the string to a more usual spelling. */
  readonly canonical: boolean;
}

const schemePattern = /^([a-z][a-z0-9+.-]{0,63}):\/\//i;
const usual = 'skill://';

/** The first segment is a registered name, the others are path segments (RFC 3986, 3.2.2 and 3.3). */
const wellFormed =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[\w\-.~!$&'()*+,;=]|%[0-9A-F]{2})+(?:\/(?:[\w\-.~!$&'()*+,;=:@]|%[0-9A-F]{2})+)*$/;
/** Letters, digits, `-`, `.`, `_` and `~` that are percent-encoded needlessly. */
const needlesslyEncoded = /%(?:2[DE]|3\d|[46][1-9A-F]|5[\dAF]|7[\dAE])/;

/** Schemes that name something on the reader's machine, or run code. */
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

/** Parses a URI of another server; `undefined` if it cannot name a skill or a file of one. */
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

/** Scheme and decoded path: equal for URIs of one server that name the same file. */
export function resourceKey({ scheme, path }: ResourceUri): string {
  return `${scheme}://${path}`;
}

/** Files of the same skill are usually requested together. */
let recent: { readonly skill: string; readonly folder: ResourceUri | undefined } | undefined;

/**
 * The decoded path of a file relative to the folder of `skill` (a `SKILL.md` URI), for people and models. The whole URI if it is outside.
 * The identity of a file remains its URI.
 */
export function pathBelow(skill: string, uri: string): string {
  if (recent?.skill !== skill) recent = { skill, folder: tryParseResourceUri(skill) };
  const { folder } = recent;
  const file = tryParseResourceUri(uri);
  if (folder === undefined || file === undefined || file.scheme !== folder.scheme) return uri;
  const prefix = folder.path.slice(0, folder.path.lastIndexOf('/') + 1);
  return prefix !== '' && file.path.startsWith(prefix) ? file.path.slice(prefix.length) : uri;
}
