/**
 * Reads `git:REPOSITORY[#REF]`. REPOSITORY is an address (https, ssh, `user@host:path`) or a path; REF a branch, a tag or a commit.
 * What passes cannot be an option of git and names no transport that runs a command.
 */
import { SkillwireError } from '../errors.ts';

export interface OriginGit {
  readonly label?: string;
  /** An address, or a path as written. */
  readonly repository: string;
  /** Absent: the default branch. */
  readonly ref?: string;
}

const example = 'write git:https://HOST/PATH.git#BRANCH, or git:./FOLDER for a repository on this machine';

/** `REPOSITORY[#REF]`. @param allowsHttp whether `http:` may lead to this host */
export function parseGitOrigin(written: string, allowsHttp: (hostname: string) => boolean): OriginGit {
  const hash = written.lastIndexOf('#');
  const repository = hash === -1 ? written : written.slice(0, hash);
  return gitOrigin(repository, hash === -1 ? undefined : written.slice(hash + 1), allowsHttp);
}

/** A repository and what is read of it, checked. @throws SkillwireError USAGE */
export function gitOrigin(
  repository: string,
  ref: string | undefined,
  allowsHttp: (hostname: string) => boolean,
): OriginGit {
  const shown = `git:${repository.replace(/\/\/[^/?#]*@/, '//***@')}`;
  const refuse = (fault: string, remedy = example): SkillwireError =>
    new SkillwireError('USAGE', `cannot read "${shown}": ${fault}; ${remedy}`, { data: { origin: shown } });
  if (repository === '' || repository.startsWith('-')) throw refuse('it names no repository');
  if (/[\p{Cc}\s]/u.test(repository)) throw refuse('it holds a blank or a control character');
  if (ref !== undefined && !isRef(ref)) throw refuse(`what follows "#" is no branch, tag or commit`);
  const named = ref === undefined ? {} : { ref };
  if (isGitPath(repository) || /^[\w.-]+@[\w.-]+:[^:]+$/.test(repository)) return { repository, ...named };
  if (/^[\w.+-]+::/.test(repository)) throw refuse('helpers of git that run commands are not used');
  if (!URL.canParse(repository)) throw refuse('it is neither an address nor a path');
  const url = new URL(repository);
  if (!['https:', 'http:', 'ssh:', 'file:'].includes(url.protocol)) throw refuse(`"${url.protocol}" is not read`);
  const secret = url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:');
  if (secret) throw refuse('an address must not hold a password', 'let git ask its credential helper');
  if (url.protocol === 'http:' && !allowsHttp(url.hostname))
    throw refuse(
      `"http:" to "${url.hostname}" can be read and changed on the way`,
      'use https:, or add --insecure-http',
    );
  return { repository: url.href, ...named };
}

/** A path of this machine, as the shell or the lock file has it. */
export function isGitPath(repository: string): boolean {
  return /^(?:[./~]|[A-Za-z]:[\\/])/.test(repository);
}

/** As `git check-ref-format` has it, and a little less. */
function isRef(ref: string): boolean {
  return /^[A-Za-z0-9_][\w./+@-]{0,254}$/.test(ref) && !/\.\.|\/\/|@\{|\.lock(?:\/|$)|[./]$/.test(ref);
}
