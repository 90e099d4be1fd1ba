/**
 * Runs the system's git: without a shell, hooks, a prompt or transports that run commands, in a folder of ours, and
 * with a deadline. Each run states what it may use of the network and of the user's setup. Git's own variables pass
 * only if they are listed here, and the user's configuration applies only if their credentials may be used.
 */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { type ErrorCode, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';

export interface GitRun {
  readonly args: readonly string[];
  readonly env: GitEnvironment;
  readonly access: GitAccess;
  /** The working folder: one that nobody else writes to. A project folder could make git run things. */
  readonly cwd: string;
  /** The repository, for messages. */
  readonly shown: string;
  readonly input?: string;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  // Git must not contact addresses that a server names. Without redirects there are no alternates of dumb HTTP either.
  'http.followRedirects=false',
  'fetch.uriProtocols=',
  'transfer.bundleURI=false',
];

/** Returns git's output. Failures are classified by what git reports. */
export function runGit(run: GitRun): Promise<Uint8Array> {
  const {
    args,
    env,
    access,
    cwd,
    shown,
    input,
    signal,
    maxBytes = limits.git.listingBytes,
    timeoutMs = limits.git.deadlineMs,
  } = run;
  return new Promise((resolve, reject) => {
    const options = settings.flatMap((setting) => ['-c', setting]);
    const child = spawn('git', [...options, ...args], {
      env: gitEnvironment(env, access, cwd),
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let said = '';
    let failure: SkillwireError | undefined;
    const stop = (code: ErrorCode, message: string): void => {
      failure ??= new SkillwireError(code, message);
      child.kill('SIGKILL');
    };
    const onAbort = (): void => stop('INTERRUPTED', `Reading ${quoteText(shown)} was canceled.`);
    const timer = setTimeout(
      () =>
        stop(
          'TIMED_OUT',
          `Git took longer than ${timeoutMs} ms for ${quoteText(shown)}. Try again, or raise --timeout.`,
        ),
      timeoutMs,
    );
    child.stdout.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > maxBytes)
        stop('LIMIT_EXCEEDED', `The repository ${quoteText(shown)} is too large: more than ${maxBytes} bytes.`);
      else chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4 * limits.git.stderrCharacters);
    });
    // Unread input is not an error; the exit code decides.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    child.once('error', (error) =>
      end(() =>
        reject(
          new SkillwireError('GIT_UNUSABLE', `Cannot run git (${error.message}). Install it to read "git:" origins.`, {
            cause: error,
          }),
        ),
      ),
    );
    child.once('close', (code) =>
      end(() => {
        if (failure !== undefined) reject(failure);
        else if (code === 0) resolve(Buffer.concat(chunks));
        else reject(gitFailure(shown, said, code));
      }),
    );
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

const meanings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied|access denied/i,
    'NOT_AUTHORIZED',
  ],
  [
    /couldn't find remote ref|not our ref|does not appear to be a git repository|repository '[^']*' (?:not found|does not exist)|not a git repository/i,
    'ORIGIN_NOT_FOUND',
  ],
  [
    /Could not resolve host|unable to access|Connection (?:refused|timed out|reset)|unable to connect|early EOF|hung up/i,
    'UNREACHABLE',
  ],
];

/** Another git uses the repository, or was killed while it did. */
const leftLocked =
  /(?:\.lock'|could not lock config file .*): File exists|is at [0-9a-f]{40,} but expected|shallow file has changed/;

/** The server redirects; git runs with redirects disabled. */
const redirected = /The requested URL returned error: 30[1-8]/;

function gitFailure(shown: string, said: string, code: number | null): SkillwireError {
  const meant = meanings.find(([pattern]) => pattern.test(said))?.[1] ?? 'ORIGIN_FAILED';
  const text = said
    .trim()
    .replace(/\/\/[^/\s@]*@/g, '//***@')
    .replace(/\s*\n\s*/g, '; ');
  const quoted = shortText(text === '' ? `exit code ${code}` : text.slice(-limits.git.stderrCharacters));
  return new SkillwireError(meant, `Cannot read ${quoteText(shown)}. Git reports: ${quoted}`, {
    data: {
      repository: shown,
      exit: code,
      leftLocked: leftLocked.test(said) || undefined,
      redirected: redirected.test(said) || undefined,
    },
  });
}

/**
 * The credentials that a fetch may use.
 *
 * - `user`: those that the user set up for git, with the rest of their configuration.
 * - `none`: no credential helper, `.netrc`, client certificate, ssh or prompt. Of the configuration only proxy and TLS
 *   settings apply.
 */
export type GitCredentials = 'user' | 'none';

export type GitSettings = readonly (readonly [key: string, value: string])[];

export interface GitAccess {
  readonly credentials: GitCredentials;
  /** The only transport that git may use; none if absent. */
  readonly transport?: 'https' | 'http' | 'ssh' | 'file';
  /**
   * Settings for this run. They are not on the command line, where every user of the machine could read a proxy's
   * password.
   */
  readonly settings?: GitSettings;
  /** Ignore `no_proxy`: the name must not be resolved on this machine. */
  readonly alwaysProxy?: boolean;
}

/** For work inside the cached repository. */
export const withoutNetwork: GitAccess = { credentials: 'none' };

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** Git variables that say how to reach a server. Others point git elsewhere, make it run programs, or make it print. */
const networkVariables = /^GIT_(?:HTTP_\w+|SSL_(?:CAINFO|CAPATH|VERSION|CIPHER_LIST)|PROXY_SSL_CAINFO)$/;
/** Git variables with, or pointing to, the user's credentials and configuration. */
const userVariables =
  /^GIT_(?:ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/;
/** Other variables that lead to credentials. Even an empty `SSH_ASKPASS` is removed. */
const credentialVariables = /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS\w*|XDG_CONFIG_HOME|NETRC)$/i;
const homeVariables = /^(?:HOME|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

/** @param cwd a folder of ours, where git starts; without credentials it is also git's home folder */
function gitEnvironment(env: GitEnvironment, access: GitAccess, cwd: string): Record<string, string> {
  const isUser = access.credentials === 'user';
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (/^GIT_/i.test(name) && !networkVariables.test(name) && !(isUser && userVariables.test(name))) continue;
    if (!isUser && (credentialVariables.test(name) || homeVariables.test(name))) continue;
    if (access.alwaysProxy === true && /^no_proxy$/i.test(name)) continue;
    passed[name] = value;
  }
  const sshIsChosen = passed['GIT_SSH'] !== undefined || passed['GIT_SSH_COMMAND'] !== undefined;
  return {
    ...(sshIsChosen ? {} : { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }),
    ...passed,
    ...(isUser ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: cwd, USERPROFILE: cwd }),
    ...settingVariables(access.settings ?? []),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: access.transport ?? '',
    // A local repository may name another one for missing objects, and the program that fetches them.
    GIT_NO_LAZY_FETCH: '1',
    // Git does not search parent folders for a repository.
    GIT_CEILING_DIRECTORIES: dirname(cwd),
    LC_ALL: 'C',
  };
}

function settingVariables(settings: GitSettings): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}
