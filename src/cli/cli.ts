/** The interface between a command, the process it runs in, and the program that contains it. */
import type { Command } from 'commander';
import { type ExitCode, SkillwireError } from '../errors.ts';
import { displayText } from '../skill/display-text.ts';

export interface OutputStream {
  readonly isTTY?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
  write(data: string | Uint8Array): unknown;
}

/** The part of stdin that commands use. The protocol and `ask` read it elsewhere. */
export interface InputStream {
  readonly isTTY?: boolean;
}

/** Asks the person at the terminal and returns the typed line. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

export interface Cli {
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  /** Data only. */
  readonly stdout: OutputStream;
  /** Messages and prompts. */
  readonly stderr: OutputStream;
  /** Absent if nobody can be asked: stdin or stderr is not a terminal. */
  readonly ask?: Ask;
}

export interface CommandModule {
  /** Adds arguments, options, help and the action. The action passes the exit code to `finish`. */
  define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void;
}

/** A row of the program's help. The module is loaded only if the command is used. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Heading in the program's help. */
  readonly group: string;
  load(): Promise<CommandModule>;
}

/** Options that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly color: boolean;
}

/** Writes notes for a person: nothing with `--json`. */
export function noteTo({ stderr }: Pick<Cli, 'stderr'>, { json }: { readonly json?: boolean }): (note: string) => void {
  return (note) => {
    if (json !== true) stderr.write(`${displayText(note)}\n`);
  };
}

/** True for yes; everything else, an empty line too, is no. */
export function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer);
}

/** The error of a command line that cannot be used: exit code 2. */
export function usageError(message: string, data?: Readonly<Record<string, unknown>>): SkillwireError {
  return new SkillwireError('USAGE', message, data === undefined ? undefined : { data });
}
