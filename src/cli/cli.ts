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
export type AskPerson = (question: string, signal: AbortSignal) => Promise<string>;

export interface Choice<T> {
  readonly value: T;
  readonly name: string;
  /** Facts beside the name, such as "5 files, 22 KiB". */
  readonly facts: string;
  /** Searched, and shown if there is room. */
  readonly description: string;
}

/** Lets the person at the terminal choose from a list. @param color whether to use colors */
export type Choose = <T>(
  title: string,
  choices: readonly Choice<T>[],
  color: boolean,
  signal: AbortSignal,
) => Promise<readonly T[]>;

export interface Cli {
  readonly version: string;
  /** The typed words, for messages that repeat them. */
  readonly argv?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  /** Data only. */
  readonly stdout: OutputStream;
  /** Messages and prompts. */
  readonly stderr: OutputStream;
  /** Absent if nobody can be asked: stdin or stderr is not a terminal. */
  readonly ask?: AskPerson;
  /** Absent like `ask`, and on a terminal that cannot rewrite its lines. */
  readonly choose?: Choose;
}

export interface CommandModule {
  /** Adds arguments, options, help and the action. The action passes the exit code to `finish`. */
  define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void;
}

/** The usual action: runs the command with its arguments, all options and the process, and passes on its exit code. */
export function runs(
  cli: Cli,
  finish: (exitCode: ExitCode) => void,
  run: (...given: never[]) => Promise<ExitCode> | ExitCode,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const self = given.at(-1) as Command;
    finish(await run(...([...given.slice(0, -2), self.optsWithGlobals(), cli] as never[])));
  };
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

/** `--no-input`: nobody is asked, as without a terminal. */
export function withInput(cli: Cli, { input }: { readonly input?: boolean }): Cli {
  if (input !== false) return cli;
  const { ask: _, choose: __, ...rest } = cli;
  return rest;
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
