/** What a command gets from the process it runs in, and how a command is plugged into the program. */
import type { Command } from 'commander';
import type { ExitCode } from '../errors.ts';

export interface OutputStream {
  readonly isTTY?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
  write(data: string | Uint8Array): unknown;
}

/** What is asked of stdin here; the protocol and `ask` read it elsewhere. */
export interface InputStream {
  readonly isTTY?: boolean;
}

/** Puts a question to the person at the terminal and gives the line that was typed. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

export interface Cli {
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  /** Data only. */
  readonly stdout: OutputStream;
  /** Everything else. */
  readonly stderr: OutputStream;
  /** Absent where nobody can be asked: stdin or stderr is not a terminal. */
  readonly ask?: Ask;
}

export interface CommandModule {
  /** Adds arguments, options, help and the action; the action hands over the exit code. */
  define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void;
}

/** A command as the list of commands shows it. Its module is loaded only if the command is used. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Heading under which the help of the program shows it. */
  readonly group: string;
  load(): Promise<CommandModule>;
}

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly color: boolean;
}

/** True for yes; everything else, an empty line too, is no. */
export function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
