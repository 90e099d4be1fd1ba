/** What the registry knows about one connection, and the runtime on it. */
import type { PathDescriptor, RegisterClient } from '../dialects/mdp/messages.ts';
import { authSource } from './owner.ts';
import type { PendingCalls } from './pending-calls.ts';
import type { RuntimeCall, RuntimeClient, RuntimeConnection } from './runtime-registry.ts';

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
  /** When it must have proved itself. */
  deadline: ReturnType<typeof setTimeout> | undefined;
  ended: boolean;
}

/** Whether a path answers to a method: skills and prompts to GET alone. */
export function answers(descriptor: PathDescriptor, method: RuntimeCall['method']): boolean {
  return descriptor.type === 'endpoint' ? descriptor.method === method : method === 'GET';
}

/** The runtime of a session as others see it. */
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
