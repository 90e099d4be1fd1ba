/** The options of a runtime, checked before it connects. */
import type { ClientDescriptor, MdpAuth } from '../dialects/mdp/messages.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Fetch, httpLoopWire } from './http-loop-wire.ts';
import { type SocketClass, webSocketWire } from './web-socket-wire.ts';
import type { OpenWire } from './wire.ts';

/**
 * The state of a runtime's connection.
 *
 * `waiting`: the connection was lost and the next attempt is scheduled. `replaced`: another session has the id, so
 * there are no more attempts.
 */
export type RuntimeState = 'idle' | 'connecting' | 'connected' | 'waiting' | 'replaced' | 'closed';

/** The state of the connection to the hub. */
export interface RuntimeStatus {
  readonly state: RuntimeState;
  /** Why the last connection ended or failed. */
  readonly reason?: string;
  /** Milliseconds until the next attempt. */
  readonly retryMs?: number;
  /** The hub did not accept the message or its sender. A retry helps only after somebody fixes the cause. */
  readonly refused?: true;
}

/** Options of `createRuntime()`: the hub, the id, credentials. */
export interface RuntimeOptions {
  /** The address of the hub. `ws:` and `wss:` use a WebSocket, `http:` and `https:` plain requests. */
  readonly url: string;
  /** The name by which the hub knows this program. Only one session at a time can have it. */
  readonly id: string;
  /** A display name. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly platform?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The credentials that the hub expects; a `token` without `scheme` is a bearer token. */
  readonly auth?: MdpAuth;
  readonly onStatus?: (status: RuntimeStatus) => void;
  /** Called when a message from the hub cannot be understood. The message is ignored. */
  readonly onFault?: (fault: string) => void;
  /** A WebSocket class. Default: the global one, or that of `ws` on Node. */
  readonly WebSocket?: SocketClass;
  readonly fetch?: Fetch;
}

export function describeClient(options: RuntimeOptions): ClientDescriptor {
  const { id, name = id, description, version, platform, metadata } = options;
  const { idCharacters, nameCharacters } = limits.runtimes;
  for (const [what, value, most] of [
    ['id', id, idCharacters],
    ['name', name, nameCharacters],
  ] as const)
    if (typeof value !== 'string' || value === '' || value.length > most)
      throw new SkillwireError(
        'USAGE',
        `Cannot create a runtime: its ${what} is not text of 1 to ${most} characters. Pass such a text.`,
      );
  return { id, name, paths: [], description, version, platform, metadata };
}

export function wireTo({
  url,
  WebSocket: socketClass,
  fetch = (...call) => globalThis.fetch(...call),
}: RuntimeOptions): OpenWire {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return httpLoopWire(url, fetch);
  if (protocol !== 'ws:' && protocol !== 'wss:')
    throw new SkillwireError(
      'USAGE',
      `Cannot create a runtime: "${url}" is not the address of a hub. Write ws://HOST:PORT, wss:, http: or https:`,
      { data: { url } },
    );
  const Socket = socketClass ?? globalThis.WebSocket;
  if (Socket !== undefined) return webSocketWire(url, Socket);
  throw new SkillwireError(
    'USAGE',
    'Cannot create a runtime: this program has no WebSocket. Pass one as the option WebSocket, or use an http: address.',
  );
}

export function authOf(auth: MdpAuth | undefined): { readonly auth?: MdpAuth } {
  if (auth === undefined) return {};
  return { auth: auth.token === undefined || auth.scheme !== undefined ? auth : { scheme: 'Bearer', ...auth } };
}
