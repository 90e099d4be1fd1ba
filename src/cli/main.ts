#!/usr/bin/env node
/**
 * The entry point of the command: runs the program and turns errors into a message and an exit code. The process ends by itself, so all
 * output is written. A reader that closes the pipe early is not an error, and neither is a terminal that was closed.
 */
import { readFileSync } from 'node:fs';
import type { Choose } from './cli.ts';
import { isTerminalClosed } from './closed-terminal.ts';
import { renderError } from './render/error.ts';
import { wantsJson } from './render/wants-json.ts';

const argv = process.argv.slice(2);

/** Loads nothing: the failure may be that no module can be loaded. */
function fail(error: unknown): void {
  const debug = process.env.SKILLWIRE_DEBUG === '1';
  const { text, exitCode } = renderError(error, { json: wantsJson(argv), debug });
  process.exitCode = exitCode;
  process.stderr.write(text);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}
process.on('uncaughtException', (error) => {
  fail(error);
  process.stderr.write('', () => process.exit());
});

// Node restores the mode of its terminal before it exits, and aborts if the terminal is gone. Ending by the signal skips that.
process.on('exit', () => {
  if (process.platform !== 'win32' && isTerminalClosed()) process.kill(process.pid, 'SIGHUP');
});

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Loaded by the few commands that show a list. */
const choose: Choose = async (...list) =>
  (await import('./choose.ts')).chooseAtTerminal(process.stdin, process.stderr)(...list);

async function run(): Promise<void> {
  // Installers and shell prompts ask for the version, so it is printed without loading the program.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const { runProgram } = await import('./program.ts');
  const asks = process.stderr.isTTY && process.stdin.isTTY;
  process.exitCode = await runProgram(argv, {
    version,
    argv,
    cwd: process.cwd(),
    env: process.env,
    // Opening stdin is slow, and most commands do not need it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    ...(asks ? { ask: (await import('./ask.ts')).askAtTerminal(process.stdin, process.stderr) } : {}),
    ...(asks && process.env.TERM !== 'dumb' ? { choose } : {}),
  });
}

try {
  await run();
} catch (error) {
  fail(error);
}
