/**
 * The registry of live runtimes. It guarantees:
 *
 * - An id belongs to its owner as long as its connection lives.
 * - An answer counts only on the connection that was called.
 * - All waiting is bounded, by a number and a deadline.
 * - A peer that breaks a rule is disconnected with the reason, without effect on others.
 *
 * A connection has at most one runtime. Registering again on it replaces the runtime. If the owner registers on another connection, the
 * older one is closed with 4000, as the reference does.
 */

import { createListeners } from '../async/listeners.ts';
import { definedFields } from '../defined-fields.ts';
import type { MdpError, PathDescriptor, RegisterClient, ServerMessage } from '../dialects/mdp/messages.ts';
import { matchPath } from '../dialects/mdp/path-grammar.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { asDeclared, createPendingCalls, hubFailure } from './pending-calls.ts';
import type {
  CallOutcome,
  HubReason,
  RuntimeCall,
  RuntimeClient,
  RuntimeConnection,
  RuntimeRegistry,
  RuntimeSession,
} from './runtime-registry.ts';
import { type Authenticate, answers, clientOf, createMessageAllowance, ownershipOf, type Session } from './session.ts';

/** Limits that can be configured. */
export type RuntimeBound =
  | 'sessions'
  | 'sessionsPerCredential'
  | 'authenticateMs'
  | 'pingMs'
  | 'silentMs'
  | 'callMs'
  | 'pendingPerClient'
  | 'pending'
  | 'messagesPerSecond'
  | 'messageBurst'
  | 'changeMs'
  | 'shutdownMs';

export interface RuntimeRegistryOptions {
  /**
   * The id of the credential that the authentication proves, or `undefined` if it proves none. Absent: everybody may
   * register.
   */
  readonly authenticate?: Authenticate;
  /** Ids that no runtime may use. */
  readonly reservedIds?: readonly string[];
  readonly bounds?: Partial<Record<RuntimeBound, number>>;
  /** Receives one line per event that matters to an operator. */
  readonly log?: (line: string) => void;
}

export function createRuntimeRegistry(options: RuntimeRegistryOptions = {}): RuntimeRegistry {
  const { authenticate, reservedIds = [], log } = options;
  const most: Record<RuntimeBound, number> = { ...limits.runtimes, ...definedFields(options.bounds ?? {}) };
  const sessions = new Set<Session>();
  const owners = new Map<string, Session>();
  const changes = createChangeReporter(most.changeMs);
  let waiting = 0;
  let registrations = 0;
  let closing: Promise<void> | undefined;
  /** Called when no call is waiting any more, while the registry closes. */
  let idle: (() => void) | undefined;

  function countOf(credential: string): number {
    let count = 0;
    for (const { connection, registered } of sessions)
      if ((connection.credential ?? registered?.credential) === credential) count++;
    return count;
  }

  function refusal(credential?: string): string | undefined {
    if (closing !== undefined) return 'the server is shutting down';
    if (sessions.size >= most.sessions) return `at most ${most.sessions} runtimes may be connected`;
    if (credential !== undefined && countOf(credential) >= most.sessionsPerCredential)
      return `at most ${most.sessionsPerCredential} runtimes may be connected with one token`;
    return undefined;
  }

  /** Removes the runtime of a session; its calls fail with the message. */
  function withdraw(session: Session, reason: HubReason, message: (id: string) => string): void {
    const { registered } = session;
    if (registered === undefined) return;
    const { id } = registered.descriptor;
    session.registered = undefined;
    if (owners.get(id) === session) owners.delete(id);
    session.pending.fail(reason, message(id));
    changes.report(id);
  }

  function end(session: Session): void {
    if (session.ended) return;
    session.ended = true;
    clearTimeout(session.deadline);
    sessions.delete(session);
    withdraw(session, 'gone', (id) => `Client "${id}" disconnected`);
  }

  function drop(session: Session, code: number, reason: string): void {
    session.connection.close(code, reason);
    end(session);
  }

  function register(session: Session, { client, auth }: RegisterClient): string | undefined {
    const ownership = ownershipOf(session.connection, auth, authenticate);
    if (!ownership.ok) return ownership.reason;
    if (reservedIds.includes(client.id)) return `the client id "${client.id}" is reserved`;
    const { owner, credential } = ownership;
    const holder = owners.get(client.id);
    if (holder !== undefined && holder !== session) {
      if (holder.registered?.owner !== owner) {
        log?.(`runtime "${client.id}": another peer tried to register the id and was refused`);
        return 'the client id is in use by another peer';
      }
      drop(holder, 4000, 'Replaced by newer client session');
    }
    if (credential !== undefined && session.registered === undefined && session.connection.credential === undefined) {
      if (countOf(credential) >= most.sessionsPerCredential) return refusal(credential);
    }
    if (session.registered !== undefined && session.registered.descriptor.id !== client.id)
      withdraw(session, 'gone', (id) => `Client "${id}" was re-registered as "${client.id}"`);
    const serial = session.registered?.serial ?? ++registrations;
    session.registered = { serial, descriptor: client, auth, owner, credential };
    clearTimeout(session.deadline);
    owners.set(client.id, session);
    changes.report(client.id);
    return undefined;
  }

  function update(session: Session, clientId: string, paths: readonly PathDescriptor[]): string | undefined {
    const { registered } = session;
    if (registered?.descriptor.id !== clientId) return `Client "${clientId}" is not registered on this session`;
    session.registered = { ...registered, descriptor: { ...registered.descriptor, paths } };
    changes.report(clientId);
    return undefined;
  }

  function open(connection: RuntimeConnection): RuntimeSession {
    const refused = refusal(connection.credential);
    if (refused !== undefined) throw new SkillwireError('LIMIT_EXCEEDED', `cannot connect the runtime: ${refused}`);
    const session: Session = {
      connection,
      pending: createPendingCalls((difference) => {
        waiting += difference;
        if (waiting === 0) idle?.();
      }),
      connectedAt: new Date(),
      seenAt: Date.now(),
      calledAt: undefined,
      registered: undefined,
      deadline: undefined,
      ended: false,
    };
    sessions.add(session);
    const allowance = createMessageAllowance(most.messageBurst, most.messagesPerSecond, Date.now);
    if (authenticate !== undefined && connection.credential === undefined)
      session.deadline = setTimeout(() => drop(session, 1008, 'a token is required'), most.authenticateMs);

    const take: RuntimeSession['receive'] = (message) => {
      // Answers to our own calls do not count against the allowance: we decide how many there are.
      if (message.type === 'callClientResult' && session.pending.settle(message)) return undefined;
      if (!allowance.take())
        return `more than ${most.messagesPerSecond} messages per second after the first ${most.messageBurst}`;
      switch (message.type) {
        case 'registerClient':
          return register(session, message);
        case 'updateClientCatalog':
          return update(session, message.clientId, message.paths);
        case 'unregisterClient':
          if (session.registered?.descriptor.id === message.clientId)
            withdraw(session, 'gone', (id) => `Client "${id}" was unregistered`);
          return undefined;
        case 'ping':
          say(session, { type: 'pong', timestamp: message.timestamp });
          return undefined;
        case 'pong':
        case 'callClientResult':
          return undefined;
      }
    };

    return {
      receive(message) {
        if (session.ended) return 'the session has ended';
        session.seenAt = Date.now();
        const fault = take(message) ?? (session.ended ? 'the session has ended' : undefined);
        if (fault !== undefined) drop(session, 1008, fault);
        return fault;
      },
      seen() {
        session.seenAt = Date.now();
      },
      ended: () => end(session),
    };
  }

  async function call(request: RuntimeCall, signal?: AbortSignal): Promise<CallOutcome> {
    const { clientId, method, path, query, body, headers, auth } = request;
    const session = owners.get(clientId);
    const failed = (hub: HubReason, code: MdpError['code'], message: string): CallOutcome =>
      hubFailure(hub, code, message);
    if (session?.registered === undefined || closing !== undefined)
      return failed('not-connected', 'not_ready', `Client "${clientId}" is not connected`);
    const offered = session.registered.descriptor.paths.filter((descriptor) => answers(descriptor, method));
    const match = matchPath(offered, path);
    if (match === undefined)
      return failed(
        'not-found',
        'not_found',
        `Path "${path}" with method "${method}" was not found on client "${clientId}"`,
      );
    const { connection, pending } = session;
    if (connection.congested === true || pending.size >= most.pendingPerClient || waiting >= most.pending)
      return failed('busy', 'not_ready', `Client "${clientId}" has too many calls under way; try again later`);
    const message: ServerMessage = {
      type: 'callClient',
      requestId: crypto.randomUUID(),
      clientId,
      method,
      path,
      params: match.params,
      query,
      body,
      headers,
      auth,
    };
    const { messageBytes } = limits.runtimes;
    if (JSON.stringify(message).length > messageBytes)
      return failed('too-large', 'bad_request', `A call may have at most ${messageBytes} characters of JSON`);
    const late = failed('timeout', 'timeout', `Invocation timed out for client "${clientId}"`);
    const answered = session.pending.wait(message.requestId, { ms: most.callMs, late, signal });
    session.calledAt = Date.now();
    say(session, message);
    return asDeclared(match.pattern, request, await answered);
  }

  function say(session: Session, message: ServerMessage): void {
    try {
      session.connection.send(message);
    } catch (error) {
      log?.(`runtime "${session.registered?.descriptor.id ?? '?'}": cannot send: ${String(error)}`);
      drop(session, 1011, 'cannot send');
    }
  }

  const heartbeat = setInterval(() => {
    const now = Date.now();
    for (const session of [...sessions]) {
      if (now - session.seenAt > most.silentMs) drop(session, 1000, 'no message for too long');
      else say(session, { type: 'ping', timestamp: now });
    }
  }, most.pingMs);
  (heartbeat as { unref?: () => void }).unref?.();

  async function shutDown(): Promise<void> {
    clearInterval(heartbeat);
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (waiting > 0)
      await new Promise<void>((resolve) => {
        idle = resolve;
        timer = setTimeout(resolve, most.shutdownMs);
      });
    clearTimeout(timer);
    for (const session of [...sessions]) drop(session, 1001, 'the server is shutting down');
    changes.stop();
  }

  return {
    startedAt: new Date(),
    open,
    refusal,
    clients() {
      const listed: RuntimeClient[] = [];
      for (const session of owners.values())
        if (session.registered !== undefined) listed.push(clientOf(session, session.registered));
      return listed;
    },
    client(id) {
      const session = owners.get(id);
      return session?.registered === undefined ? undefined : clientOf(session, session.registered);
    },
    call,
    watch: changes.watch,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

/**
 * Reports which runtimes changed. Changes in quick succession are reported together: listeners read the newest state
 * anyway.
 */
function createChangeReporter(ms: number) {
  const listeners = createListeners<ReadonlySet<string>>();
  let changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    const reported = changed;
    changed = new Set();
    listeners.call(reported);
  }

  return {
    report(id: string): void {
      changed.add(id);
      timer ??= setTimeout(flush, ms);
    },
    watch(listener: (changed: ReadonlySet<string>) => void): () => void {
      return listeners.add(listener);
    },
    stop(): void {
      clearTimeout(timer);
      if (changed.size > 0) flush();
      listeners.clear();
    },
  };
}
