/** What a command gets from the process it runs in, and how a command is plugged into the program. */
import type { Command } from 'commander';
import type { ExitCode } from '../errors.ts';

export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What is asked of stdin here; the protocol reads it elsewhere. */
export interface InputStream {
  readonly isTTY?: boolean;
}

export interface Cli {
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  /** Data only. */
  readonly stdout: OutputStream;
  /** Everything else. */
  readonly stderr: OutputStream;
}

export interface CommandModule {
  /** Adds arguments, options, help and the action; the action hands over the exit code. */
  define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void;
}

/** A command as the list of commands shows it. Its module is loaded only if the command is used. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly color: boolean;
}
