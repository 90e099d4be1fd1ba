/**
 * A runtime of the Model Drive Protocol on the wire, written without any of our own code. It sends what a test gives it, and
 * records what it receives. Both transports look alike, so that a fixture runs on both.
 */
import { WebSocket } from 'ws';
import { eventually } from './eventually.ts';

export type Message = Readonly<Record<string, unknown>>;

export interface Peer {
  readonly heard: readonly Message[];
  /** How the other side closed the connection, once it has. `status` is that of the last refused request of an HTTP loop. */
  readonly closed: { readonly code?: number; readonly reason?: string; readonly status?: number } | undefined;
  send(message: unknown): void;
  /** The next unread message of this type. */
  next(type: string): Promise<Message>;
  close(): Promise<void>;
}

interface PeerOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** Queues messages and returns each once. */
function inbox(): { readonly heard: Message[]; next(type: string): Promise<Message> } {
  const heard: Message[] = [];
  const taken = new Set<Message>();
  return {
    heard,
    next: (type) =>
      eventually(() => {
        const message = heard.find((one) => one.type === type && !taken.has(one));
        if (message === undefined) throw new Error(`no "${type}" was heard, but ${JSON.stringify(heard)}`);
        taken.add(message);
        return message;
      }),
  };
}

export interface SocketPeer extends Peer {
  readonly socket: WebSocket;
}

/** Fails with the status if the upgrade is refused. */
export async function socketPeer(url: string, options: PeerOptions = {}): Promise<SocketPeer> {
  const { heard, next } = inbox();
  const socket = new WebSocket(url, [...(options.protocols ?? [])], { headers: { ...options.headers } });
  let closed: Peer['closed'];
  socket.on('message', (data) => heard.push(JSON.parse(String(data))));
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) };
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      reject(Object.assign(new Error(`refused with ${response.statusCode}`), { response }));
    });
  });
  socket.on('error', () => {});
  return {
    socket,
    heard,
    get closed() {
      return closed;
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next,
    async close() {
      socket.close();
      await eventually(() => {
        if (closed === undefined) throw new Error('the socket is still open');
      });
    },
  };
}

export interface LoopPeer extends Peer {
  readonly sessionId: string;
}

/** Fails with the status if the session is refused. `base` is the http address of the server. */
export async function loopPeer(base: string, options: PeerOptions = {}): Promise<LoopPeer> {
  const { heard, next } = inbox();
  const headers = { 'content-type': 'application/json', ...options.headers };
  const at = `${base.replace(/^ws/, 'http')}/mdp/http-loop`;
  const connected = await fetch(`${at}/connect`, { method: 'POST', headers, body: '{}' });
  if (!connected.ok) throw new Error(`refused with ${connected.status}`);
  const { sessionId } = (await connected.json()) as { sessionId: string };
  let closed: Peer['closed'];
  let sending: Promise<void> = Promise.resolve();
  const stopped = new AbortController();

  async function poll(): Promise<void> {
    while (!stopped.signal.aborted && closed === undefined) {
      const query = `sessionId=${sessionId}&waitMs=2000`;
      const answer = await fetch(`${at}/poll?${query}`, { headers, signal: stopped.signal });
      if (answer.status === 200) heard.push(((await answer.json()) as { message: Message }).message);
      else if (answer.status !== 204) closed ??= { status: answer.status };
    }
  }
  const polling = poll().catch(() => {});

  return {
    sessionId,
    heard,
    get closed() {
      return closed;
    },
    send(message) {
      sending = sending.then(async () => {
        const body = typeof message === 'string' ? message : JSON.stringify({ message });
        const answer = await fetch(`${at}/send`, {
          method: 'POST',
          headers: { ...headers, 'x-mdp-session-id': sessionId },
          body,
        });
        if (answer.status === 202) return;
        const refusal = answer.status === 400 ? ((await answer.json()) as { error: string }).error : '';
        closed = { status: answer.status, reason: refusal };
      });
    },
    next,
    async close() {
      await sending;
      stopped.abort();
      await polling;
      await fetch(`${at}/disconnect`, { method: 'POST', headers: { ...headers, 'x-mdp-session-id': sessionId } });
    },
  };
}

export type Connect = (url: string, options?: PeerOptions) => Promise<Peer>;

export const transports: readonly [mode: 'ws' | 'http-loop', connect: Connect][] = [
  ['ws', socketPeer],
  ['http-loop', loopPeer],
];

export function skill(path: string, description = `What ${path} is for`): Message {
  return { type: 'skill', path, description, contentType: 'text/markdown' };
}

export function registration(id: string, paths: readonly Message[] = [skill('/a/skill.md')], auth?: Message): Message {
  return {
    type: 'registerClient',
    client: { id, name: `Lab ${id}`, paths },
    ...(auth === undefined ? {} : { auth }),
  };
}

/** Answers every call with what `answer` makes of it, until the peer closes. */
export function answering(peer: SocketPeer, answer: (call: Message) => Message): void {
  peer.socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.type === 'callClient')
      peer.send({ type: 'callClientResult', requestId: message.requestId, ...answer(message) });
    if (message.type === 'ping') peer.send({ type: 'pong', timestamp: message.timestamp });
  });
}
