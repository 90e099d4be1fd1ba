/** The connections of a server: how many there are, which have outstanding answers, and which are too many. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../../limits.ts';
import { createAddressCaps } from './address-caps.ts';
import { type AnsweredCap, capOf, type ServeLimits } from './server-caps.ts';

/** A response with its start time. */
interface TimedResponse extends ServerResponse {
  startedMs?: number;
}

export type OnAnswer = (target: string, status: number, ms: number) => void;

/**
 * Tracks connections with outstanding answers. Node's own list counts a connection as busy if nothing was ever sent on it, as browsers
 * open them in advance.
 */
export function trackConnections(
  server: Server,
  limited: ServeLimits | undefined,
  isTrustedProxy: (address: string | undefined) => boolean,
  onanswer: OnAnswer | undefined,
) {
  const outstanding = new Map<Socket, number>();
  const streams = new Set<ServerResponse>();
  let draining = false;
  const excess = new WeakMap<Socket, AnsweredCap>();
  const most = capOf('connections', limited);
  const perAddress = createAddressCaps(capOf('connectionsPerAddress', limited));
  const rejected = createAddressCaps(limits.http.refusedPerAddress);
  // Those beyond the cap get an answer first.
  server.maxConnections = most + limits.http.refused;
  let admitted = 0;
  let ending = false;

  /** Returns a function that releases the slot, or the cap that is reached. */
  function enter({ remoteAddress }: Socket): (() => void) | AnsweredCap {
    if (admitted >= most) return 'connections';
    const leave = isTrustedProxy(remoteAddress) ? () => undefined : perAddress.enter(remoteAddress);
    if (leave === undefined) return 'connectionsPerAddress';
    admitted++;
    return () => {
      admitted--;
      leave();
    };
  }

  /** Admits a connection. A rejected one stays open for one request, which gets the reason. */
  function admit(socket: Socket): boolean {
    const entered = enter(socket);
    const onLeave = typeof entered === 'function' ? entered : rejected.enter(socket.remoteAddress);
    if (onLeave === undefined) {
      socket.destroy();
      return false;
    }
    socket.once('close', onLeave);
    if (typeof entered === 'function') return true;
    excess.set(socket, entered);
    const timer = setTimeout(() => socket.destroy(), limits.http.refusedMs);
    socket.once('close', () => clearTimeout(timer));
    return true;
  }
  server.on('connection', (socket) => {
    if (!admit(socket)) return;
    outstanding.set(socket, 0);
    socket.once('close', () => outstanding.delete(socket));
  });
  // One function for all responses: Node calls it as a method of the closed response.
  function onClose(this: TimedResponse): void {
    const { socket, url = '/' } = this.req;
    if (this.startedMs !== undefined) onanswer?.(url, this.statusCode, performance.now() - this.startedMs);
    const open = outstanding.get(socket);
    if (open !== undefined) outstanding.set(socket, open - 1);
    if (ending && (open ?? 1) === 1) socket.destroySoon();
  }
  return {
    /** Counts an answer as outstanding until it closes. */
    begin(socket: Socket, response: TimedResponse): void {
      if (onanswer !== undefined) response.startedMs = performance.now();
      outstanding.set(socket, (outstanding.get(socket) ?? 0) + 1);
      response.on('close', onClose);
      if (draining) response.shouldKeepAlive = false;
    },
    /** Remembers an endless answer until it closes. */
    beginStream(response: ServerResponse): void {
      streams.add(response);
      response.once('close', () => streams.delete(response));
    },
    /** Closes each connection after its next answer, so that a load balancer opens new ones elsewhere. */
    drain(): void {
      draining = true;
    },
    /**
     * Sends clients of endless answers the time after which to reconnect. Streams are written in whole events, so this is one between them.
     */
    hintRetry(): void {
      for (const stream of streams) {
        const ms = Math.round(limits.http.retryMs * (1 + Math.random()));
        if (stream.headersSent && !stream.writableEnded && !stream.writableNeedDrain) stream.write(`retry: ${ms}\n\n`);
      }
    },
    /** Closes idle connections, now and whenever their answers are finished. */
    endIdle(): void {
      ending = true;
      for (const [socket, count] of outstanding) if (count === 0) socket.destroy();
    },
    /** Forgets a connection that somebody else took over and closes. */
    release(socket: Socket): void {
      outstanding.delete(socket);
    },
    /** The number of endless answers. */
    get streams(): number {
      return streams.size;
    },
    /** The cap that the connection exceeds. */
    excess: (socket: Socket): AnsweredCap | undefined => excess.get(socket),
  };
}

export type Connections = ReturnType<typeof trackConnections>;
