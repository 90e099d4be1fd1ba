/** A wire over a WebSocket: one JSON message per text frame. */
import { decodeServerFrame } from '../dialects/mdp/decode-server-message.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { closeCodes, type OpenWire, type RuntimeWire, type WireEnd, type WireEvents } from './wire.ts';

/** The part of a WebSocket that is used. Browsers, Node 22 and the library `ws` have it. */
export interface SocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

export type SocketClass = new (url: string) => SocketLike;

const openState = 1;

export function webSocketWire(url: string, Socket: SocketClass): OpenWire {
  return (events, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const socket = new Socket(url);
      const socketWire = wireOf(socket, events);
      let isOpen = false;
      const stop = (): void => {
        reject(signal.reason);
        socket.close();
      };
      const timer = setTimeout(() => {
        reject(unreachable(url, `it did not open within ${limits.runtimeClient.openMs} ms`));
        socket.close();
      }, limits.runtimeClient.openMs);
      const settled = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      };
      signal.addEventListener('abort', stop, { once: true });
      socket.addEventListener('open', () => {
        settled();
        isOpen = true;
        socketWire.opened();
        resolve(socketWire.wire);
      });
      socket.addEventListener('message', ({ data }) => socketWire.heard(data));
      // A close event follows every error. It has all the detail that browsers give to a page.
      socket.addEventListener('error', () => {});
      socket.addEventListener('close', ({ code, reason }) => {
        settled();
        reject(unreachable(url, `the connection closed before it was open (${code}${reason && `, ${reason}`})`));
        if (isOpen) socketWire.ended({ code, reason });
      });
    });
}

function wireOf(socket: SocketLike, events: WireEvents) {
  let over = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let onClosed: (() => void) | undefined;

  function end(reason: WireEnd): void {
    clearTimeout(silence);
    onClosed?.();
    if (over) return;
    over = true;
    events.onEnd(reason);
  }

  /** A hub sends pings. If they stop, the connection is dead, for example after a laptop was suspended. */
  function restartSilenceTimer(): void {
    clearTimeout(silence);
    if (over) return;
    silence = setTimeout(() => {
      end({ code: closeCodes.lost, reason: `no message for ${limits.runtimeClient.silentMs} ms` });
      socket.close();
    }, limits.runtimeClient.silentMs);
  }

  const wire: RuntimeWire = {
    send(message) {
      if (socket.readyState === openState) socket.send(JSON.stringify(message));
    },
    close() {
      over = true;
      clearTimeout(silence);
      if (socket.readyState > openState) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, limits.runtimeClient.closeMs);
        onClosed = () => {
          clearTimeout(timer);
          resolve();
        };
        socket.close(1000, 'the runtime was closed');
      });
    },
  };
  return {
    wire,
    opened: restartSilenceTimer,
    heard(data: unknown): void {
      if (over) return;
      restartSilenceTimer();
      const decoded =
        typeof data === 'string' ? decodeServerFrame(data) : { ok: false as const, fault: 'a frame is not text' };
      if (decoded.ok) events.onMessage(decoded.message);
      else events.onFault(decoded.fault);
    },
    ended: end,
  };
}

function unreachable(url: string, fault: string): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `Cannot connect to "${url}": ${fault}. Check that a hub runs there and accepts this page or program.`,
    { data: { url } },
  );
}
