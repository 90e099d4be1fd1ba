/**
 * A catalog over plain HTTP, as both published forms of well-known discovery describe it (v0.2.0 and v0.1), from the same
 * snapshots as every other surface. GET and HEAD only; entity tags are digests; nothing is ever compressed on the way, so that
 * the digest of what arrives is the digest of what was sent.
 *
 * A path is looked up in what was published and nowhere else. What an answer says depends on the path, on the conditions and
 * the range that the request names, and on nothing else of it.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { FileRecord, SkillRecord } from '../../catalog/snapshot.ts';
import { folderV01, folderV02, indexFileName } from '../../dialects/well-known/index-places.ts';
import { SkillwireError } from '../../errors.ts';
import { sha256Digest } from '../../skill/digest.ts';
import type { Finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { PlainAnswer, PlainRequest, PlainSurface } from '../plain-answer.ts';
import { createArtifacts } from './artifacts.ts';
import { byteRange } from './byte-range.ts';
import { archiveHeaders, briefly, fileHeaders, forever, type Headers, indexHeaders } from './content-headers.ts';
import { entityTag, namesTag } from './entity-tag.ts';
import { createSiteDocuments, digestFolder, type SiteDocument } from './site-documents.ts';
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

export function wellKnownSurface(catalog: Catalog, settings: WellKnownOptions = {}): PlainSurface {
  const { archiveFormat = 'tar.gz', digest = sha256Digest, onfinding, keepReplaced = true } = settings;
  const isPrivate = (skill: SkillRecord | undefined): boolean =>
    settings.private === true || skill?.source.cacheScope === 'private';
  const options = { format: archiveFormat, digest, via: true };
  const artifacts = createArtifacts(catalog, options);
  const documents = createSiteDocuments(catalog, artifacts, options);
  const prepared = new WeakMap<FileRecord, Headers>();

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

  async function indexAnswer(request: PlainRequest, document: SiteDocument): Promise<PlainAnswer> {
    return whole(
      request,
      indexHeaders(document.digest, briefly(document.private || settings.private === true)),
      document.bytes,
    );
  }

  /** A file of a skill, as it is now. */
  async function fileAnswer(request: PlainRequest, file: FileRecord | undefined): Promise<PlainAnswer> {
    if (file?.resource === undefined) return notFound;
    const cacheControl = briefly(isPrivate(file.skill));
    const tag = entityTag(file.resource.digest);
    if (namesTag(request.header('if-none-match'), tag)) return notModified(tag, cacheControl);
    const { file: now, bytes } = await catalog.read(file.uri, {});
    if (now.resource === undefined) return notFound;
    let headers = prepared.get(now);
    if (headers === undefined) {
      headers = fileHeaders(now.mediaType, bytes, now.resource.digest, cacheControl);
      prepared.set(now, headers);
    }
    return whole(request, headers, bytes);
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
  async function artifactAnswer(request: PlainRequest, digest: string, extension: string): Promise<PlainAnswer> {
    const artifact = (await documents.v02()).byDigest.get(digest);
    if (artifact === undefined && !keepReplaced) return notFound;
    const cacheControl = forever(isPrivate(artifact?.published.skill));
    if (extension !== 'md' && extension !== archiveFormat) return notFound;
    if (artifact !== undefined && (artifact.published.type === 'skill-md') !== (extension === 'md')) return notFound;
    const tag = entityTag(digest);
    if (artifact !== undefined && namesTag(request.header('if-none-match'), tag)) return notModified(tag, cacheControl);
    let bytes = artifacts.kept(digest);
    if (bytes === undefined && artifact !== undefined) {
      const { skill, type } = artifact.published;
      if (type === 'archive') bytes = await artifacts.archive(skill);
      else {
        const content = await catalog.read(skill.entry.uri, {});
        if (content.file.resource?.digest === digest) bytes = content.bytes;
      }
      if (bytes !== undefined) artifacts.keep(digest, bytes);
    }
    if (bytes === undefined) return notFound;
    const headers =
      extension === 'md'
        ? fileHeaders('text/markdown', bytes, digest, cacheControl)
        : archiveHeaders(archiveFormat, digest, cacheControl);
    return whole(request, headers, bytes);
  }

  async function answerV02(request: PlainRequest, rest: string): Promise<PlainAnswer> {
    if (rest === indexFileName) {
      const index = await documents.v02();
      tell(index.findings);
      return indexAnswer(request, index);
    }
    const [first = '', second = '', ...more] = segmentsOf(rest);
    const found = first === digestFolder && more.length === 0 ? artifactName.exec(second) : null;
    if (found !== null) return artifactAnswer(request, `sha256:${found[1]}`, String(found[2]));
    const { byName } = await documents.plan();
    const suffix = `.${archiveFormat}`;
    if (second === '')
      return first.endsWith(suffix) ? archiveAnswer(request, byName.get(first.slice(0, -suffix.length))) : notFound;
    return fileAnswer(request, byName.get(first)?.skill.files.get([second, ...more].join('/')));
  }

  async function answerV01(request: PlainRequest, rest: string): Promise<PlainAnswer> {
    if (rest === indexFileName) return indexAnswer(request, await documents.v01());
    const [first = '', ...path] = segmentsOf(rest);
    const published = (await documents.plan()).byName.get(first);
    return fileAnswer(request, published?.inV01 === true ? published.skill.files.get(path.join('/')) : undefined);
  }

  return {
    accepts: (method, target) =>
      (method === 'GET' || method === 'HEAD') && (target.startsWith(placeV02) || target.startsWith(placeV01)),
    async answer(request) {
      const { target } = request;
      const query = target.indexOf('?');
      const path = query === -1 ? target : target.slice(0, query);
      try {
        if (path.startsWith(placeV02)) return await answerV02(request, path.slice(placeV02.length));
        if (path.startsWith(placeV01)) return await answerV01(request, path.slice(placeV01.length));
        return undefined;
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        if (error.code === 'FILE_NOT_FOUND') return notFound;
        if (error.code === 'UNSTABLE') return unavailable;
        throw error;
      }
    },
  };
}

/** Decoded once; nothing for a path that some reader could take for another one. */
function segmentsOf(rest: string): readonly string[] {
  const parsed = tryParseSkillUri(`skill://${rest}`);
  return parsed === undefined || parsed.trailingSlash ? [] : parsed.segments;
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
