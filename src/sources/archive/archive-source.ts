/**
 * Serves skills from an archive: one skill at its root, or a tree of skills as in a folder. The archive is unpacked in
 * memory, never to disk. If `unpackArchive()` refuses it, no skill is served. Otherwise entries, digests and findings
 * equal those of a folder with the same files.
 *
 * The file is checked on every call. While a changed file cannot be used, the last usable one is served, with a
 * finding.
 */

import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { archiveFormatOfName } from '../../archive/archive-file.ts';
import { unpackArchive } from '../../archive/unpack.ts';
import { codeOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import {
  checkArgument,
  checkOptions,
  either,
  flag,
  oneOf,
  text,
  texts,
  withMembers,
} from '../../skill/checked-options.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { AgentFolders } from '../directory/directory-root.ts';
import type { SkillSource } from '../skill-source.ts';
import { type PublishedFiles, publishFiles } from './published-files.ts';

export interface ArchiveBytes {
  readonly bytes: Uint8Array;
  /** For messages. If it has an archive's file extension, the bytes must have that format. */
  readonly name: string;
}

/** Options of `archiveSource()`. */
export interface ArchiveSourceOptions {
  /** First segment of the URIs: `skill://<label>/<path>/SKILL.md`. Without it: `skill://<path>/SKILL.md`. */
  readonly label?: string;
  /** If false, a skill inside a skill is only files of the outer one. Default true. */
  readonly nested?: boolean;
  /** Whether to read skills in hidden agent folders (`.claude/skills`). Default false. */
  readonly agentFolders?: AgentFolders;
  /** Paths of files in the archive to publish although they are hidden or look like private keys or credentials. */
  readonly publish?: readonly string[];
}

const archiveNames = either(text, withMembers<ArchiveBytes>('an object with "bytes" and "name"', 'bytes', 'name'));

/** One loaded state of the archive. */
interface Loaded {
  readonly stamp: string | undefined;
  readonly published: PublishedFiles;
  /** Why the current file cannot be used. */
  readonly stale: readonly Finding[];
}

/**
 * Serves the skills in an archive.
 *
 * @example
 * ```ts
 * const source = archiveSource('./git-workflow.tar.gz');
 * ```
 *
 * @throws SkillwireError USAGE
 */
export function archiveSource(archive: string | ArchiveBytes, options: ArchiveSourceOptions = {}): SkillSource {
  checkArgument('archiveSource()', 'archive', archive, archiveNames);
  checkOptions('archiveSource()', options, {
    label: text,
    nested: flag,
    agentFolders: either(flag, oneOf('read')),
    publish: texts,
  });
  const name = typeof archive === 'string' ? archive : archive.name;
  let loaded: Loaded | undefined;
  let work: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function load(content: ArchiveBytes, stamp: string | undefined, signal?: AbortSignal): Promise<Loaded> {
    const format = archiveFormatOfName(name);
    const files = await unpackArchive(content.bytes, { limits: limits.archive.tree, format, signal });
    return { stamp, published: await publishFiles(files, name, options), stale: [] };
  }

  async function renew(signal?: AbortSignal): Promise<Loaded> {
    if (typeof archive !== 'string') {
      loaded ??= await load(archive, undefined, signal);
      return loaded;
    }
    if (loaded !== undefined && loaded.stamp === (await archiveStamp(archive))) return loaded;
    try {
      const { bytes, stamp } = await readArchiveFile(archive);
      loaded = await load({ bytes, name }, stamp, signal);
    } catch (error) {
      if (loaded === undefined || !(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
      const message = `the archive changed and cannot be used; its previous skills are still served: ${error.message}`;
      loaded = {
        ...loaded,
        stamp: await archiveStamp(archive),
        stale: [finding('archive-unusable', message, { file: archive })],
      };
    }
    return loaded;
  }

  /** Runs one load at a time; later callers get its result. */
  async function current(signal?: AbortSignal): Promise<Loaded> {
    if (closed) throw new SkillwireError('CLOSED', `Cannot read "${name}": its source is closed.`);
    const next = work.then(() => renew(signal));
    work = next.catch(() => undefined);
    return next;
  }

  return {
    name,
    watched: false,
    async *list({ signal }) {
      const { published, stale } = await current(signal);
      yield published.page(stale);
    },
    get: async (uri, { signal }) => (await current(signal)).published.skill(uri),
    open: async (uri, { signal }) => (await current(signal)).published.file(uri),
    isCurrent: async (uri, digest) => (await current()).published.file(uri)?.digest === digest,
    async close() {
      closed = true;
      await work;
      loaded = undefined;
    },
  };
}

/** O_NONBLOCK does not exist on Windows. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads an archive from disk, up to its limit. */
async function readArchiveFile(path: string) {
  try {
    const file = await open(path, flags);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw unreadable(path, 'it is not a file', 'Name an archive');
      if (stats.size > limits.archive.packedBytes) {
        const fault = `it has ${stats.size} bytes, more than ${limits.archive.packedBytes}`;
        throw new SkillwireError('ARCHIVE_TOO_LARGE', `Cannot use ${quoteText(path)}: ${fault}. Pack fewer files.`, {
          data: { path },
        });
      }
      const bytes = new Uint8Array(stats.size);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return {
        bytes: bytes.subarray(0, bytesRead),
        /** Changes when the file is changed or replaced. */
        stamp: stampOf(stats),
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw readFailure(error, path);
  }
}

/** The file's current stamp; `undefined` if it cannot be read. */
async function archiveStamp(path: string): Promise<string | undefined> {
  try {
    return stampOf(await stat(path));
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function readFailure(error: unknown, path: string): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const message = `Cannot read ${quoteText(path)}: there is no such file. Check the path.`;
    return new SkillwireError('ORIGIN_NOT_FOUND', message, { data: { path }, cause: error });
  }
  return unreadable(path, code ?? String(error), 'Check its permissions', error);
}

function unreadable(path: string, reason: string, remedy: string, cause?: unknown): SkillwireError {
  return new SkillwireError('ORIGIN_UNREADABLE', `Cannot read ${quoteText(path)}: ${reason}. ${remedy}.`, {
    data: { path },
    cause,
  });
}
