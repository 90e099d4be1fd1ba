/**
 * Runs the system's git: without a shell, hooks, a prompt or transports that run commands, in a folder of ours, and with a
 * deadline. What it may use of the network and of the user's setup is said for each run (`git-environment.ts`).
 */
import { spawn } from 'node:child_process';
import { type ErrorCode, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { type Environment, type GitAccess, gitEnvironment } from './git-environment.ts';

export interface GitRun {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly access: GitAccess;
  /** Where git is started: a folder that nobody else writes to. A project could make git do things. */
  readonly cwd: string;
  /** For messages: the repository. */
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
  // Addresses that a server names are not asked. Without redirects there are no alternates of dumb HTTP either.
  'http.followRedirects=false',
  'fetch.uriProtocols=',
  'transfer.bundleURI=false',
];

/** What git wrote to its output. @throws SkillwireError by what it said */
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
    const stop = (error: SkillwireError): void => {
      failure ??= error;
      child.kill('SIGKILL');
    };
    const onAbort = (): void => stop(new SkillwireError('INTERRUPTED', `reading ${quoteText(shown)} was interrupted`));
    const timer = setTimeout(
      () =>
        stop(
          new SkillwireError(
            'TIMED_OUT',
            `git took more than ${timeoutMs} ms for ${quoteText(shown)}; try again, or raise --timeout`,
          ),
        ),
      timeoutMs,
    );
    child.stdout.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > maxBytes)
        stop(
          new SkillwireError(
            'LIMIT_EXCEEDED',
            `${quoteText(shown)} is larger than what is read of a repository (${maxBytes} bytes)`,
          ),
        );
      else chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4 * limits.git.stderrCharacters);
    });
    // What git does not read it does not need; how it ended tells.
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
          new SkillwireError('GIT_UNUSABLE', `cannot run git (${error.message}); install it to read "git:" origins`, {
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

/** The server redirects, which git does not follow. */
const redirected = /The requested URL returned error: 30[1-8]/;

function gitFailure(shown: string, said: string, code: number | null): SkillwireError {
  const meant = meanings.find(([pattern]) => pattern.test(said))?.[1] ?? 'ORIGIN_FAILED';
  const text = said
    .trim()
    .replace(/\/\/[^/\s@]*@/g, '//***@')
    .replace(/\s*\n\s*/g, '; ');
  const quoted = shortText(text === '' ? `it ended with ${code}` : text.slice(-limits.git.stderrCharacters));
  return new SkillwireError(meant, `cannot read ${quoteText(shown)}: git says: ${quoted}`, {
    data: {
      repository: shown,
      exit: code,
      ...(leftLocked.test(said) ? { leftLocked: true } : {}),
      ...(redirected.test(said) ? { redirected: true } : {}),
    },
  });
}
