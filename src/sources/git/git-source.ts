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
import type { AddressRulesOptions } from '../../outbound/address-rules.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { type ArchiveTree, archiveTree } from '../archive/archive-tree.ts';
import { createPublisher, fileAt, type Publisher } from '../directory/publish-skills.ts';
import type { SkillSource } from '../skill-source.ts';
import { type Environment, type GitAccess, type GitCredentials, withoutNetwork } from './git-environment.ts';
import { type CommitFiles, readCommit } from './read-commit.ts';
import { repositoryRoutes } from './repository-route.ts';
import { type GitRun, runGit } from './run-git.ts';

export interface GitSourceOptions {
  /** An address or a path that git understands. */
  readonly repository: string;
  /** A branch, a tag or a full commit id; default: what the repository's HEAD is. */
  readonly ref?: string;
  /** Where bare repositories are kept. */
  readonly cacheFolder: string;
  readonly env: Environment;
  /** Default: those of the user. */
  readonly credentials?: GitCredentials;
  /** Which hosts may be asked. Without a trusted host none that is private. */
  readonly addresses?: AddressRulesOptions;
  readonly timeoutMs?: number;
  /** Whether skills in the hidden folders of agents (`.claude/skills`) are read. Default false. */
  readonly agentFolders?: boolean;
  /** Runs the work while no other process uses the bare repository at this path. */
  readonly exclusive: <T>(repository: string, work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;
}

interface Loaded {
  readonly revision: string;
  readonly at: number;
  readonly tree: ArchiveTree;
  readonly published: Publisher;
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
  const { repository, ref, cacheFolder, env, credentials = 'user', addresses = {}, timeoutMs, exclusive } = options;
  const shown = `${repository}${ref === undefined ? '' : `#${ref}`}`;
  const folder = join(cacheFolder, `${createHash('sha256').update(repository).digest('hex').slice(0, 32)}.git`);
  let loaded: Loaded | undefined;
  let work: Promise<unknown> = Promise.resolve();

  const usual = { env, shown, cwd: cacheFolder, timeoutMs };
  const inFolder = `--git-dir=${folder}`;
  const git = async (
    args: readonly string[],
    signal: AbortSignal | undefined,
    more: Partial<GitRun> = {},
  ): Promise<string> => {
    const bytes = await runGit({ ...usual, args, access: withoutNetwork, signal, ...more });
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
    const said = await git([inFolder, 'cat-file', '--batch-check'], signal, { input: `${id}\n` });
    return said.startsWith(`${id} commit `);
  };

  /** Gives the address that the repository has now if it redirects there. */
  async function fetch(
    options: readonly string[],
    refs: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const usually = [inFolder, 'fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--force', ...options];
    const from = (where: string, access: GitAccess): Promise<string> =>
      git([...usually, where, ...refs], signal, { access });
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
    const kept = `refs/skillwire/${createHash('sha256')
      .update(ref ?? 'HEAD')
      .digest('hex')
      .slice(0, 32)}`;
    let movedTo: string | undefined;
    try {
      movedTo = await fetch(['--depth', '1'], [`+${ref ?? 'HEAD'}:${kept}`], signal);
    } catch (error) {
      const unasked =
        error instanceof SkillwireError && (error.code === 'ORIGIN_NOT_FOUND' || error.code === 'ORIGIN_FAILED');
      if (!unasked || ref === undefined || !commitId.test(ref)) throw error;
      // Some servers give no commit by its id: it is looked for in everything that they do give.
      const everything = ['+refs/heads/*:refs/skillwire/heads/*', '+refs/tags/*:refs/skillwire/tags/*'];
      movedTo = await fetch([], everything, signal);
      if (await hasCommit(ref, signal)) return { revision: ref, movedTo };
      throw new SkillwireError(
        'ORIGIN_NOT_FOUND',
        `${quoteText(repository)} has no commit ${ref}; it may have been rewritten`,
        {
          data: { repository, ref },
          cause: error,
        },
      );
    }
    const fetched = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${kept}^{commit}`];
    return { revision: await git([inFolder, ...fetched], signal), movedTo };
  }

  /** Without the files where they are those that are loaded. */
  async function fetchAndRead(signal: AbortSignal | undefined): Promise<FetchedCommit> {
    const { revision, movedTo } = await fetchCommit(signal).catch(async (error: unknown) => {
      if (!isLeftLocked(error)) throw error;
      await putAway(folder);
      return fetchCommit(signal);
    });
    if (loaded?.revision === revision) return { revision, movedTo };
    const where = { ...usual, folder, signal, access: withoutNetwork };
    return { revision, movedTo, commit: await readCommit(revision, where) };
  }

  async function renew(signal: AbortSignal | undefined, again: boolean): Promise<Loaded> {
    const old = loaded !== undefined && Date.now() - loaded.at > limits.mirror.leastMs;
    if (loaded !== undefined && !(again && old)) return loaded;
    const { revision, movedTo, commit } = await exclusive(folder, () => fetchAndRead(signal), signal);
    if (loaded !== undefined && commit === undefined) {
      loaded = { ...loaded, movedTo, at: Date.now() };
      return loaded;
    }
    const { files, ignoreLinks, findings } = commit ?? { files: [], ignoreLinks: [], findings: [] };
    const tree = await archiveTree(files, shown, { ignoreLinks, agentFolders: options.agentFolders });
    const published = createPublisher(tree.reader);
    published.accept(await published.propose([{ tree: tree.tree, nested: true }]));
    loaded = { revision, movedTo, at: Date.now(), tree, published, findings };
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
      const { published, tree, findings, movedTo } = await current(signal, true);
      const skills = [...published.skills.values()].map(({ skill }) => skill);
      yield {
        skills,
        findings: [...elsewhere(repository, movedTo), ...findings, ...published.findings, ...tree.leftOut],
      };
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
      routes.close();
    },
  };
}

/** Somebody else can take a name that was given up, so a redirect is worth knowing even within one host. */
function elsewhere(repository: string, movedTo: string | undefined): readonly Finding[] {
  if (movedTo === undefined) return [];
  return [finding('repository-elsewhere', `${quoteText(repository)} redirects to ${quoteText(movedTo)}`)];
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
