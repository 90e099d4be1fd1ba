/**
 * The connection of a source to its server: opened on first use, shared by all callers, and reopened after the server
 * went away. An aborted caller does not affect the others. A server that keeps ending is restarted less and less often
 * (sec:X-10). A session that the server forgot is reopened once, unnoticed by the caller.
 */
import { unlessAborted } from '../../async/unless-aborted.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { sessionLost } from './legacy-http-wire.ts';
import type { Wire, WireRequestOptions } from './wire.ts';

export interface ServerConnectionOptions {
  /** For messages. */
  readonly name: string;
  readonly connect: (signal: AbortSignal) => Promise<Wire>;
  /** Whether connecting starts a process, which is restarted less often the more often it ends. */
  readonly startsProcess: boolean;
}

export function createConnection({ name, connect, startsProcess }: ServerConnectionOptions) {
  const ending = new AbortController();
  const starts: number[] = [];
  let current: Wire | undefined;
  let connecting: Promise<Wire> | undefined;
  let closed: Promise<void> | undefined;

  async function open(): Promise<Wire> {
    if (startsProcess) await waitForStart(name, starts, ending.signal);
    const wire = await connect(ending.signal);
    if (closed !== undefined) {
      await wire.close();
      throw closedError(name);
    }
    current = wire;
    wire.onClose(() => drop(wire));
    return wire;
  }

  function drop(wire: Wire): void {
    if (current === wire) current = undefined;
  }

  function wire(signal?: AbortSignal): Promise<Wire> {
    if (closed !== undefined) return Promise.reject(closedError(name));
    if (current !== undefined) return Promise.resolve(current);
    connecting ??= open().finally(() => {
      connecting = undefined;
    });
    return unlessAborted(connecting, signal, 'connect');
  }

  return {
    wire,
    async request(
      method: string,
      params: Readonly<Record<string, unknown>>,
      options: WireRequestOptions,
    ): Promise<unknown> {
      const used = current ?? (await wire(options.signal));
      try {
        return await used.request(method, params, options);
      } catch (error) {
        if (!(error instanceof SkillwireError) || error.code !== 'UNREACHABLE') throw error;
        drop(used);
        if (error.data['reason'] !== sessionLost) throw error;
        await used.close();
        return await (await wire(options.signal)).request(method, params, options);
      }
    },
    /** Forgets the server's introduction, if asking again is cheap. */
    refresh(): void {
      if (current?.stateless === true) current = undefined;
    },
    close(): Promise<void> {
      closed ??= (async () => {
        ending.abort(closedError(name));
        const used = current;
        current = undefined;
        await connecting?.catch(() => undefined);
        await used?.close();
      })();
      return closed;
    },
  };
}

export type Connection = ReturnType<typeof createConnection>;

/** The first restarts wait briefly; later ones are refused until some time has passed. */
async function waitForStart(name: string, starts: number[], signal: AbortSignal): Promise<void> {
  const { restarts, restartMs } = limits.origin;
  const now = performance.now();
  while (starts.length > 0 && now - (starts[0] ?? now) > restarts * restartMs) starts.shift();
  const last = starts.at(-1);
  if (last !== undefined) {
    const since = now - last;
    if (starts.length >= restarts && since < restartMs)
      throw new SkillwireError(
        'UNREACHABLE',
        `Cannot start ${quoteText(name)}: it ended ${starts.length} times in a row. Try again in ${Math.ceil((restartMs - since) / 1000)} s.`,
        { data: { reason: 'ENDED' } },
      );
    const wait = Math.min(limits.outbound.retryMs * 2 ** (starts.length - 1), restartMs) - since;
    if (wait > 0) await unlessAborted(new Promise((resolve) => setTimeout(resolve, wait)), signal, 'connect');
  }
  starts.push(performance.now());
}

export function closedError(name: string): SkillwireError {
  return new SkillwireError('CLOSED', `Cannot use ${quoteText(name)}: the source is closed. Create a new one.`);
}
