/**
 * `git:REPOSITORY[#REF]`. REPOSITORY is an address (https, ssh, `user@host:path`) or a path; REF a branch, a tag or a commit. An accepted
 * text cannot be an option of git, and names no transport that runs a command.
 */
import { definedFields } from '../../defined-fields.ts';
import { gitActs } from '../../trust/acts.ts';
import { cannotRead, isLoopbackName, withoutUser } from '../http-address.ts';
import { type OriginKind, textField } from '../origin-kind.ts';

export interface GitLocation {
  readonly kind: 'git';
  readonly repository: string;
  readonly ref?: string;
}

export interface OriginGit {
  readonly label?: string;
  /** An address, or a path as written. */
  readonly repository: string;
  /** Absent: the default branch. */
  readonly ref?: string;
}

export const git: OriginKind<GitLocation, OriginGit> = {
  key: 'git',
  prefixed: {
    prefixes: ['git:'],
    parse(text, prefix, insecureHttp) {
      const written = text.slice(prefix.length);
      const hash = written.lastIndexOf('#');
      return hash === -1
        ? gitOrigin(written, undefined, insecureHttp)
        : gitOrigin(written.slice(0, hash), written.slice(hash + 1), insecureHttp);
    },
  },
  spec: 'repository',
  location: ({ repository, ref }, path) => ({
    kind: 'git',
    repository: isGitPath(repository) ? path(repository) : repository,
    ...definedFields({ ref }),
  }),
  read(fields, insecureHttp) {
    const ref = fields.ref === undefined ? undefined : textField(fields, 'ref');
    return { kind: 'git', ...gitOrigin(textField(fields, 'repository'), ref, insecureHttp) };
  },
  text: ({ repository, ref }) => `git:${repository}${ref === undefined ? '' : `#${ref}`}`,
  resolved: (location, resolve) =>
    isGitPath(location.repository) ? { ...location, repository: resolve(location.repository) } : location,
  local: false,
  polled: true,
  credentials: 'environment',
  acts: ({ repository }, around) => gitActs(repository, around),
  async open({ repository, ref }, { guarded = false, env = process.env, timeoutMs, agentFolders }) {
    const { openGit } = await import('../open-git.ts');
    return openGit({
      repository,
      env,
      credentials: guarded ? 'none' : 'user',
      privateHost: !guarded,
      ...definedFields({ ref, timeoutMs, agentFolders }),
    });
  },
};

const example = 'Write git:https://HOST/PATH.git#BRANCH, or git:./FOLDER for a repository on this machine.';

/** @throws SkillwireError USAGE */
function gitOrigin(repository: string, ref: string | undefined, insecureHttp: boolean): OriginGit {
  const refuse = (fault: string, remedy = example) => cannotRead(`git:${withoutUser(repository)}`, fault, remedy);
  if (repository === '' || repository.startsWith('-')) throw refuse('it names no repository');
  if (/[\p{Cc}\s]/u.test(repository)) throw refuse('it contains a space or a control character');
  if (ref !== undefined && !isRef(ref)) throw refuse('what follows "#" is not a branch, tag or commit');
  if (isGitPath(repository) || /^[\w.-]+@[\w.-]+:[^:]+$/.test(repository))
    return { repository, ...definedFields({ ref }) };
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
  return { repository: url.href, ...definedFields({ ref }) };
}

/** A path of this machine, as the shell or the lock file writes it. */
function isGitPath(repository: string): boolean {
  return /^(?:[./~]|[A-Za-z]:[\\/])/.test(repository);
}

/** The rules of `git check-ref-format`, a little stricter. */
function isRef(ref: string): boolean {
  return /^[A-Za-z0-9_][\w./+@-]{0,254}$/.test(ref) && !/\.\.|\/\/|@\{|\.lock(?:\/|$)|[./]$/.test(ref);
}
