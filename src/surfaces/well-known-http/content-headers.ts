/**
 * Headers of what a site serves. Files come from authors and are shown to nobody as a page: what a browser would run or render as
 * markup is plain text here, archives are downloads, and a policy forbids everything else. The length and `nosniff` are
 * added by whoever sends the answer.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { limits } from '../../limits.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { entityTag } from './entity-tag.ts';

export type Headers = Readonly<Record<string, string>>;

const inert = "default-src 'none'; frame-ancestors 'none'";
const seconds = limits.ttl.watchedMs / 1000;
const aYear = 365 * 24 * 60 * 60;

/** Types that a browser runs or renders. */
const active =
  /^(?:text\/(?:html|javascript|xml|xsl|css)|image\/svg\+xml|application\/(?:.*\+)?(?:xml|xhtml|javascript|ecmascript|wasm|pdf))$/;

/** How long something under a name that stays may be kept. */
export function briefly(isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}, max-age=${seconds}`;
}

/** The same for something whose address has its digest. */
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
