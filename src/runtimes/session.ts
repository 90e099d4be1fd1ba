/**
 * The session of a connection: its runtime, its owner, and its message allowance. If credentials are checked, an id
 * belongs to the credential. Otherwise it belongs to anyone with the same authentication and the same web origin. So a
 * reloaded page gets its id back, but a page of another web origin or a program with another token does not. Programs
 * without authentication are indistinguishable.
 */
import type { MdpAuth, PathDescriptor, RegisterClient } from '../dialects/mdp/messages.ts';
import type { PendingCalls } from './pending-calls.ts';
import type { RuntimeCall, RuntimeClient, RuntimeConnection } from './runtime-registry.ts';

export type Authenticate = (auth: MdpAuth) => string | undefined;

export type Ownership =
  | { readonly ok: true; readonly owner: string; readonly credential?: string }
  | { readonly ok: false; readonly reason: string };

function presented({ origin, auth }: RuntimeConnection, message: MdpAuth | undefined): string {
  return JSON.stringify(['presented', origin ?? null, auth ?? null, message ?? null]);
}

/** The owner of a registration. Without `authenticate`, everybody may register. */
export function ownershipOf(
  connection: RuntimeConnection,
  message: MdpAuth | undefined,
  authenticate: Authenticate | undefined,
): Ownership {
  if (authenticate === undefined) return { ok: true, owner: presented(connection, message) };
  const credential = connection.credential ?? (message === undefined ? undefined : authenticate(message));
  if (credential === undefined)
    return { ok: false, reason: message === undefined ? 'a token is required' : 'the token is not accepted' };
  return { ok: true, owner: `credential:${credential}`, credential };
}

export function authSource(
  transport: MdpAuth | undefined,
  message: MdpAuth | undefined,
): 'none' | 'message' | 'transport' | 'transport+message' {
  if (transport !== undefined) return message === undefined ? 'transport' : 'transport+message';
  return message === undefined ? 'none' : 'message';
}

export interface Registered {
  readonly serial: number;
  readonly descriptor: RegisterClient['client'];
  readonly auth: RegisterClient['auth'];
  readonly owner: string;
  readonly credential: string | undefined;
}

export interface Session {
  readonly connection: RuntimeConnection;
  readonly pending: PendingCalls;
  readonly connectedAt: Date;
  seenAt: number;
  calledAt: number | undefined;
  registered: Registered | undefined;
  /** The time by which it must authenticate. */
  deadline: ReturnType<typeof setTimeout> | undefined;
  ended: boolean;
}

/** Whether a path supports a method: skills and prompts only GET. */
export function answers(descriptor: PathDescriptor, method: RuntimeCall['method']): boolean {
  return descriptor.type === 'endpoint' ? descriptor.method === method : method === 'GET';
}

/** The public view of the runtime of a session. */
export function clientOf(
  { connection, connectedAt, seenAt, calledAt }: Session,
  registered: Registered,
): RuntimeClient {
  const { mode, secure, auth } = connection;
  return {
    ...registered.descriptor,
    serial: registered.serial,
    connectedAt,
    lastSeenAt: new Date(seenAt),
    lastCallAt: calledAt === undefined ? undefined : new Date(calledAt),
    connection: { mode, secure, authSource: authSource(auth, registered.auth) },
  };
}

/** Limits the messages of a peer: a burst, then a number per second. */
export function createMessageAllowance(burst: number, perSecond: number, now: () => number) {
  let left = burst;
  let counted = now();
  return {
    /** False if the peer has sent too much. */
    take(): boolean {
      const time = now();
      left = Math.min(burst, left + ((time - counted) / 1_000) * perSecond);
      counted = time;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
