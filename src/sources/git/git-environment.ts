/**
 * The environment that git runs in. Everything that could make it do something else than it is told is left out: git's own
 * variables pass only if they are listed here, and the user's configuration acts only where their credentials may be used.
 */
import { dirname } from 'node:path';

/**
 * Whose credentials a fetch may use. `user`: those that the user set up for git, with the rest of their configuration. `none`:
 * no credential helper, no `.netrc`, no client certificate, no ssh and no question to anybody; of the configuration only the way out.
 */
export type GitCredentials = 'user' | 'none';

/** What one run of git may use. */
export interface GitAccess {
  readonly credentials: GitCredentials;
  /** The only transport that git may use; absent: none. */
  readonly transport?: 'https' | 'http' | 'ssh' | 'file';
  /** Settings for this run. They are not on the command line, where everybody on the machine could read a proxy's password. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  /** Ignore `no_proxy`: the name must not be resolved here. */
  readonly alwaysProxy?: boolean;
}

/** For work inside the repository of the cache. */
export const withoutNetwork: GitAccess = { credentials: 'none' };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of git that say how a server is reached. Others point git elsewhere, make it run programs, or make it talk. */
const ofTheWay = /^GIT_(?:HTTP_\w+|SSL_(?:CAINFO|CAPATH|VERSION|CIPHER_LIST)|PROXY_SSL_CAINFO)$/;
/** Variables of git that hold or lead to the user's credentials and configuration. */
const ofTheUser =
  /^GIT_(?:ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/;
/** Other variables that lead to credentials. Not even an empty `SSH_ASKPASS` is left. */
const credentialVariables = /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS\w*|XDG_CONFIG_HOME|NETRC)$/i;
const homeVariables = /^(?:HOME|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

/** @param cwd a folder of ours, where git is started; it is the home folder of a git without credentials */
export function gitEnvironment(env: Environment, access: GitAccess, cwd: string): Record<string, string> {
  const isUser = access.credentials === 'user';
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (/^GIT_/i.test(name) && !ofTheWay.test(name) && !(isUser && ofTheUser.test(name))) continue;
    if (!isUser && (credentialVariables.test(name) || homeVariables.test(name))) continue;
    if (access.alwaysProxy === true && /^no_proxy$/i.test(name)) continue;
    own[name] = value;
  }
  const sshIsChosen = own['GIT_SSH'] !== undefined || own['GIT_SSH_COMMAND'] !== undefined;
  return {
    ...(sshIsChosen ? {} : { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }),
    ...own,
    ...(isUser ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: cwd, USERPROFILE: cwd }),
    ...settingVariables(access.settings ?? []),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: access.transport ?? '',
    // A repository of this machine may name another one for objects that it lacks, and the program that fetches them.
    GIT_NO_LAZY_FETCH: '1',
    // A folder above is not searched for a repository.
    GIT_CEILING_DIRECTORIES: dirname(cwd),
    LC_ALL: 'C',
  };
}

function settingVariables(settings: readonly (readonly [key: string, value: string])[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
