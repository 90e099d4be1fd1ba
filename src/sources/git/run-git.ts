/**
 * Runs the system's git: without a shell, without hooks, without a prompt, without transports that run commands, and with an end. What
 * is set up for the user otherwise (credentials, proxies, keys) is used as it is.
 */
import { spawn } from 'node:child_process';
import { type ErrorCode, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';

export interface GitRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
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
];

/** Variables that would point git to something else than what it is asked about. */
const misleading =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|CONFIG.*|EXEC_PATH|TRACE.*)$/;

function gitEnv(env: GitRun['env']): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && !misleading.test(name)) own[name] = value;
  return {
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    ...own,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    LC_ALL: 'C',
  };
}

/** What git wrote to its output. @throws SkillwireError by what it said */
export function runGit(run: GitRun): Promise<Uint8Array> {
  const {
    args,
    env,
    shown,
    input,
    signal,
    maxBytes = limits.git.listingBytes,
    timeoutMs = limits.git.deadlineMs,
  } = run;
  return new Promise((resolve, reject) => {
    const options = settings.flatMap((setting) => ['-c', setting]);
    const child = spawn('git', [...options, ...args], {
      env: gitEnv(env),
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

function gitFailure(shown: string, said: string, code: number | null): SkillwireError {
  const meant = meanings.find(([pattern]) => pattern.test(said))?.[1] ?? 'ORIGIN_FAILED';
  const text = said
    .trim()
    .replace(/\/\/[^/\s@]*@/g, '//***@')
    .replace(/\s*\n\s*/g, '; ');
  const quoted = shortText(text === '' ? `it ended with ${code}` : text.slice(-limits.git.stderrCharacters));
  return new SkillwireError(meant, `cannot read ${quoteText(shown)}: git says: ${quoted}`, {
    data: { repository: shown, ...(leftLocked.test(said) ? { leftLocked: true } : {}) },
  });
}
