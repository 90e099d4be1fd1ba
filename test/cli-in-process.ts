/** The command line in this process, with a state folder of its own: real sockets and real files, and no build is needed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cli } from '../src/cli/cli.ts';
import { runProgram } from '../src/cli/program.ts';
import { renderError } from '../src/cli/render/error.ts';

export interface CliOutcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export interface CliInProcess {
  run(...argv: readonly string[]): Promise<CliOutcome>;
  /** The same with somebody at the terminal. */
  at(answer: (question: string) => string, ...argv: readonly string[]): Promise<CliOutcome>;
  /** Removes the state. */
  remove(): void;
}

export function cliInProcess(): CliInProcess {
  const home = mkdtempSync(join(tmpdir(), 'skillwire-cli-'));

  async function run(argv: readonly string[], ask?: Cli['ask']): Promise<CliOutcome> {
    let out = '';
    let err = '';
    const text = (data: string | Uint8Array): string => Buffer.from(data).toString();
    const cli: Cli = {
      version: '1',
      cwd: home,
      env: { SKILLWIRE_HOME: home },
      stdin: {},
      stdout: { write: (data) => (out += text(data)) },
      stderr: { write: (data) => (err += text(data)) },
      ...(ask === undefined ? {} : { ask }),
    };
    try {
      return { exitCode: await runProgram(argv, cli), out, err };
    } catch (error) {
      const rendered = renderError(error, { json: false, debug: false });
      return { exitCode: rendered.exitCode, out, err: err + rendered.text };
    }
  }

  return {
    run: (...argv) => run(argv),
    at: (answer, ...argv) => run(argv, async (question) => answer(question)),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
