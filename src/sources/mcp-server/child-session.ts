/**
 * JSON-RPC with one child process: questions are numbered, answers find their question, everything else that the server sends is
 * answered or passed over. Knows nothing of revisions.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { ChildCommand, ServerChild, StartChild } from './server-child.ts';
import { interruptedCall, resultOf, timedOut } from './wire.ts';

export interface ChildSession {
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: { readonly signal?: AbortSignal; readonly deadlineMs: number },
  ): Promise<unknown>;
  notify(method: string, params?: Readonly<Record<string, unknown>>): void;
  /** Why it ended; undefined while it runs. */
  readonly ended: SkillwireError | undefined;
  onEnd(listener: () => void): void;
  close(): Promise<void>;
}

interface Pending {
  readonly method: string;
  resolve(message: unknown): void;
  reject(error: Error): void;
}

export async function startSession(command: ChildCommand, start: StartChild): Promise<ChildSession> {
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

  /** A reader offers servers nothing but a sign of life. */
  function answer(method: string, id: unknown): void {
    const outcome =
      method === 'ping' ? { result: {} } : { error: { code: -32601, message: `Method not found: ${method}` } };
    child?.send(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  }

  function onEnd(reason: string, broken: boolean): void {
    if (ended !== undefined) return;
    ended = new SkillwireError(
      broken ? 'BAD_ANSWER' : 'UNREACHABLE',
      `cannot use ${quoteText(command.command)}: the server ${reason}${said()}`,
      {
        data: { command: command.command, reason: 'ENDED' },
      },
    );
    for (const waiting of pending.values()) waiting.reject(ended);
    pending.clear();
    for (const listener of listeners.splice(0)) listener();
  }

  /** The last words of the server. */
  function said(): string {
    const text = child?.stderr().trim() ?? '';
    const most = limits.origin.stderrQuotedCharacters;
    if (text === '') return '';
    return `; it wrote: "${text.length > most ? '...' : ''}${displayText(text.slice(-most))}"`;
  }

  child = await start(command, { onMessage, onEnd });
  const running = child;
  return {
    get ended() {
      return ended;
    },
    onEnd(listener) {
      if (ended === undefined) listeners.push(listener);
      else listener();
    },
    notify: (method, params) => running.send(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) })),
    request(method, params, { signal, deadlineMs }) {
      return new Promise((resolve, reject) => {
        if (ended !== undefined) throw ended;
        if (signal?.aborted === true) throw interruptedCall(method, signal);
        const id = ++lastId;
        const giveUp = (error: SkillwireError): void => {
          if (!pending.delete(id)) return;
          if (method !== 'initialize')
            running.send(
              JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }),
            );
          settle();
          reject(error);
        };
        const onAbort = (): void => giveUp(interruptedCall(method, signal));
        const timer = setTimeout(() => giveUp(timedOut(method, deadlineMs)), deadlineMs);
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
    close: () => running.close(),
  };
}
