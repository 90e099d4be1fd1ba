/**
 * JSON-RPC with one child process. Requests are numbered and matched with their answers. Requests of the server are
 * answered or ignored. Knows nothing of protocol revisions.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { interruptedCall, resultOf, timedOut } from './wire.ts';

interface Pending {
  readonly method: string;
  resolve(message: unknown): void;
  reject(error: Error): void;
}

export async function startSession(command: ChildCommand, start: StartChild) {
  const pending = new Map<number, Pending>();
  const listeners: (() => void)[] = [];
  let lastId = 0;
  let ended: SkillwireError | undefined;
  let child: ServerChild | undefined;

  function onMessage(message: unknown): void {
    if (!isJsonObject(message)) return;
    if (typeof message['method'] === 'string') {
      if (message['id'] !== undefined) answer(message['method'], message['id']);
      return;
    }
    const { id } = message;
    if (typeof id !== 'number') return;
    const waiting = pending.get(id);
    pending.delete(id);
    waiting?.resolve(message);
  }

  /** A reader offers servers nothing but `ping`. */
  function answer(method: string, id: unknown): void {
    const outcome =
      method === 'ping' ? { result: {} } : { error: { code: -32601, message: `Method not found: ${method}` } };
    child?.send(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  }

  function onEnd(reason: string, broken: boolean): void {
    if (ended !== undefined) return;
    ended = new SkillwireError(
      broken ? 'BAD_ANSWER' : 'UNREACHABLE',
      `Cannot use ${quoteText(command.command)}: the server ${reason}${lastOutput()}`,
      { data: { command: command.command, reason: 'ENDED' } },
    );
    for (const waiting of pending.values()) waiting.reject(ended);
    pending.clear();
    for (const listener of listeners.splice(0)) listener();
  }

  /** The end of the server's stderr. */
  function lastOutput(): string {
    const text = child?.stderr().trim() ?? '';
    const most = limits.origin.stderrQuotedCharacters;
    if (text === '') return '.';
    return `. It wrote: "${text.length > most ? '...' : ''}${displayText(text.slice(-most))}"`;
  }

  child = await start(command, { onMessage, onEnd });
  const running = child;
  return {
    /** Why it ended; `undefined` while it runs. */
    get ended(): SkillwireError | undefined {
      return ended;
    },
    onEnd(listener: () => void): void {
      if (ended === undefined) listeners.push(listener);
      else listener();
    },
    notify: (method: string, params?: Readonly<Record<string, unknown>>): void =>
      running.send(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) })),
    request(
      method: string,
      params: Readonly<Record<string, unknown>>,
      { signal, deadlineMs }: { readonly signal?: AbortSignal; readonly deadlineMs: number },
    ): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (ended !== undefined) throw ended;
        if (signal?.aborted === true) throw interruptedCall(method, signal);
        const id = ++lastId;
        const cancel = (error: SkillwireError): void => {
          if (!pending.delete(id)) return;
          if (method !== 'initialize')
            running.send(
              JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }),
            );
          settle();
          reject(error);
        };
        const onAbort = (): void => cancel(interruptedCall(method, signal));
        const timer = setTimeout(() => cancel(timedOut(method, deadlineMs)), deadlineMs);
        signal?.addEventListener('abort', onAbort, { once: true });
        function settle(): void {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        }
        pending.set(id, {
          method,
          resolve(message) {
            settle();
            try {
              resolve(resultOf(method, message, id));
            } catch (error) {
              reject(error);
            }
          },
          reject(error) {
            settle();
            reject(error);
          },
        });
        running.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
    },
    close: (): Promise<void> => running.close(),
  };
}

export type ChildSession = Awaited<ReturnType<typeof startSession>>;

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
   * Called once, when the process has ended or is no longer used. `reason` is a phrase that follows "the server";
   * `broken` means that it violates the protocol.
   */
  onEnd(reason: string, broken: boolean): void;
}

export interface ServerChild {
  /** Writes one line. */
  send(line: string): void;
  /** The end of its stderr. */
  stderr(): string;
  /** Stops the process and its children. */
  close(): Promise<void>;
}

/** Starts a program without a shell. Throws SkillwireError `UNREACHABLE` if that fails. */
export type StartChild = (command: ChildCommand, events: ChildEvents) => Promise<ServerChild>;
