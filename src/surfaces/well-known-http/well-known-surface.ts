/**
 * A catalog over plain HTTP, in both versions of well-known discovery (v0.2.0 and v0.1), from the same snapshots as every other surface. GET
 * and HEAD only. Entity tags are digests. Nothing is compressed, so the received bytes have the published digest.
 *
 * Paths are only looked up among published files. An answer depends only on the path, the conditional headers and the range.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { andThen, type MaybePromise, orElse } from '../../async/maybe-promise.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { FileRecord, SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { folderV01, folderV02, indexFileName } from '../../dialects/well-known/index-places.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { isPlainPath } from '../../skill/file-path.ts';
import type { Finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { PlainAnswer, PlainRequest, PlainSurface } from '../plain-answer.ts';
import { pathOf } from '../routes.ts';
import { createArtifacts } from './artifacts.ts';
import {
  archiveHeaders,
  briefly,
  byteRange,
  entityTag,
  fileHeaders,
  forever,
  type Headers,
  indexHeaders,
  namesTag,
} from './content-headers.ts';
import { createSiteDocuments, digestFolder, type SiteArtifact, type SiteDocument } from './site-documents.ts';
import type { SiteSkill } from './site-plan.ts';

export interface WellKnownOptions {
  /** Archive format of skills with several files. Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
  /** A faster digest than WebCrypto. */
  readonly digest?: (bytes: Uint8Array) => string | Promise<string>;
  /** Called once per skill that readers of the site get differently or not at all, when the index is requested. */
  readonly onfinding?: (finding: Finding) => void;
  /** True if not everybody may read the site, so that only private caches may store answers. */
  readonly private?: boolean;
  /** Serve replaced content by digest for a while. False if skills can be recalled. Default true. */
  readonly keepReplaced?: boolean;
}

const placeV02 = `/${folderV02}/`;
const placeV01 = `/${folderV01}/`;
const artifactName = /^sha256-([0-9a-f]{64})\.(md|tar\.gz|zip)$/;

export function wellKnownSurface(catalog: Catalog, settings: WellKnownOptions = {}): Pick<PlainSurface, 'answer'> {
  const { archiveFormat = 'tar.gz', digest = sha256Digest, onfinding, keepReplaced = true } = settings;
  const isPrivate = (skill: SkillRecord | undefined): boolean =>
    settings.private === true || skill?.source.cacheScope === 'private';
  const options = { format: archiveFormat, digest, files: true, via: true };
  const artifacts = createArtifacts(catalog, options);
  const documents = createSiteDocuments(catalog, artifacts, options);
  const prepared = new WeakMap<FileRecord | SiteDocument | SiteArtifact, Headers>();
  const unchanged = new WeakMap<FileRecord, PlainAnswer>();

  /** Files of a snapshot by requested path; most are requested again. */
  let recent: { readonly snapshot: Snapshot; readonly files: Map<string, FileRecord> } | undefined;

  function remember(path: string, file: FileRecord | undefined, snapshot: Snapshot): FileRecord | undefined {
    if (file === undefined || snapshot.file(file.uri) !== file) return file;
    if (recent?.snapshot !== snapshot || recent.files.size >= limits.wellKnown.cachedPaths)
      recent = { snapshot, files: new Map() };
    recent.files.set(path, file);
    return file;
  }

  const reported = new Set<string>();
  let last: readonly Finding[] | undefined;

  function report(findings: readonly Finding[]): void {
    if (onfinding === undefined || findings === last) return;
    last = findings;
    for (const found of findings) {
      const key = `${found.rule} ${found.skill} ${found.message}`;
      if (!reported.has(key)) onfinding(found);
      reported.add(key);
    }
  }

  function indexAnswer(request: PlainRequest, document: SiteDocument): PlainAnswer {
    let headers = prepared.get(document);
    if (headers === undefined) {
      headers = indexHeaders(document.digest, briefly(document.private || settings.private === true));
      prepared.set(document, headers);
    }
    return whole(request, headers, document.bytes);
  }

  /** The current bytes of a file. */
  function fileAnswer(request: PlainRequest, file: FileRecord | undefined): MaybePromise<PlainAnswer> {
    if (file?.resource === undefined) return notFound;
    const tags = request.header('if-none-match');
    if (tags !== undefined) {
      let answer = unchanged.get(file);
      if (answer === undefined) {
        answer = notModified(entityTag(file.resource.digest), briefly(isPrivate(file.skill)));
        unchanged.set(file, answer);
      }
      if (namesTag(tags, answer.headers['etag'] ?? '')) return answer;
    }
    return andThen(catalog.read(file.uri, {}), ({ file: now, bytes }) => {
      if (now.resource === undefined) return notFound;
      let headers = prepared.get(now);
      if (headers === undefined) {
        headers = fileHeaders(now.mediaType, bytes, now.resource.digest, briefly(isPrivate(now.skill)));
        prepared.set(now, headers);
      }
      return whole(request, headers, bytes);
    });
  }

  async function archiveAnswer(request: PlainRequest, published: SiteSkill | undefined): Promise<PlainAnswer> {
    if (published === undefined || published.type !== 'archive') return notFound;
    const { skill } = published;
    const facts = await artifacts.facts(skill);
    const bytes = await artifacts.archive(skill);
    // The skill changed since the snapshot; the next snapshot has the new version.
    if (facts === undefined || bytes === undefined) return unavailable;
    const headers = archiveHeaders(archiveFormat, facts.digest, briefly(isPrivate(skill)));
    return whole(request, headers, bytes);
  }

  /** An artifact by its digest, which readers only know from an index. */
  function artifactAnswer(
    request: PlainRequest,
    artifact: SiteArtifact | undefined,
    digest: string,
    extension: string,
  ): MaybePromise<PlainAnswer> {
    if (artifact === undefined && !keepReplaced) return notFound;
    const cacheControl = forever(isPrivate(artifact?.published.skill));
    if (extension !== 'md' && extension !== archiveFormat) return notFound;
    if (artifact !== undefined && (artifact.published.type === 'skill-md') !== (extension === 'md')) return notFound;
    const tags = artifact === undefined ? undefined : request.header('if-none-match');
    if (tags !== undefined) {
      const tag = entityTag(digest);
      if (namesTag(tags, tag)) return notModified(tag, cacheControl);
    }
    const found = artifacts.cached(digest) ?? (artifact === undefined ? undefined : bytesOf(artifact));
    return andThen(found, (bytes) => {
      if (bytes === undefined) return notFound;
      let headers = artifact === undefined ? undefined : prepared.get(artifact);
      if (headers === undefined) {
        headers =
          extension === 'md'
            ? fileHeaders('text/markdown', bytes, digest, cacheControl)
            : archiveHeaders(archiveFormat, digest, cacheControl);
        if (artifact !== undefined) prepared.set(artifact, headers);
      }
      return whole(request, headers, bytes);
    });
  }

  /** The bytes of an artifact, if they still match its digest. */
  async function bytesOf({ published: { skill, type }, digest }: SiteArtifact): Promise<Uint8Array | undefined> {
    let bytes: Uint8Array | undefined;
    if (type === 'archive') bytes = await artifacts.archive(skill);
    else {
      const content = await catalog.read(skill.entry.uri, {});
      if (content.file.resource?.digest === digest) bytes = content.bytes;
    }
    if (bytes !== undefined) artifacts.cache(digest, bytes);
    return bytes;
  }

  function answerV02(request: PlainRequest, path: string, snapshot: Snapshot): MaybePromise<PlainAnswer> {
    const name = path.slice(placeV02.length);
    if (name === indexFileName)
      return andThen(documents.v02(snapshot), (index) => {
        report(index.findings);
        return indexAnswer(request, index);
      });
    const { first, below } = splitPath(name);
    const found = first === digestFolder ? artifactName.exec(below) : null;
    if (found !== null) {
      const digest = `sha256:${found[1]}`;
      return andThen(documents.v02(snapshot), ({ byDigest }) =>
        artifactAnswer(request, byDigest.get(digest), digest, String(found[2])),
      );
    }
    return andThen(documents.plan(snapshot), ({ byName }) => {
      const suffix = `.${archiveFormat}`;
      if (below === '')
        return first.endsWith(suffix) ? archiveAnswer(request, byName.get(first.slice(0, -suffix.length))) : notFound;
      return fileAnswer(request, remember(path, byName.get(first)?.skill.files.get(below), snapshot));
    });
  }

  function answerV01(request: PlainRequest, path: string, snapshot: Snapshot): MaybePromise<PlainAnswer> {
    const name = path.slice(placeV01.length);
    if (name === indexFileName) return andThen(documents.v01(snapshot), (index) => indexAnswer(request, index));
    const { first, below } = splitPath(name);
    return andThen(documents.plan(snapshot), ({ byName }) => {
      const published = byName.get(first);
      const file = published?.inV01 === true ? published.skill.files.get(below) : undefined;
      return fileAnswer(request, remember(path, file, snapshot));
    });
  }

  return {
    answer(request) {
      const path = pathOf(request.target);
      const answerAt = path.startsWith(placeV02) ? answerV02 : path.startsWith(placeV01) ? answerV01 : undefined;
      if (answerAt === undefined) return undefined;
      const answer = (snapshot: Snapshot): MaybePromise<PlainAnswer> => {
        const known = recent?.snapshot === snapshot ? recent.files.get(path) : undefined;
        return known === undefined ? answerAt(request, path, snapshot) : fileAnswer(request, known);
      };
      return orElse(() => andThen(catalog.snapshot(request), answer), failed);
    },
  };
}

function failed(error: unknown): PlainAnswer {
  if (!(error instanceof SkillwireError)) throw error;
  if (error.code === 'FILE_NOT_FOUND') return notFound;
  if (error.code === 'UNSTABLE') return unavailable;
  if (error.code === 'FILE_UNREADABLE') return unreadable;
  throw error;
}

/** The first segment of a path and the path below it, decoded once. Both are empty for a path that readers could interpret differently. */
function splitPath(path: string): { readonly first: string; readonly below: string } {
  if (isPlainPath(path)) {
    const slash = path.indexOf('/');
    return slash === -1 ? { first: path, below: '' } : { first: path.slice(0, slash), below: path.slice(slash + 1) };
  }
  const parsed = tryParseSkillUri(`skill://${path}`);
  const [first = '', ...more] = parsed === undefined || parsed.trailingSlash ? [] : parsed.segments;
  return { first, below: more.join('/') };
}

function whole(request: PlainRequest, headers: Headers, bytes: Uint8Array): PlainAnswer {
  const tag = headers['etag'] ?? '';
  if (namesTag(request.header('if-none-match'), tag)) return notModified(tag, headers['cache-control'] ?? '');
  const wanted = request.method === 'GET' ? request.header('range') : undefined;
  const condition = wanted === undefined ? undefined : request.header('if-range');
  const range = condition === undefined || condition === tag ? byteRange(wanted, bytes.length) : undefined;
  if (range === undefined) return { status: 200, headers, body: { length: bytes.length, parts: [bytes] } };
  if (range === 'unsatisfiable')
    return { ...unsatisfiable, headers: { ...unsatisfiable.headers, 'content-range': `bytes */${bytes.length}` } };
  const part = bytes.subarray(range.first, range.last + 1);
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${range.first}-${range.last}/${bytes.length}` },
    body: { length: part.length, parts: [part] },
  };
}

function notModified(etag: string, cacheControl: string): PlainAnswer {
  return { status: 304, headers: { etag, 'cache-control': cacheControl }, body: '' };
}

function text(status: number, body: string): PlainAnswer {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: `${body}\n`,
  };
}

const notFound = text(404, 'Not found');
const unavailable = text(503, 'The skill is changing. Try again.');
const unreadable = text(503, 'The file cannot be read at the moment. Try again.');
const unsatisfiable = text(416, 'The requested range does not exist.');
