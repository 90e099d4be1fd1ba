/**
 * Loads a skill whose files are separate resources, or the instructions of a SEP-2076 skill. `SKILL.md` is read for the
 * listing only if the wire does not carry its frontmatter; a digest beside it is verified at once.
 *
 * FastMCP changes line endings. Bytes that differ from the promised ones only in that are restored, which their digest
 * proves, and reported. All other bytes are passed on unchanged, and fail verification later.
 */
import { type DialectFile, type DialectSkill, pathBelow } from '../../../dialects/dialect-skill.ts';
import { decodeManifest, manifestUri, withManifest } from '../../../dialects/fastmcp/manifest.ts';
import { restoreReceived } from '../../../dialects/fastmcp/received-file.ts';
import { createPathSet, relativePathFault } from '../../../dialects/relative-path.ts';
import { decodeResourcePage } from '../../../dialects/resource-list/decode-resources-list.ts';
import { decodeNamedSkill, type NamedSkillReading } from '../../../dialects/sep-2076/decode-named.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { decodeDocuments } from '../../../dialects/skills-over-mcp/groves-documents.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { type Frontmatter, skillFileName } from '../../../skill/entry.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { decodeUtf8 } from '../../../skill/media-type.ts';
import { tryParseResourceUri } from '../../../skill/resource-uri.ts';
import { RpcError } from '../wire.ts';
import { findContent, type RequestServer, type ResourceReadOptions, readContent } from './ask.ts';
import type { Collections } from './collections.ts';
import { allPages, type Interview } from './interview.ts';
import {
  type DialectLoadOptions,
  fileUriOf,
  type LoadedDialectSkill,
  requireDigest,
  skillWith,
} from './loaded-skill.ts';
import { readHead, withHead } from './skill-head.ts';

export interface TextOptions extends DialectLoadOptions {
  /** The URI of the skill's file list, in dialects that have one. */
  readonly documents?: string | undefined;
  /** Files that `resources/list` shows in the skill's folder, if that says anything about its files. */
  readonly siblings: (skill: DialectSkill) => Promise<readonly DialectFile[]>;
  readonly collections: Collections;
}

export async function loadText(row: DialectSkill, options: TextOptions): Promise<LoadedDialectSkill> {
  const { dialect, uri, ask, signal, onBytes } = options;
  const remarks: Remark[] = [];
  const listed = await withFiles(row, options, remarks);
  const { skill } = listed;
  const main = skill.retrievals.find((way) => way.kind === 'read');
  if (main === undefined) throw new TypeError(`"${uri}" cannot be read`);
  const files = new Map<string, DialectFile>(
    Array.isArray(skill.files) ? skill.files.map((file: DialectFile) => [file.path, file]) : [],
  );
  const promisedMain = { uri: main.uri, digest: main.digest, size: files.get(skillFileName)?.size };

  /** Unchanged, except for line endings. */
  async function readFile(path: string, read: ResourceReadOptions): Promise<Uint8Array | undefined> {
    if (dialect === 'skilljack' && path !== skillFileName) return options.collections.file(skill.name, path, read);
    const own = path === skillFileName ? promisedMain : files.get(path);
    if (own === undefined && !hasFolder(skill)) return undefined;
    const bytes = await findContent(ask, own?.uri ?? fileUriOf(skill.uri, path), read);
    if (bytes === undefined || dialect !== 'fastmcp' || own?.digest === undefined) return bytes;
    const received = await restoreReceived(bytes, { digest: own.digest, size: own.size });
    if (received.verdict === 'line-ends') options.onRemark(changedLineEnds(path, fileUriOf(uri, path)));
    return received.bytes;
  }

  async function readMain(read: ResourceReadOptions): Promise<Uint8Array> {
    const bytes = (await readFile(skillFileName, read)) ?? (await readContent(ask, promisedMain.uri, read));
    onBytes(bytes.byteLength);
    await requireDigest(bytes, uri, promisedMain.digest, options.digest);
    return bytes;
  }

  let made: Frontmatter | undefined;
  let { frontmatter } = skill;
  if (frontmatter === undefined) {
    const bytes = await readMain({ maxBytes: limits.host.skillMdBytes, signal });
    const head = readHead(skill, uri, bytes, dialect);
    remarks.push(...head.remarks);
    frontmatter = head.frontmatter;
    if (head.made) made = frontmatter;
  }
  const complete = listed.complete;
  return {
    skill: { ...skillWith(skill, uri, frontmatter, { made: made !== undefined, complete }), listed: true },
    remarks,
    async file(path, read) {
      if (made === undefined || path !== skillFileName) return readFile(path, read);
      return withHead(made, decodeUtf8(await readMain(read)) ?? '');
    },
  };
}

/** Whether files are beside `SKILL.md`, each at its path. */
function hasFolder({ uri }: DialectSkill): boolean {
  return uri.endsWith(`/${skillFileName}`);
}

interface WithFiles {
  readonly skill: DialectSkill;
  readonly complete: boolean;
}

/** The skill with the files that its dialect lists. */
async function withFiles(skill: DialectSkill, options: TextOptions, remarks: Remark[]): Promise<WithFiles> {
  const { dialect, documents, uri, signal } = options;
  if (skill.files !== 'unknown') return { skill, complete: true };
  const place = dialect === 'fastmcp' ? manifestUri(skill.uri) : documents;
  if (place === undefined) {
    if (dialect === 'nimblebrain' || dialect === 'skills-over-mcp')
      return { skill: { ...skill, files: [] }, complete: true };
    if (dialect === 'skilljack') {
      const { files, complete } = await options.collections.files(skill.name, signal);
      return { skill: { ...skill, files }, complete };
    }
    const files = await options.siblings(skill);
    return files.length === 0 ? { skill, complete: true } : { skill: { ...skill, files }, complete: false };
  }
  const rule = dialect === 'fastmcp' ? 'fastmcp:manifest-rows' : 'som:documents';
  try {
    const bytes = await readContent(options.ask, place, { maxBytes: limits.origin.pageBytes, signal });
    options.onBytes(bytes.byteLength);
    const document: unknown = JSON.parse((decodeUtf8(bytes) ?? '').replace(/^\ufeff/, ''));
    const manifest = dialect === 'fastmcp' ? decodeManifest(document, skill.uri) : undefined;
    const { files, refused } = manifest ?? decodeDocuments(document, skill.skillPath);
    for (const { message } of refused) remarks.push(remark(rule, `a file is not included: ${message}`, uri));
    remarks.push(...(manifest?.remarks ?? []));
    const known = manifest === undefined ? { ...skill, files } : withManifest(skill, manifest);
    return { skill: known, complete: refused.length === 0 };
  } catch (error) {
    if (!isUseless(error)) throw error;
    const why = error instanceof RpcError ? `returns error ${error.code}` : 'is unusable';
    remarks.push(remark(rule, `${quoteText(place)} ${why}, so the skill's files are unknown`, uri));
    return { skill, complete: true };
  }
}

/** Whether there was an answer, but an unusable one. */
function isUseless(error: unknown): boolean {
  if (error instanceof RpcError || error instanceof SyntaxError) return true;
  return error instanceof SkillwireError && (error.code === 'BAD_ANSWER' || error.code === 'VERIFICATION_FAILED');
}

function changedLineEnds(path: string, uri: string): Remark {
  return remark(
    'fastmcp:line-ends',
    `the server changes the line endings of ${quoteText(path)}; with the original ones it matches the manifest`,
    uri,
  );
}

/** Loads a SEP-2076 skill: `SKILL.md` is composed from its list row and `skills/get`; its files are resources. Nothing has digests. */
export async function loadNamed(skill: DialectSkill, options: DialectLoadOptions): Promise<LoadedDialectSkill> {
  const { ask, signal, uri, onBytes } = options;
  const { name } = skill;

  async function get(wanted: AbortSignal | undefined): Promise<NamedSkillReading> {
    const result = await ask('skills/get', { name }, { maxBytes: limits.origin.pageBytes, signal: wanted });
    const reading = decodeNamedSkill(result, name);
    onBytes(reading.instructions.length);
    return reading;
  }

  const remarks: Remark[] = [];
  const { files, refused, description: received } = await get(signal);
  for (const { message } of refused) remarks.push(remark('sep2076:get', `a file is not included: ${message}`, uri));
  const description = skill.description ?? received ?? `Skill: ${name}`;
  const frontmatter = { name, description: description.slice(0, limits.skill.descriptionLength) };
  const complete = refused.length === 0;
  return {
    skill: { ...skillWith({ ...skill, files }, uri, frontmatter, { made: true, complete }), listed: true },
    remarks,
    async file(path, read) {
      if (path === skillFileName) return withHead(frontmatter, (await get(read.signal)).instructions);
      const own = files.find((file) => file.path === path);
      return own === undefined ? undefined : findContent(ask, own.uri, read);
    },
  };
}

export type Siblings = (skill: DialectSkill) => Promise<readonly DialectFile[]>;

/**
 * Finds a skill's files beside its `SKILL.md` in `resources/list`, for dialects without another list. Servers need not list
 * files, so the result may be incomplete. The pages that identified the dialect are reused; otherwise the list is requested
 * once, for the first skill that needs it.
 */
export function siblingsOf(ask: RequestServer, interview: Interview): Siblings {
  let uris: Promise<readonly string[]> | undefined;

  async function listedUris(): Promise<readonly string[]> {
    const known = [...interview.results('resources-list'), ...interview.results('scoped-list')];
    const pages = known.length > 0 ? known : await requestPages();
    return pages.flatMap((page) => decodeResourcePage(page).resources.map(({ uri }) => uri));
  }

  /** Empty if the server has no such list: skills are read without it. */
  async function requestPages(): Promise<readonly unknown[]> {
    const { capabilities } = interview;
    if (!isJsonObject(capabilities) || !isJsonObject(capabilities['resources'])) return [];
    const { results } = await allPages(ask, 'resources/list', {}, undefined);
    return results;
  }

  return async (skill) => {
    try {
      uris ??= listedUris();
      return filesIn(skill, await uris);
    } catch (error) {
      if (error instanceof RpcError || (error instanceof SkillwireError && isAnswer(error))) return [];
      throw error;
    }
  };
}

function isAnswer({ code }: SkillwireError): boolean {
  return code === 'BAD_ANSWER' || code === 'VERIFICATION_FAILED' || code === 'TIMED_OUT';
}

function filesIn({ uri, skillPath }: DialectSkill, uris: readonly string[]): readonly DialectFile[] {
  const folder = uri.slice(0, -skillFileName.length);
  if (!uri.endsWith(`/${skillFileName}`)) return [];
  const paths = createPathSet();
  const files: DialectFile[] = [];
  for (const own of uris) {
    if (!own.startsWith(folder) || own === uri || own === manifestUri(uri)) continue;
    if (tryParseResourceUri(own) === undefined || files.length >= limits.skill.files) continue;
    const path = pathBelow(skillPath, own);
    if (relativePathFault(path) === undefined && paths.add(path) === undefined) files.push({ path, uri: own });
  }
  return files;
}
