/** How an MCP server is reached: at an address, or as a program that is started. Connects in a given era, as often as asked. */
import { type HttpOriginOptions, httpOrigin } from './connect-http.ts';
import { type ClientManner, declaring, type EraOption } from './protocol.ts';
import type { ChildCommand, StartChild } from './server-child.ts';
import { connectStdio } from './stdio-wire.ts';
import type { Wire } from './wire.ts';

export interface CommandOriginOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few variables that every program needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Starts the process; what may do that is outside of sources. */
  readonly startChild: StartChild;
}

export type ServerPlace = HttpOriginOptions | CommandOriginOptions;

export interface ConnectOptions {
  /** For each step of connecting. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface ServerConnector {
  /** For messages: the address without its query, or the command. */
  readonly name: string;
  readonly startsProcess: boolean;
  connect(era: EraOption, options: ConnectOptions): Promise<Wire>;
  /** Ends idle connections; wires are closed by those who have them. */
  close(): void;
}

/**
 * @param deadlineMs for answers whose caller names no deadline
 * @param manner what is said about this client
 * @throws SkillwireError ADDRESS_BLOCKED or USAGE where the address may not be used
 */
export function serverConnector(
  place: ServerPlace,
  deadlineMs: number,
  manner: ClientManner = declaring,
): ServerConnector {
  if (!('command' in place)) return { ...httpOrigin(place, deadlineMs, manner), startsProcess: false };
  const { command, args = [], env, cwd, startChild } = place;
  const child: ChildCommand = { command, args, env, cwd };
  return {
    name: [command, ...args].join(' '),
    startsProcess: true,
    connect: (era, options) => connectStdio(child, startChild, { era, manner, ...options }),
    close: () => {},
  };
}
