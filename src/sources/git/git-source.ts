/**
 * A Git repository as a source of skills: the files of one commit, read with the system's git. What is fetched is kept as a bare
 * repository in the cache, one commit deep. A full commit id that was fetched once is read without the network. Programs that
 * read the same repository at once take turns; what a git that was killed left locked in there is thrown away and fetched again.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { type ArchiveTree, archiveTree } from '../archive/archive-tree.ts';
import { createPublisher, fileAt, type Publisher } from '../directory/publish-skills.ts';
import type { SkillSource } from '../skill-source.ts';
import { type CommitFiles, readCommit } from './read-commit.ts';
import { type GitRun, runGit } from './run-git.ts';

export interface GitSourceOptions {
  /** An address or a path that git understands. */
  readonly repository: string;
  /** A branch, a tag or a full commit id; default: what the repository's HEAD is. */
  readonly ref?: string;
  /** Where bare repositories are kept. */
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  /** Runs the work while no other process uses the bare repository at this path. */
  readonly exclusive: <T>(repository: string, work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;
}

interface Loaded {
  readonly revision: string;
  readonly at: number;
  readonly tree: ArchiveTree;
  readonly published: Publisher;
  readonly findings: readonly Finding[];
}

interface FetchedCommit {
  readonly revision: string;
  readonly commit?: CommitFiles;
}

const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function gitSource(options: GitSourceOptions): SkillSource {
  const { repository, ref, cacheFolder, env, timeoutMs, exclusive } = options;
  const shown = `${repository}${ref === undefined ? '' : `#${ref}`}`;
  const folder = join(cacheFolder, `${createHash('sha256').update(repository).digest('hex').slice(0, 32)}.git`);
  let loaded: Loaded | undefined;
  let work: Promise<unknown> = Promise.resolve();

  const git = (args: readonly string[], signal: AbortSignal | undefined, more: Partial<GitRun> = {}): Promise<string> =>
    runGit({ args, env, shown, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...more }).then((bytes) =>
      new TextDecoder().decode(bytes).trim(),
    );

  const hasCommit = async (id: string, signal: AbortSignal | undefined): Promise<boolean> => {
    const said = await git(['-C', folder, 'cat-file', '--batch-check'], signal, { input: `${id}\n` });
    return said.startsWith(`${id} commit `);
  };

  async function fetchCommit(signal: AbortSignal | undefined): Promise<string> {
    await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
    await git(['init', '--bare', '--quiet', folder], signal);
    if (ref !== undefined && commitId.test(ref) && (await hasCommit(ref, signal))) return ref;
    const fetch = ['-C', folder, 'fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--force'];
    const kept = `refs/skillwire/${createHash('sha256')
      .update(ref ?? 'HEAD')
      .digest('hex')
      .slice(0, 32)}`;
    try {
      await git([...fetch, '--depth', '1', repository, `+${ref ?? 'HEAD'}:${kept}`], signal);
    } catch (error) {
      const unasked =
        error instanceof SkillwireError && (error.code === 'ORIGIN_NOT_FOUND' || error.code === 'ORIGIN_FAILED');
      if (!unasked || ref === undefined || !commitId.test(ref)) throw error;
      // Some servers give no commit by its id: it is looked for in everything that they do give.
      await git(
        [...fetch, repository, '+refs/heads/*:refs/skillwire/heads/*', '+refs/tags/*:refs/skillwire/tags/*'],
        signal,
      );
      if (await hasCommit(ref, signal)) return ref;
      throw new SkillwireError(
        'ORIGIN_NOT_FOUND',
        `${quoteText(repository)} has no commit ${ref}; it may have been rewritten`,
        {
          data: { repository, ref },
          cause: error,
        },
      );
    }
    return git(['-C', folder, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${kept}^{commit}`], signal);
  }

  /** Without the files where they are those that are loaded. */
  async function fetchAndRead(signal: AbortSignal | undefined): Promise<FetchedCommit> {
    const revision = await fetchCommit(signal).catch(async (error: unknown) => {
      if (!isLeftLocked(error)) throw error;
      await putAway(folder);
      return fetchCommit(signal);
    });
    if (loaded?.revision === revision) return { revision };
    const where = { folder, env, shown, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    return { revision, commit: await readCommit(revision, where) };
  }

  async function renew(signal: AbortSignal | undefined, again: boolean): Promise<Loaded> {
    const old = loaded !== undefined && Date.now() - loaded.at > limits.mirror.leastMs;
    if (loaded !== undefined && !(again && old)) return loaded;
    const { revision, commit } = await exclusive(folder, () => fetchAndRead(signal), signal);
    if (loaded !== undefined && commit === undefined) {
      loaded = { ...loaded, at: Date.now() };
      return loaded;
    }
    const { files, findings } = commit ?? { files: [], findings: [] };
    const tree = await archiveTree(files, shown);
    const published = createPublisher(tree.reader);
    published.accept(await published.propose([{ tree: tree.tree, nested: true }]));
    loaded = { revision, at: Date.now(), tree, published, findings };
    return loaded;
  }

  /** One after the other: who comes meanwhile gets what the first one loads. */
  function current(signal: AbortSignal | undefined, again = false): Promise<Loaded> {
    const next = work.then(() => renew(signal, again));
    work = next.catch(() => undefined);
    return next;
  }

  return {
    name: shown,
    watched: false,
    async *list({ signal }) {
      const { published, findings } = await current(signal, true);
      const skills = [...published.skills.values()].map(({ skill }) => skill);
      yield { skills, findings: [...findings, ...published.findings] };
    },
    async get(uri, { signal }) {
      const { published } = await current(signal);
      return published.skills.get(tryParseSkillUri(uri)?.uri ?? uri)?.skill;
    },
    async open(uri, { signal }) {
      const { published, tree } = await current(signal);
      const file = fileAt(published.skills, uri);
      const bytes = file === undefined ? undefined : tree.bytesOf(file.node);
      return file === undefined || bytes === undefined ? undefined : { bytes, digest: file.facts.digest };
    },
    async status({ signal }) {
      return { skills: true, directoryRead: false, revision: (await current(signal)).revision };
    },
    async close() {
      await work;
    },
  };
}

/**
 * Takes a repository out of the way at once, and deletes it as far as that can be done: a git may have outlived the process that
 * started it, and still write. What is left then goes the next time.
 */
async function putAway(folder: string): Promise<void> {
  const mark = `${basename(folder)}.left-`;
  await rename(folder, join(dirname(folder), `${mark}${randomBytes(6).toString('hex')}`));
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(mark)) continue;
    try {
      await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

/** Nobody else is in there now, so what is locked was left by a git that was killed. */
function isLeftLocked(error: unknown): boolean {
  return error instanceof SkillwireError && error.data['leftLocked'] === true;
}
