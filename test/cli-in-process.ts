/** The command line in this process, with its own state folder: real sockets and real files, without a build. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliResult, type InProcess, runInProcess } from './run-in-process.ts';

export interface CliOutcome {
  readonly exitCode: CliResult['exitCode'];
  readonly out: string;
  readonly err: string;
}

export interface CliInProcess {
  /** Its state folder and working folder. */
  readonly home: string;
  run(...argv: readonly string[]): Promise<CliOutcome>;
  /** The same with somebody at the terminal. */
  at(answer: (question: string) => string, ...argv: readonly string[]): Promise<CliOutcome>;
  /** Removes the state. */
  remove(): void;
}

export function cliInProcess(): CliInProcess {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-cli-')));

  async function run(argv: readonly string[], ask?: InProcess['ask']): Promise<CliOutcome> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, USERPROFILE: home, SKILLWIRE_HOME: home };
    const { stdout: out, stderr: err, exitCode } = await runInProcess(argv, { cwd: home, env, ask });
    return { exitCode, out, err };
  }

  return {
    home,
    run: (...argv) => run(argv),
    at: (answer, ...argv) => run(argv, async (question) => answer(question)),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
