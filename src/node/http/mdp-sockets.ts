/**
 * WebSockets of runtimes. Rejections happen before the upgrade, with an HTTP status. Later, a peer that breaks a rule is closed with a code
 * and a reason. Frames are bounded and never compressed. A peer that does not answer pings or does not read is disconnected.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { definedFields } from '../../defined-fields.ts';
import { decodeClientFrame } from '../../dialects/mdp/decode-client-message.ts';
import { limits } from '../../limits.ts';
import type { RuntimeConnection, RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import { createMessageAllowance } from '../../runtimes/session.ts';
import type { MdpHub } from '../../surfaces/mdp/mdp-hub.ts';
import { mdpSubprotocol } from '../../surfaces/mdp/transport-auth.ts';
import { takesSockets } from '../../surfaces/routes.ts';
import { createAddressCaps } from './address-caps.ts';
import { headersOf } from './http-adapter.ts';
import { refuseUpgrade, refuseUpgradeBeyond, type UpgradeFrom } from './http-server.ts';

/** Limits that callers may override. */
export type SocketBound = 'socketPingMs' | 'slowMs' | 'shutdownMs';

export interface MdpSocketsOptions {
  readonly registry: RuntimeRegistry;
  readonly hub: Pick<MdpHub, 'check'>;
  /** Sockets per address; absent if only this machine connects. */
  readonly perAddress?: number;
  readonly bounds?: Partial<Record<SocketBound, number>>;
}

const { messageBytes, fragments, messageBurst, messagesPerSecond, unreadBytes, socketPingMisses } = limits.runtimes;

/** A WebSocket close reason may have 123 bytes. */
function shortReason(reason: string): string {
  let cut = reason;
  while (Buffer.byteLength(cut) > 123) cut = cut.slice(0, -1);
  return cut;
}

interface Peer {
  readonly socket: WebSocket;
  /** Unanswered pings. */
  missed: number;
}

export function createMdpSockets({ registry, hub, perAddress, bounds }: MdpSocketsOptions) {
  const times = { ...limits.runtimes, ...definedFields(bounds ?? {}) };
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    maxFragments: fragments,
    handleProtocols: (offered) => (offered.has(mdpSubprotocol) ? mdpSubprotocol : false),
  });
  const peers = new Set<Peer>();
  const addresses = perAddress === undefined ? undefined : createAddressCaps(perAddress);

  /** Closes with a reason, and disconnects if the peer does not react in time. */
  function end(socket: WebSocket, code: number, reason: string): void {
    socket.close(code, shortReason(reason));
    setTimeout(() => socket.terminate(), times.shutdownMs).unref();
  }

  function accept(
    socket: WebSocket,
    connection: Pick<RuntimeConnection, 'secure' | 'credential' | 'auth' | 'origin'>,
  ): void {
    const peer: Peer = { socket, missed: 0 };
    let slow: NodeJS.Timeout | undefined;
    const isCongested = (): boolean => socket.bufferedAmount > unreadBytes;
    const session = registry.open({
      ...connection,
      mode: 'ws',
      get congested() {
        return isCongested();
      },
      send(message) {
        socket.send(JSON.stringify(message));
        if (!isCongested() || slow !== undefined) return;
        slow = setTimeout(() => {
          slow = undefined;
          if (isCongested()) end(socket, 1013, 'The peer does not read its messages');
        }, times.slowMs);
      },
      close: (code, reason) => end(socket, code, reason),
    });
    peers.add(peer);
    const pings = createMessageAllowance(messageBurst, messagesPerSecond, Date.now);
    socket.on('message', (data, isBinary) => {
      if (socket.readyState !== socket.OPEN) return;
      if (isBinary) return end(socket, 1003, 'Binary frames are not supported');
      const decoded = decodeClientFrame(String(data));
      if (decoded.ok) session.receive(decoded.message);
      else end(socket, 1008, decoded.fault);
    });
    socket.on('pong', () => {
      peer.missed = 0;
    });
    socket.on('ping', () => {
      if (!pings.take()) end(socket, 1008, `More than ${messagesPerSecond} pings per second`);
    });
    // Too long, too many fragments, or not UTF-8: the library sends the reason and closes.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearTimeout(slow);
      peers.delete(peer);
      session.ended();
    });
  }

  const sweep = setInterval(() => {
    for (const peer of peers) {
      if (peer.missed >= socketPingMisses) peer.socket.terminate();
      else {
        peer.missed++;
        peer.socket.ping();
      }
    }
  }, times.socketPingMs);
  sweep.unref();

  return {
    upgrade(message: IncomingMessage, socket: Duplex, head: Buffer, { host, sender }: UpgradeFrom) {
      const target = `http://${host}${message.url ?? '/'}`;
      if (message.headers.upgrade?.toLowerCase() !== 'websocket')
        return refuseUpgrade(socket, 400, 'Only WebSocket upgrades are supported.');
      if (!URL.canParse(target)) return refuseUpgrade(socket, 400, 'The URL is malformed.');
      const url = new URL(target);
      if (!takesSockets(url.pathname)) return refuseUpgrade(socket, 404, 'There is no WebSocket at this path.');
      const peer = hub.check(headersOf(message), url, sender);
      if (!peer.ok) return refuseUpgrade(socket, peer.status, peer.reason, peer.headers);
      const leave = addresses?.enter(sender.client ?? message.socket.remoteAddress);
      if (addresses !== undefined && leave === undefined) return refuseUpgradeBeyond(socket, 'connectionsPerAddress');
      if (leave !== undefined) socket.once('close', leave);
      server.handleUpgrade(message, socket, head, (accepted) => accept(accepted, peer.connection));
    },
    /** Disconnects peers that do not close in time after the registry asked them to. */
    async close(): Promise<void> {
      clearInterval(sweep);
      const open = [...peers].map(
        ({ socket }) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
          }),
      );
      const deadline = setTimeout(() => {
        for (const { socket } of peers) socket.terminate();
      }, times.shutdownMs);
      await Promise.all(open);
      clearTimeout(deadline);
    },
  };
}
