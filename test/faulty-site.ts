/**
 * A site that answers as networks and hostile servers do. Answers are late, slow, cut off, compressed unasked, of wrong length, redirected
 * in circles or elsewhere, never the same. It uses raw sockets, because an HTTP library would not send most of it. Everything else on the
 * site is good. It closes when the test ends.
 */
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

export type Fault =
  | 'silent'
  | 'drip'
  | 'truncated'
  | 'too-short-length'
  | 'bad-chunk'
  | 'endless'
  | 'gzip-bomb'
  | 'redirect-loop'
  | 'redirect-private'
  | 'redirect-metadata'
  | 'redirect-file'
  | 'redirect-credentials'
  | 'redirect-nowhere'
  | 'reset'
  | 'junk'
  | 'changing'
  | 'page'
  | 'overloaded';

export interface FaultySite {
  readonly origin: string;
  /** Good content by path. */
  readonly files: Map<string, string | Uint8Array>;
  /** Paths that do not get their content. */
  readonly faults: Map<string, Fault>;
  readonly requests: readonly string[];
  /** The most requests that were open at the same time. */
  readonly mostOpen: () => number;
}

export const allFaults: readonly Fault[] = [
  'silent',
  'drip',
  'truncated',
  'too-short-length',
  'bad-chunk',
  'endless',
  'gzip-bomb',
  'redirect-loop',
  'redirect-private',
  'redirect-metadata',
  'redirect-file',
  'redirect-credentials',
  'redirect-nowhere',
  'reset',
  'junk',
  'changing',
  'page',
  'overloaded',
];

const redirects: Partial<Record<Fault, string>> = {
  'redirect-private': 'http://10.0.0.1/x',
  'redirect-metadata': 'http://169.254.169.254/latest/meta-data/',
  'redirect-file': 'file:///etc/passwd',
  'redirect-credentials': 'http://user:pass@127.0.0.1/x',
  'redirect-nowhere': 'http://[',
};

export async function faultySite(): Promise<FaultySite> {
  const files = new Map<string, string | Uint8Array>();
  const faults = new Map<string, Fault>();
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let open = 0;
  let most = 0;
  let version = 0;

  function every(ms: number, socket: Socket, send: () => void): void {
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : send()), ms);
    timers.add(timer);
  }

  function misbehave(socket: Socket, path: string, fault: Fault): void {
    const body = Buffer.from(files.get(path) ?? '');
    const head = (status: string, ...headers: string[]): string =>
      `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`;
    const location = redirects[fault];
    if (location !== undefined) {
      socket.write(head('302 Found', `Location: ${location}`, 'Content-Length: 0'));
      return;
    }
    switch (fault) {
      case 'silent':
        return;
      case 'drip':
        socket.write(head('200 OK', `Content-Length: ${body.length + 100_000}`));
        every(20, socket, () => socket.write(' '));
        return;
      case 'truncated':
        socket.write(head('200 OK', `Content-Length: ${body.length + 10}`));
        socket.end(body);
        return;
      case 'too-short-length': {
        const short = head('200 OK', 'Content-Type: application/json', `Content-Length: ${body.length - 5}`);
        socket.write(Buffer.concat([Buffer.from(short), body]));
        return;
      }
      case 'bad-chunk':
        socket.write(head('200 OK', 'Transfer-Encoding: chunked'));
        socket.end('zz\r\nnot a chunk\r\n');
        return;
      case 'endless':
        socket.write(head('200 OK', 'Content-Type: application/json'));
        every(1, socket, () => socket.writableLength < 1 << 22 && socket.write(Buffer.alloc(1 << 20, 0x20)));
        return;
      case 'gzip-bomb': {
        const bomb = gzipSync(Buffer.alloc(8 << 20, 0x20));
        socket.write(head('200 OK', 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`));
        socket.write(bomb);
        return;
      }
      case 'redirect-loop':
        socket.write(head('302 Found', `Location: ${path}`, 'Content-Length: 0'));
        return;
      case 'reset':
        socket.resetAndDestroy();
        return;
      case 'junk':
        socket.end('SSH-2.0-OpenSSH_9.9\r\n');
        return;
      case 'changing': {
        const other = Buffer.concat([body, Buffer.from(`<!-- ${++version} -->`)]);
        socket.write(head('200 OK', 'Content-Type: application/json', `Content-Length: ${other.length}`));
        socket.write(other);
        return;
      }
      case 'page': {
        const page = '<!doctype html><title>Sign in</title>';
        socket.write(head('200 OK', 'Content-Type: text/html', `Content-Length: ${page.length}`) + page);
        return;
      }
      case 'overloaded':
        socket.write(head('503 Service Unavailable', 'Retry-After: 1000000000', 'Content-Length: 0'));
        return;
      default:
        throw new Error(`no such fault: ${fault}`);
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const path = text.split(' ', 2)[1] ?? '';
        text = text.slice(end + 4);
        answer(socket, path);
      }
    });
  });

  function answer(socket: Socket, path: string): void {
    requests.push(path);
    open++;
    most = Math.max(most, open);
    const fault = faults.get(path);
    if (fault !== undefined) {
      open--;
      misbehave(socket, path, fault);
      return;
    }
    // A little later, so that parallel requests are open at the same time.
    const timer = setTimeout(() => {
      open--;
      const body = files.get(path);
      const bytes = Buffer.from(body ?? 'not found');
      const type = path.endsWith('.json') ? 'application/json' : 'application/octet-stream';
      socket.write(
        `HTTP/1.1 ${body === undefined ? '404 Not Found' : '200 OK'}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      );
      socket.write(bytes);
    }, 2);
    timers.add(timer);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const timer of timers) clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { origin: `http://127.0.0.1:${port}`, files, faults, requests, mostOpen: () => most };
}
