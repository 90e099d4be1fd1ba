/** A TCP proxy in front of a server, which a test can cut. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpLink {
  readonly port: number;
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** The next bytes to the server that match arrive, and the connection breaks before an answer comes back. */
  loseAnswerTo(pattern: string): Promise<void>;
  close(): Promise<void>;
}

export async function tcpLink(target: number): Promise<TcpLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let losing: string | undefined;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    let isDeaf = false;
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        // The server must get everything that was sent before the break.
        if (one === upstream || !isDeaf) (one === socket ? upstream : socket).destroy();
      });
    }
    socket.on('data', (bytes) => {
      if (losing !== undefined && bytes.includes(losing)) {
        losing = undefined;
        isDeaf = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (isDeaf) {
        // The answer is there, so the statement has been carried out.
        socket.destroy();
        upstream.destroy();
      } else socket.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    async cut() {
      isCut = true;
      destroyAll();
    },
    async restore() {
      isCut = false;
    },
    async loseAnswerTo(pattern) {
      losing = pattern;
    },
    async close() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
