/**
 * A skills server that does one thing wrong, for tests of clients. It is written by hand, message by message, and
 * shares no code with the server of this package. It listens on loopback only and contains no secrets.
 */
import { SkillwireError } from '../../errors.ts';
import { allBehaviors } from './all-behaviors.ts';
import { createConversation, type RecordedRequest, type ServedEra } from './conversation.ts';
import { listenHttp } from './http-transport.ts';
import type { Behavior, MisbehavingTransport, Misbehavior } from './misbehavior.ts';
import { writeStdioScript } from './stdio-transport.ts';

/** All misbehaviors. */
export const misbehaviors: readonly Misbehavior[] = allBehaviors.map(({ script: _, ...row }) => row);

/** The misbehavior and the transport. */
export interface MisbehavingServerOptions {
  /** Id of a row of {@link misbehaviors}; without one, the server behaves correctly. */
  readonly behavior?: string;
  /** Default: `http`. */
  readonly transport?: MisbehavingTransport;
  /** The protocol revisions that it speaks: 2026-07-28, earlier ones, or (the default) both. */
  readonly era?: ServedEra;
}

/** The common part of all misbehaving servers: the recorded requests, and `close()`. */
export interface MisbehavingServer {
  /** The requests so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Sets the turn, which starts at 0. Behaviors that change something do so at turn 1. */
  turn(turn: number): void;
  /** Moves to the next turn. */
  advance(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A misbehaving server on a loopback socket. */
export interface MisbehavingHttpServer extends MisbehavingServer {
  readonly transport: 'http';
  readonly url: string;
}

/** A misbehaving server as a command to start. */
export interface MisbehavingStdioServer extends MisbehavingServer {
  readonly transport: 'stdio-script';
  /** Starts the server as a process that speaks on stdin and stdout. It can be started any number of times. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Starts an MCP server that does one thing wrong. */
export function misbehavingServer(
  options: MisbehavingServerOptions & { readonly transport: 'stdio-script' },
): Promise<MisbehavingStdioServer>;
export function misbehavingServer(
  options?: MisbehavingServerOptions & { readonly transport?: 'http' },
): Promise<MisbehavingHttpServer>;
export function misbehavingServer(
  options: MisbehavingServerOptions,
): Promise<MisbehavingHttpServer | MisbehavingStdioServer>;
export async function misbehavingServer(
  options: MisbehavingServerOptions = {},
): Promise<MisbehavingHttpServer | MisbehavingStdioServer> {
  const { behavior: id, transport = 'http', era = 'both' } = options;
  const { script } = behaviorOf(id, transport);
  const conversation = createConversation(script, era);
  const life = new AbortController();
  const controls = (close: () => Promise<void>) => {
    const end = async () => {
      life.abort();
      await close();
    };
    return {
      requests: conversation.requests,
      turn: conversation.turnTo,
      advance: conversation.advance,
      close: end,
      [Symbol.asyncDispose]: end,
    };
  };
  if (transport === 'http') {
    const { url, close } = await listenHttp(conversation, life.signal);
    return { transport, url, ...controls(close) };
  }
  const { command, args, close } = await writeStdioScript(conversation, life.signal, script.child ?? '');
  return { transport, command, args, ...controls(close) };
}

function behaviorOf(id: string | undefined, transport: MisbehavingTransport): Pick<Behavior, 'script'> {
  if (id === undefined) return { script: {} };
  const behavior = allBehaviors.find((candidate) => candidate.id === id);
  if (behavior === undefined)
    throw new SkillwireError('USAGE', `There is no misbehavior "${id}"; the ids are in the table "misbehaviors".`);
  if (!behavior.transports.includes(transport))
    throw new SkillwireError(
      'USAGE',
      `The misbehavior "${id}" cannot be shown over "${transport}", only over "${behavior.transports.join('", "')}".`,
    );
  return behavior;
}
