/**
 * Reads the entries of a site index one by one. An entry that could lead a reader to other bytes than expected is
 * refused alone. Unknown fields are ignored. URLs are absolute, `http:` or `https:`; whether they may be fetched is
 * decided elsewhere.
 */
import { limits } from '../../limits.ts';
import { isDigest, sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject } from '../../skill/json.ts';
import { decodeVia, viaMetaKey } from '../../skill/provenance.ts';
import { type NamedFields, namedFaults } from './entry-fields.ts';
import { fileListFaults, fileUrl } from './file-list.ts';
import type { ArtifactType } from './index-places.ts';

export interface DecodedV02 extends NamedFields {
  readonly type: ArtifactType;
  readonly url: string;
  readonly digest: string;
  /** Gateway ids, as they name themselves. */
  readonly via?: readonly string[];
}

export interface DecodedV01 extends NamedFields {
  /** Every file of the skill, as listed. */
  readonly files: readonly { readonly path: string; readonly url: string }[];
}

export interface DecodedEarly extends NamedFields {
  /** Digest of the whole skill; see `earlySkillDigest()`. */
  readonly digest?: string;
  readonly files: readonly { readonly path: string; readonly url: string; readonly digest?: string }[];
  readonly package?: { readonly url: string; readonly digest: string };
}

export interface RefusedIndexEntry {
  /** Position in the list, from 0. */
  readonly index: number;
  /** As far as readable, unchecked. */
  readonly name?: string;
  readonly faults: readonly EntryFault[];
}

export type SiteEntryReading<T> =
  | { readonly ok: true; readonly entry: T }
  | { readonly ok: false; readonly faults: readonly EntryFault[] };

const notAnObject: SiteEntryReading<never> = {
  ok: false,
  faults: [{ requirement: 'W-6', message: 'the entry is not an object' }],
};

/** Resolves a reference to an absolute URL (RFC 3986, 5); `undefined` if it cannot be fetched. */
export function resolveReference(reference: unknown, indexUrl: string): string | undefined {
  if (typeof reference !== 'string' || reference === '' || reference.length > limits.uri.characters) return undefined;
  if (!URL.canParse(reference, indexUrl)) return undefined;
  const url = new URL(reference, indexUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url.href;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? ` ${quoteText(value)}` : '';
}

/** One entry of v0.2.0. */
export function decodeEntryV02(value: unknown, indexUrl: string): SiteEntryReading<DecodedV02> {
  if (!isJsonObject(value)) return notAnObject;
  const faults = [...namedFaults(value, '0.2.0')];
  const { type, digest } = value;
  const known = type === 'skill-md' || type === 'archive';
  if (!known) faults.push({ requirement: 'W-7', message: `type${shown(type)} is neither "skill-md" nor "archive"` });
  const url = resolveReference(value['url'], indexUrl);
  if (url === undefined)
    faults.push({ requirement: 'W-8', message: `url${shown(value['url'])} is not the URL of an artifact` });
  if (!isDigest(digest)) faults.push({ requirement: 'W-9', message: digestFault('digest', digest) });
  if (faults.length > 0 || !known || url === undefined || !isDigest(digest)) return { ok: false, faults };
  const { _meta } = value;
  const via = isJsonObject(_meta) ? decodeVia(_meta[viaMetaKey]) : undefined;
  return { ok: true, entry: { ...named(value), type, url, digest, ...(via === undefined ? {} : { via }) } };
}

/** One entry of v0.1, whose files are strings. */
export function decodeEntryV01(value: unknown, indexUrl: string): SiteEntryReading<DecodedV01> {
  if (!isJsonObject(value)) return notAnObject;
  const faults = [...namedFaults(value, '0.1')];
  const { files } = value;
  const paths = Array.isArray(files) && files.every((file) => typeof file === 'string') ? files : undefined;
  if (paths === undefined) faults.push({ requirement: 'wk01:files', message: 'files is not a list of strings' });
  else faults.push(...fileListFaults(paths));
  if (faults.length > 0 || paths === undefined) return { ok: false, faults };
  const { name, description } = named(value);
  return {
    ok: true,
    entry: { name, description, files: paths.map((path) => ({ path, url: fileUrl(indexUrl, name, path) })) },
  };
}

/** One entry of the early v0.2 drafts: files are objects with digests, or strings as before. */
export function decodeEntryEarly(value: unknown, indexUrl: string): SiteEntryReading<DecodedEarly> {
  if (!isJsonObject(value)) return notAnObject;
  const faults = [...namedFaults(value, '0.1')];
  const { files, digest } = value;
  if (!Array.isArray(files)) faults.push({ requirement: 'wk01:files', message: 'files is not a list' });
  const listed: { path: string; digest?: string }[] = [];
  for (const [index, file] of Array.isArray(files) ? files.entries() : []) {
    if (listed.length > limits.skill.files) break;
    const path: unknown = isJsonObject(file) ? file['path'] : file;
    const own: unknown = isJsonObject(file) ? file['digest'] : undefined;
    if (typeof path !== 'string') faults.push({ requirement: 'wk01:files', message: `files[${index}] has no path` });
    else if (own !== undefined && !isDigest(own))
      faults.push({ requirement: 'W-9', message: digestFault(`files[${index}].digest`, own) });
    else listed.push(own === undefined ? { path } : { path, digest: own });
  }
  if (faults.length === 0) faults.push(...fileListFaults(listed.map(({ path }) => path)));
  if (digest !== undefined && !isDigest(digest))
    faults.push({ requirement: 'W-9', message: digestFault('digest', digest) });
  const packed = decodePackage(value['package'], indexUrl, faults);
  if (faults.length > 0) return { ok: false, faults };
  const { name, description } = named(value);
  return {
    ok: true,
    entry: {
      name,
      description,
      ...(isDigest(digest) ? { digest } : {}),
      files: listed.map((file) => ({ ...file, url: fileUrl(indexUrl, name, file.path) })),
      ...(packed === undefined ? {} : { package: packed }),
    },
  };
}

function decodePackage(value: unknown, indexUrl: string, faults: EntryFault[]): DecodedEarly['package'] {
  if (value === undefined || value === null) return undefined;
  const url = isJsonObject(value) ? resolveReference(value['url'], indexUrl) : undefined;
  const digest: unknown = isJsonObject(value) ? value['digest'] : undefined;
  if (url === undefined) faults.push({ requirement: 'W-8', message: 'package has no usable url' });
  if (!isDigest(digest)) faults.push({ requirement: 'W-9', message: digestFault('package.digest', digest) });
  return url === undefined || !isDigest(digest) ? undefined : { url, digest };
}

function digestFault(field: string, digest: unknown): string {
  return `${field}${shown(digest)} is not "sha256:" and 64 lower-case hexadecimal digits`;
}

function named(value: object): NamedFields {
  const { name, description } = value as NamedFields;
  return { name, description };
}

/**
 * The digest of a whole skill in the early v0.2 drafts: SHA-256 over the sorted lines `path NUL hex LF` of its files.
 */
export async function earlySkillDigest(
  files: readonly { readonly path: string; readonly digest: string }[],
): Promise<string> {
  const lines = files.map(({ path, digest }) => `${path}\0${digest.replace(/^sha256:/, '')}\n`).sort();
  return sha256Digest(new TextEncoder().encode(lines.join('')));
}
