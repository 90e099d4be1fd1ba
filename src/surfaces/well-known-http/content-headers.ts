/**
 * Headers of the files of a site, conditional requests and ranges. Files come from authors and are never shown as pages. Types that a
 * browser would run or render are plain text, and archives are downloads. A policy forbids everything else. The sender of the answer adds
 * length and `nosniff`.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { limits } from '../../limits.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';

export type Headers = Readonly<Record<string, string>>;

const inert = "default-src 'none'; frame-ancestors 'none'";
const seconds = limits.ttl.watchedMs / 1000;
const aYear = 365 * 24 * 60 * 60;

/** Types that a browser runs or renders. */
const active =
  /^(?:text\/(?:html|javascript|xml|xsl|css)|image\/svg\+xml|application\/(?:.*\+)?(?:xml|xhtml|javascript|ecmascript|wasm|pdf))$/;

/** Cache control of content whose URL has no digest. */
export function briefly(isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}, max-age=${seconds}`;
}

/** Cache control of content whose URL has its digest. */
export function forever(isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}, max-age=${aYear}, immutable`;
}

export function indexHeaders(digest: string, cacheControl: string): Headers {
  return {
    'content-type': 'application/json',
    etag: entityTag(digest),
    'cache-control': cacheControl,
    'accept-ranges': 'bytes',
  };
}

export function fileHeaders(mediaType: string, bytes: Uint8Array, digest: string, cacheControl: string): Headers {
  return {
    'content-type': contentType(mediaType, bytes),
    etag: entityTag(digest),
    'cache-control': cacheControl,
    'accept-ranges': 'bytes',
    'content-security-policy': inert,
  };
}

export function archiveHeaders(format: ArchiveFormat, digest: string, cacheControl: string): Headers {
  return {
    'content-type': format === 'zip' ? 'application/zip' : 'application/gzip',
    etag: entityTag(digest),
    'cache-control': cacheControl,
    'accept-ranges': 'bytes',
    'content-disposition': 'attachment',
  };
}

function contentType(mediaType: string, bytes: Uint8Array): string {
  const type = active.test(mediaType) ? 'text/plain' : mediaType;
  return type.startsWith('text/') && decodeUtf8(bytes) !== undefined ? `${type}; charset=utf-8` : type;
}

export type ByteRange =
  | { readonly first: number; readonly last: number }
  /** No requested byte exists. */
  | 'unsatisfiable';

const single = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/;

/**
 * The requested range (RFC 9110, 14.2); `undefined` to send everything. Several ranges, other units and malformed headers are ignored, which
 * the RFC allows and which prevents amplification.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const found = header === undefined ? null : single.exec(header);
  if (found === null) return undefined;
  const [, from, to, suffix] = found;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== undefined && Number(to) < first) return undefined;
  if (first >= size) return 'unsatisfiable';
  return { first, last: to === undefined ? size - 1 : Math.min(Number(to), size - 1) };
}

/** A strong entity tag: the digest of the content. */
export function entityTag(digest: string): string {
  return `"${digest}"`;
}

/** True if `If-None-Match` contains the tag, weak or not, or is `*` (RFC 9110, 13.1.2). */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag) return true;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === tag);
}
