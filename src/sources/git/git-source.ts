/**
 * Serves skills from one commit of a Git repository, read with the system's git. Fetched commits are cached in a bare
 * repository, one commit deep. A full commit id that was fetched once needs no network. Processes that read the same
 * repository take turns. A cached repository that a killed git left locked is discarded and fetched again.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AddressRulesOptions } from '../../outbound/address-rules.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { type PublishedFiles, publishFiles } from '../archive/published-files.ts';
import type { AgentFolders } from '../directory/directory-root.ts';
import type { SkillSource } from '../skill-source.ts';
import { type CommitFiles, readCommit } from './read-commit.ts';
import { repositoryRoutes } from './repository-route.ts';
import {
  type GitAccess,
  type GitCredentials,
  type GitEnvironment,
  type GitRun,
  runGit,
  withoutNetwork,
} from './run-git.ts';

export interface GitSourceOptions {
  /** An address or path that git understands. */
  readonly repository: string;
  /** A branch, a tag or a full commit id. Default: the repository's HEAD. */
  readonly ref?: string;
  /** Only skills of this folder, with the URIs that they have in the whole repository. */
  readonly path?: string;
  /** The folder of the cached bare repositories. */
  readonly cacheFolder: string;
  readonly env: GitEnvironment;
  /** Default: the user's. */
  readonly credentials?: GitCredentials;
  /** Which hosts may be contacted. Without a trusted host, no private one. */
  readonly addresses?: AddressRulesOptions;
  readonly timeoutMs?: number;
  /** Whether to read skills in hidden agent folders (`.claude/skills`). Default false. */
  readonly agentFolders?: AgentFolders;
  /** Files, by their path in the repository, to publish although they are hidden or look like secrets. */
  readonly publish?: readonly string[];
  /** Runs the work while no other process uses the bare repository at this path. */
  readonly exclusive: <T>(repository: string, work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;
}

interface Loaded {
  readonly revision: string;
  readonly at: number;
  readonly published: PublishedFiles;
  readonly findings: readonly Finding[];
  readonly movedTo: string | undefined;
}

interface FetchedCommit {
  readonly revision: string;
  readonly movedTo: string | undefined;
  readonly commit?: CommitFiles;
}

const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function gitSource(options: GitSourceOptions): SkillSource {
  const {
    repository,
    ref,
    path,
    cacheFolder,
    env,
    credentials = 'user',
    addresses = {},
    timeoutMs,
    exclusive,
  } = options;
  const shown = `${repository}${ref === undefined ? '' : `#${ref}`}`;
  const folder = join(cacheFolder, `${shortHash(repository)}.git`);
  let loaded: Loaded | undefined;
  let work: Promise<unknown> = Promise.resolve();

  const defaults = { env, shown, cwd: cacheFolder, timeoutMs };
  const inFolder = `--git-dir=${folder}`;
  const git = async (
    args: readonly string[],
    signal: AbortSignal | undefined,
    more: Partial<GitRun> = {},
  ): Promise<string> => {
    const bytes = await runGit({ ...defaults, args, access: withoutNetwork, signal, ...more });
    return new TextDecoder().decode(bytes).trim();
  };
  const routes = repositoryRoutes({
    repository,
    credentials,
    addresses,
    env,
    git: async (args, access, signal) => {
      try {
        return await git([inFolder, ...args], signal, { access });
      } catch (error) {
        if (error instanceof SkillwireError && error.data['exit'] === 1) return undefined;
        throw error;
      }
    },
  });

  const hasCommit = async (id: string, signal: AbortSignal | undefined): Promise<boolean> => {
    const answer = await git([inFolder, 'cat-file', '--batch-check'], signal, { input: `${id}\n` });
    return answer.startsWith(`${id} commit `);
  };

  /** Returns the repository's new address if it redirects. */
  async function fetch(
    options: readonly string[],
    refs: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const command = [inFolder, 'fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--force', ...options];
    const from = (where: string, access: GitAccess): Promise<string> =>
      git([...command, where, ...refs], signal, { access });
    const named = await routes.named(signal);
    try {
      await from(named.repository, named.access);
      return undefined;
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.data['redirected'] !== true) throw error;
    }
    const moved = await named.redirected(signal);
    await from(moved.repository, moved.access);
    return moved.repository;
  }

  async function fetchCommit(signal: AbortSignal | undefined): Promise<Omit<FetchedCommit, 'commit'>> {
    await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
    await git(['init', '--bare', '--quiet', '--template=', folder], signal);
    if (ref !== undefined && commitId.test(ref) && (await hasCommit(ref, signal)))
      return { revision: ref, movedTo: undefined };
    const cachedRef = `refs/skillwire/${shortHash(ref ?? 'HEAD')}`;
    let movedTo: string | undefined;
    try {
      movedTo = await fetch(['--depth', '1'], [`+${ref ?? 'HEAD'}:${cachedRef}`], signal);
    } catch (error) {
      const isRefused =
        error instanceof SkillwireError && (error.code === 'ORIGIN_NOT_FOUND' || error.code === 'ORIGIN_FAILED');
      if (!isRefused || ref === undefined || !commitId.test(ref)) throw error;
      // Some servers do not serve a commit by its id. Then all branches and tags are fetched and searched.
      const everything = ['+refs/heads/*:refs/skillwire/heads/*', '+refs/tags/*:refs/skillwire/tags/*'];
      movedTo = await fetch([], everything, signal);
      if (await hasCommit(ref, signal)) return { revision: ref, movedTo };
      throw new SkillwireError(
        'ORIGIN_NOT_FOUND',
        `${quoteText(repository)} has no commit ${ref}. Its history may have been rewritten.`,
        { data: { repository, ref }, cause: error },
      );
    }
    const fetched = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${cachedRef}^{commit}`];
    return { revision: await git([inFolder, ...fetched], signal), movedTo };
  }

  /** Omits the files if this revision is already loaded. */
  async function fetchAndRead(signal: AbortSignal | undefined): Promise<FetchedCommit> {
    const { revision, movedTo } = await fetchCommit(signal).catch(async (error: unknown) => {
      if (!isLeftLocked(error)) throw error;
      await discard(folder);
      return fetchCommit(signal);
    });
    if (loaded?.revision === revision) return { revision, movedTo };
    const run = { ...defaults, folder, signal, access: withoutNetwork };
    return { revision, movedTo, commit: await readCommit(revision, run, path) };
  }

  async function renew(signal: AbortSignal | undefined, again: boolean): Promise<Loaded> {
    const isOld = loaded !== undefined && Date.now() - loaded.at > limits.mirror.leastMs;
    if (loaded !== undefined && !(again && isOld)) return loaded;
    const { revision, movedTo, commit } = await exclusive(folder, () => fetchAndRead(signal), signal);
    if (loaded !== undefined && commit === undefined) {
      loaded = { ...loaded, movedTo, at: Date.now() };
      return loaded;
    }
    const { files, ignoreLinks, findings } = commit ?? { files: [], ignoreLinks: [], findings: [] };
    const published = await publishFiles(files, shown, {
      ignoreLinks,
      agentFolders: options.agentFolders,
      publish: options.publish,
    });
    loaded = { revision, movedTo, at: Date.now(), published, findings };
    return loaded;
  }

  /** Runs one load at a time; later callers get its result. */
  function current(signal: AbortSignal | undefined, again = false): Promise<Loaded> {
    const next = work.then(() => renew(signal, again));
    work = next.catch(() => undefined);
    return next;
  }

  return {
    name: shown,
    watched: false,
    async *list({ signal }) {
      const { published, findings, movedTo } = await current(signal, true);
      yield published.page([...elsewhere(repository, movedTo), ...findings]);
    },
    get: async (uri, { signal }) => (await current(signal)).published.skill(uri),
    open: async (uri, { signal }) => (await current(signal)).published.file(uri),
    async status({ signal }) {
      return { skills: true, directoryRead: false, revision: (await current(signal)).revision };
    },
    async close() {
      await work;
      routes.close();
    },
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Anyone can take over an abandoned name, so a redirect is reported even within one host. */
function elsewhere(repository: string, movedTo: string | undefined): readonly Finding[] {
  if (movedTo === undefined) return [];
  return [finding('repository-elsewhere', `${quoteText(repository)} redirects to ${quoteText(movedTo)}`)];
}

/**
 * Moves a repository aside and deletes as much of it as possible: a git may have outlived its parent process and still
 * write. The next run deletes what remains.
 */
async function discard(folder: string): Promise<void> {
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

/** No other process uses the repository now, so a lock was left by a killed git. */
function isLeftLocked(error: unknown): boolean {
  return error instanceof SkillwireError && error.data['leftLocked'] === true;
}
