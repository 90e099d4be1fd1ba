/**
 * An archive as a source of skills: one skill at its root, or a tree of skills as a folder would have it. The archive is unpacked
 * in memory and never to a disk. It is refused as a whole where `unpackArchive()` refuses it; else entries, digests and findings are
 * those that a folder with the same files gives.
 *
 * A file is looked at again whenever something is asked for. While a changed file cannot be used, the skills are those of the last
 * one that could, and a finding says so.
 */
import { archiveFormatOfName } from '../../archive/archive-file.ts';
import { unpackArchive } from '../../archive/unpack.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { AssembledFile } from '../directory/folder-node.ts';
import { createPublisher, fileAt, type Publisher } from '../directory/publish-skills.ts';
import type { SkillSource, SourceFile } from '../skill-source.ts';
import { type ArchiveTree, archiveTree } from './archive-tree.ts';
import { archiveStamp, readArchiveFile } from './read-archive-file.ts';

export interface ArchiveBytes {
  readonly bytes: Uint8Array;
  /** For messages; where it ends as names of archives do, the bytes must be what it says. */
  readonly name: string;
}

/** Options of `archiveSource()`. */
export interface ArchiveSourceOptions {
  /** First segment of the URIs: `skill://<label>/<path>/SKILL.md`. Without it: `skill://<path>/SKILL.md`. */
  readonly label?: string;
  /** False: a skill inside a skill is only files of the outer one. Default true. */
  readonly nested?: boolean;
  /** Whether skills in the hidden folders of agents (`.claude/skills`) are read. Default false. */
  readonly agentFolders?: boolean;
}

/** What was made of one state of the archive. */
interface Loaded {
  readonly stamp: string | undefined;
  readonly tree: ArchiveTree;
  readonly published: Publisher;
  /** Why the file as it is now cannot be used. */
  readonly stale: Finding | undefined;
}

/**
 * A source of the skills in an archive.
 *
 * @example
 * ```ts
 * const source = archiveSource('./git-workflow.tar.gz');
 * ```
 */
export function archiveSource(archive: string | ArchiveBytes, options: ArchiveSourceOptions = {}): SkillSource {
  const name = typeof archive === 'string' ? archive : archive.name;
  let loaded: Loaded | undefined;
  let work: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function load(content: ArchiveBytes, stamp: string | undefined, signal?: AbortSignal): Promise<Loaded> {
    const format = archiveFormatOfName(name);
    const files = await unpackArchive(content.bytes, { limits: limits.archive.tree, format, signal });
    const tree = await archiveTree(files, name, { agentFolders: options.agentFolders });
    const published = createPublisher(tree.reader);
    const { label, nested = true } = options;
    published.accept(await published.propose([{ tree: tree.tree, nested, label }]));
    return { stamp, tree, published, stale: undefined };
  }

  /** The archive as it is now. */
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
      const message = `the archive was changed and cannot be used, so its skills are served as they were: ${error.message}`;
      loaded = {
        ...loaded,
        stamp: await archiveStamp(archive),
        stale: finding('archive-unusable', message, { file: archive }),
      };
    }
    return loaded;
  }

  /** One after the other: who comes meanwhile gets what the first one loads. */
  async function current(signal?: AbortSignal): Promise<Loaded> {
    if (closed) throw new SkillwireError('CLOSED', `cannot read "${name}": its source was closed`);
    const next = work.then(() => renew(signal));
    work = next.catch(() => undefined);
    return next;
  }

  return {
    name,
    watched: false,
    async *list({ signal }) {
      const { published, tree, stale } = await current(signal);
      const skills = [...published.skills.values()].map(({ skill }) => skill);
      yield { skills, findings: [...(stale === undefined ? [] : [stale]), ...published.findings, ...tree.leftOut] };
    },
    async get(uri, { signal }) {
      const { published } = await current(signal);
      return published.skills.get(tryParseSkillUri(uri)?.uri ?? uri)?.skill;
    },
    async open(uri, { signal }) {
      const { published, tree } = await current(signal);
      const file = fileAt(published.skills, uri);
      return file === undefined ? undefined : contentOf(file, tree);
    },
    async isCurrent(uri, digest) {
      const { published } = await current();
      return fileAt(published.skills, uri)?.facts.digest === digest;
    },
    async close() {
      closed = true;
      await work;
      loaded = undefined;
    },
  };
}

function contentOf(file: AssembledFile, tree: ArchiveTree): SourceFile | undefined {
  const bytes = tree.bytesOf(file.node);
  return bytes === undefined ? undefined : { bytes, digest: file.facts.digest };
}
