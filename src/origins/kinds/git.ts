/**
 * `git:REPOSITORY[#[REF][:PATH]]`. REPOSITORY is an address (https, ssh, `user@host:path`) or a path; REF a branch, a tag or a commit; PATH a
 * folder in it. An accepted text cannot be an option of git, and names no transport that runs a command.
 */
import { definedFields } from '../../defined-fields.ts';
import { limits } from '../../limits.ts';
import { gitActs } from '../../trust/acts.ts';
import { cannotRead, isLoopbackName, withoutUser } from '../http-address.ts';
import { type OriginKind, publishField, textField } from '../origin-kind.ts';

export interface GitLocation {
  readonly kind: 'git';
  readonly repository: string;
  readonly ref?: string;
  /** Skills of this folder alone, with the URIs that they have in the whole repository. */
  readonly path?: string;
  /** Files, by their path in the repository, that are published although they are hidden or look like secrets. */
  readonly publish?: readonly string[];
}

export interface OriginGit {
  readonly label?: string;
  /** An address, or a path as written. */
  readonly repository: string;
  /** Absent: the default branch. */
  readonly ref?: string;
  readonly path?: string;
  /** The command line only: the text after `/tree/` of a page, a ref and a path. Only the repository knows where the ref ends. */
  readonly tree?: string;
  /** The command line only: the skill after `@`. */
  readonly skill?: string;
  /** Command line only: the short form as typed. */
  readonly short?: string;
}

export const git: OriginKind<GitLocation, OriginGit> = {
  key: 'git',
  prefixed: {
    prefixes: ['git:'],
    parse(text, prefix, insecureHttp) {
      const written = text.slice(prefix.length);
      const hash = written.lastIndexOf('#');
      if (hash === -1) return gitOrigin(written, {}, insecureHttp);
      const [, ref = '', path] = /^([^:]*)(?::(.*))?$/s.exec(written.slice(hash + 1)) ?? [];
      const part = path === undefined ? { ref } : { path, ...(ref === '' ? {} : { ref }) };
      return gitOrigin(written.slice(0, hash), part, insecureHttp);
    },
  },
  spec: 'repository',
  location: ({ repository, ref, path }, absolute) => ({
    kind: 'git',
    repository: isGitPath(repository) ? absolute(repository) : repository,
    ...definedFields({ ref, path }),
  }),
  read(fields, insecureHttp) {
    const [ref, path] = ['ref', 'path'].map((key) => (fields[key] === undefined ? undefined : textField(fields, key)));
    const repository = gitOrigin(textField(fields, 'repository'), definedFields({ ref, path }), insecureHttp);
    return { kind: 'git', ...repository, publish: publishField(fields) };
  },
  text({ repository, ref = '', path }) {
    const part = `${ref}${path === undefined ? '' : `:${path}`}`;
    return `git:${repository}${part === '' ? '' : `#${part}`}`;
  },
  resolved: (location, resolve) =>
    isGitPath(location.repository) ? { ...location, repository: resolve(location.repository) } : location,
  local: false,
  polled: true,
  credentials: 'environment',
  acts: ({ repository }, around) => gitActs(repository, around),
  async open({ repository, ref, path, publish }, { guarded = false, env = process.env, timeoutMs, agentFolders }) {
    const { openGit } = await import('../open-git.ts');
    return openGit({
      repository,
      env,
      credentials: guarded ? 'none' : 'user',
      privateHost: !guarded,
      ...definedFields({ ref, path, timeoutMs, agentFolders, publish }),
    });
  },
};

const example = 'Write git:https://HOST/PATH.git#BRANCH, or git:./FOLDER for a repository on this machine.';

/** @throws SkillwireError USAGE */
export function gitOrigin(
  repository: string,
  { ref, path }: Pick<OriginGit, 'ref' | 'path'>,
  insecureHttp: boolean,
): OriginGit {
  const refuse = (fault: string, remedy = example) => cannotRead(`git:${withoutUser(repository)}`, fault, remedy);
  if (repository === '' || repository.startsWith('-')) throw refuse('it names no repository');
  if (/[\p{Cc}\s]/u.test(repository)) throw refuse('it contains a space or a control character');
  if (ref !== undefined && !isRef(ref)) throw refuse('what follows "#" is not a branch, tag or commit');
  if (path !== undefined && !isFolderPath(path)) throw refuse('it names no folder inside the repository');
  const part = definedFields({ ref, path });
  if (isGitPath(repository) || /^[\w.-]+@[\w.-]+:[^:]+$/.test(repository)) return { repository, ...part };
  if (/^[\w.+-]+::/.test(repository)) throw refuse('Git helpers that run commands are not supported');
  if (!URL.canParse(repository)) throw refuse('it is neither an address nor a path');
  const url = new URL(repository);
  if (!['https:', 'http:', 'ssh:', 'file:'].includes(url.protocol)) throw refuse(`"${url.protocol}" is not supported`);
  const secret = url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:');
  if (secret) throw refuse('an address must not contain a password', "Let Git's credential helper provide it.");
  if (url.protocol === 'http:' && !insecureHttp && !isLoopbackName(url.hostname))
    throw refuse(
      `"http:" to "${url.hostname}" can be read and changed on the way`,
      'Use https:, or add --insecure-http.',
    );
  return { repository: url.href, ...part };
}

/** A path of this machine, as the shell or the lock file writes it. */
function isGitPath(repository: string): boolean {
  return /^(?:[./~]|[A-Za-z]:[\\/])/.test(repository);
}

/** A path below the root of a commit, as git lists it. */
function isFolderPath(path: string): boolean {
  return (
    path.length <= limits.gateway.originCharacters &&
    !/[\p{Cc}\\#]/u.test(path) &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  );
}

/** The rules of `git check-ref-format`, a little stricter. */
function isRef(ref: string): boolean {
  return /^[A-Za-z0-9_][\w./+@-]{0,254}$/.test(ref) && !/\.\.|\/\/|@\{|\.lock(?:\/|$)|[./]$/.test(ref);
}
