/**
 * A catalog over plain HTTP, as both published forms of well-known discovery describe it (v0.2.0 and v0.1), from the same
 * snapshots as every other surface. GET and HEAD only; entity tags are digests; nothing is ever compressed on the way, so that
 * the digest of what arrives is the digest of what was sent.
 *
 * A path is looked up in what was published and nowhere else. What an answer says depends on the path, on the conditions and
 * the range that the request names, and on nothing else of it.
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
import { createArtifacts } from './artifacts.ts';
import { byteRange } from './byte-range.ts';
import { archiveHeaders, briefly, fileHeaders, forever, type Headers, indexHeaders } from './content-headers.ts';
import { entityTag, namesTag } from './entity-tag.ts';
import { createSiteDocuments, digestFolder, type SiteArtifact, type SiteDocument } from './site-documents.ts';
import type { PublishedSkill } from './site-plan.ts';

export interface WellKnownOptions {
  /** In which form skills with several files are published. Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
  /** Where there is a faster one than that of WebCrypto. */
  readonly digest?: (bytes: Uint8Array) => string | Promise<string>;
  /** Told once about each skill that a reader of the site gets differently or not at all, when the index is asked for. */
  readonly onfinding?: (finding: Finding) => void;
  /** Whether not everybody may read the site, so that nobody but the reader may keep what it says. */
  readonly private?: boolean;
  /** Whether what was published a moment ago is still given by its digest. False where skills can be recalled. Default true. */
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

  /** Files of a snapshot by the paths under which they were asked for: most are asked for again. */
  let asked: { readonly snapshot: Snapshot; readonly files: Map<string, FileRecord> } | undefined;

  function remember(path: string, file: FileRecord | undefined, snapshot: Snapshot): FileRecord | undefined {
    if (file === undefined || snapshot.file(file.uri) !== file) return file;
    if (asked?.snapshot !== snapshot || asked.files.size >= limits.wellKnown.cachedPaths)
      asked = { snapshot, files: new Map() };
    asked.files.set(path, file);
    return file;
  }

  const told = new Set<string>();
  let last: readonly Finding[] | undefined;

  function tell(findings: readonly Finding[]): void {
    if (onfinding === undefined || findings === last) return;
    last = findings;
    for (const found of findings) {
      const key = `${found.rule} ${found.skill} ${found.message}`;
      if (!told.has(key)) onfinding(found);
      told.add(key);
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

  /** A file of a skill, as it is now. */
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

  async function archiveAnswer(request: PlainRequest, published: PublishedSkill | undefined): Promise<PlainAnswer> {
    if (published === undefined || published.type !== 'archive') return notFound;
    const { skill } = published;
    const facts = await artifacts.facts(skill);
    const bytes = await artifacts.archive(skill);
    // Changed since the snapshot: the next one has it as it is now.
    if (facts === undefined || bytes === undefined) return unavailable;
    const headers = archiveHeaders(archiveFormat, facts.digest, briefly(isPrivate(skill)));
    return whole(request, headers, bytes);
  }

  /** An artifact by its digest, which whoever asks can have only from an index. */
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
    const found = artifacts.kept(digest) ?? (artifact === undefined ? undefined : bytesOf(artifact));
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

  /** What an artifact has now, where that is what its digest says. */
  async function bytesOf({ published: { skill, type }, digest }: SiteArtifact): Promise<Uint8Array | undefined> {
    let bytes: Uint8Array | undefined;
    if (type === 'archive') bytes = await artifacts.archive(skill);
    else {
      const content = await catalog.read(skill.entry.uri, {});
      if (content.file.resource?.digest === digest) bytes = content.bytes;
    }
    if (bytes !== undefined) artifacts.keep(digest, bytes);
    return bytes;
  }

  function answerV02(request: PlainRequest, path: string, snapshot: Snapshot): MaybePromise<PlainAnswer> {
    const rest = path.slice(placeV02.length);
    if (rest === indexFileName)
      return andThen(documents.v02(snapshot), (index) => {
        tell(index.findings);
        return indexAnswer(request, index);
      });
    const { first, below } = placeOf(rest);
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
    const rest = path.slice(placeV01.length);
    if (rest === indexFileName) return andThen(documents.v01(snapshot), (index) => indexAnswer(request, index));
    const { first, below } = placeOf(rest);
    return andThen(documents.plan(snapshot), ({ byName }) => {
      const published = byName.get(first);
      const file = published?.inV01 === true ? published.skill.files.get(below) : undefined;
      return fileAnswer(request, remember(path, file, snapshot));
    });
  }

  return {
    answer(request) {
      const { target } = request;
      const query = target.indexOf('?');
      const path = query === -1 ? target : target.slice(0, query);
      const answerAt = path.startsWith(placeV02) ? answerV02 : path.startsWith(placeV01) ? answerV01 : undefined;
      if (answerAt === undefined) return undefined;
      const answer = (snapshot: Snapshot): MaybePromise<PlainAnswer> => {
        const known = asked?.snapshot === snapshot ? asked.files.get(path) : undefined;
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
  throw error;
}

/** The first segment of a path and what follows it, decoded once; nothing for a path that some reader could take for another one. */
function placeOf(rest: string): { readonly first: string; readonly below: string } {
  if (isPlainPath(rest)) {
    const slash = rest.indexOf('/');
    return slash === -1 ? { first: rest, below: '' } : { first: rest.slice(0, slash), below: rest.slice(slash + 1) };
  }
  const parsed = tryParseSkillUri(`skill://${rest}`);
  const [first = '', ...more] = parsed === undefined || parsed.trailingSlash ? [] : parsed.segments;
  return { first, below: more.join('/') };
}

function whole(request: PlainRequest, headers: Headers, bytes: Uint8Array): PlainAnswer {
  const tag = headers['etag'] ?? '';
  if (namesTag(request.header('if-none-match'), tag)) return notModified(tag, headers['cache-control'] ?? '');
  const asked = request.method === 'GET' ? request.header('range') : undefined;
  const condition = asked === undefined ? undefined : request.header('if-range');
  const range = condition === undefined || condition === tag ? byteRange(asked, bytes.length) : undefined;
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

const notFound = text(404, 'not found');
const unavailable = text(503, 'the skill is being changed; try again');
const unsatisfiable = text(416, 'there are no such bytes');
