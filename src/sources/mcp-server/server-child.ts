/** What a stdio server is to its wire: lines in, lines out, an end, and what it wrote to stderr. Who starts it is elsewhere. */

export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to a small set of variables that every program needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ChildEvents {
  /** One line of stdout that is JSON. */
  onMessage(message: unknown): void;
  /**
   * Once, when the process has ended or is not used any longer. `reason` is a phrase that goes after "the server"; `broken` says
   * that it does not keep to the protocol.
   */
  onEnd(reason: string, broken: boolean): void;
}

export interface ServerChild {
  /** Writes one line. */
  send(line: string): void;
  /** The end of what it wrote to stderr. */
  stderr(): string;
  /** Ends the process and all that it started. */
  close(): Promise<void>;
}

/** Starts a program without a shell. Throws SkillwireError `UNREACHABLE` where that is not possible. */
export type StartChild = (command: ChildCommand, events: ChildEvents) => Promise<ServerChild>;
