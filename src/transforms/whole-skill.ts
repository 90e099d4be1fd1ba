/**
 * Reads every reachable file of a skill once: the files that its entry names or its origin lists. If there may be more, the directories of
 * the origin are walked, if it supports that, and the links in the Markdown files are followed. A known file that cannot be read is
 * reported, so that a snapshot is never incomplete without notice.
 */
import { isLostFile, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { type SkillResource, skillFileName } from '../skill/entry.ts';
import { linkedPaths } from '../skill/linked-paths.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import { pathBelow } from '../skill/resource-uri.ts';
import { type PromisedBytes, verifyBytes } from '../skill/verify-bytes.ts';
import type { SkillSource, SourceContext, SourceSkill } from '../sources/skill-source.ts';

export interface MissingFile {
  /** Relative to the skill. */
  readonly path: string;
  readonly reason: string;
}

/** @param resources every file that was read is added; files already in it are not read */
export async function readWhole(
  source: SkillSource,
  { entry, partial }: SourceSkill,
  resources: Map<string, SkillResource>,
  context: SourceContext,
) {
  const { uri } = entry;
  const folder = uri.slice(0, -skillFileName.length);
  const files = new Map<string, Uint8Array>();
  const missing = new Map<string, string>();
  let left: number = limits.skill.bytes;

  /** `undefined` if the file cannot be read; the reason is recorded. */
  async function take(file: PromisedBytes): Promise<Uint8Array | undefined> {
    const path = pathBelow(uri, file.uri);
    try {
      const opened = await source.open(file.uri, { ...context, maxBytes: left });
      if (opened === undefined) throw notThere(file.uri);
      const { bytes } = opened;
      await verifyBytes(bytes, file);
      const digest = await sha256Digest(bytes);
      left = Math.max(0, left - bytes.length);
      files.set(digest, bytes);
      resources.set(file.uri, { uri: file.uri, digest, size: bytes.length });
      return bytes;
    } catch (error) {
      if (file.uri === uri || entry.resources !== 'dynamic' || !isLostFile(error)) throw error;
      missing.set(path, error.message);
      return undefined;
    }
  }

  const listed = entry.resources === 'dynamic' ? (partial?.files ?? [{ uri }]) : entry.resources;
  const more = entry.resources === 'dynamic' && (partial === undefined || partial.more === true);
  const wanted: PromisedBytes[] = [...listed];
  if (more) wanted.push(...(await walked(source, folder, context)).map((own) => ({ uri: own })));
  const seen = new Set<string>(resources.keys());
  for (let file = wanted.shift(); file !== undefined; file = wanted.shift()) {
    if (seen.has(file.uri) || seen.size > limits.skill.files) continue;
    seen.add(file.uri);
    const bytes = await take(file);
    const path = pathBelow(uri, file.uri);
    const text = more && bytes !== undefined && path.endsWith('.md') ? decodeUtf8(bytes) : undefined;
    if (text !== undefined) for (const other of linkedPaths(text, path)) wanted.push({ uri: folder + encoded(other) });
  }
  return {
    /** By digest. */
    files,
    missing: [...missing].map(([path, reason]) => ({ path, reason })),
  };
}

function notThere(uri: string): SkillwireError {
  return new SkillwireError(
    'FILE_NOT_FOUND',
    `Cannot pin ${quoteText(uri)}: the origin does not have it. Report this to its operator.`,
    {
      data: { uri },
    },
  );
}

/** Files below a folder, from the directories of the origin; none if it does not support reading them. */
async function walked(source: SkillSource, folder: string, context: SourceContext): Promise<readonly string[]> {
  if (source.readDirectory === undefined) return [];
  const files: string[] = [];
  const folders = [folder.replace(/\/$/, '')];
  const seen = new Set(folders);
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    const children = await source.readDirectory(next, context).catch(ignoreAnswer);
    for (const child of children ?? []) {
      if (!child.uri.startsWith(folder) || seen.has(child.uri) || seen.size > limits.skill.files) continue;
      seen.add(child.uri);
      (child.directory ? folders : files).push(child.uri);
    }
  }
  return files;
}

/** A directory that cannot be read adds no files. */
function ignoreAnswer(error: unknown): undefined {
  if (isLostFile(error)) return undefined;
  throw error;
}

function encoded(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.normalize('NFC')))
    .join('/');
}
