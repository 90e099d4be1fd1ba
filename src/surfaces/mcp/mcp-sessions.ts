/**
 * Sessions of revisions before 2026-07-28. Their number and idle time are limited, and an abandoned one expires. If there are too many,
 * the caller or address with the most sessions loses one, so that nobody can end the sessions of others. A session exists only for the caller who opened it.
 */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { limits } from '../../limits.ts';

export interface SessionTransport {
  handleRequest(
    request: Request,
    options?: { readonly authInfo?: AuthInfo; readonly parsedBody?: unknown },
  ): Promise<Response>;
  close(): Promise<void>;
}

export interface SessionBounds {
  readonly count: number;
  readonly idleMs: number;
}

interface SessionOpener {
  /** The authenticated caller. */
  readonly owner?: string | undefined;
  /** The network address, if it identifies a client. */
  readonly client?: string | undefined;
}

interface Session extends SessionOpener {
  readonly transport: SessionTransport;
  lastUse: number;
  openStreams: number;
}

export function createMcpSessions(
  onerror: ((error: Error) => void) | undefined,
  bounds: SessionBounds = limits.sessions,
) {
  /** In order of last use. */
  const sessions = new Map<string, Session>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function end(id: string, { transport }: Session): Promise<void> {
    sessions.delete(id);
    return transport.close().catch((error: unknown) => {
      onerror?.(error instanceof Error ? error : new Error(String(error)));
    });
  }

  function touch(id: string, session: Session): void {
    session.lastUse = Date.now();
    sessions.delete(id);
    sessions.set(id, session);
  }

  /** Ends the session idle longest, if possible one without an open stream, of the opener with most sessions. */
  function makeRoom(next: SessionOpener): void {
    if (sessions.size < bounds.count) return;
    const counts = new Map([[openerKey(next), 1]]);
    for (const [, session] of sessions) counts.set(openerKey(session), (counts.get(openerKey(session)) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const candidates = [...sessions].filter(([, session]) => counts.get(openerKey(session)) === most);
    const ended = candidates.find(([, { openStreams }]) => openStreams === 0) ?? candidates[0];
    if (ended !== undefined) void end(...ended);
  }

  function endIdle(): void {
    timer = undefined;
    const now = Date.now();
    for (const [id, session] of sessions)
      if (session.openStreams === 0 && now - session.lastUse >= bounds.idleMs) void end(id, session);
    schedule();
  }

  function schedule(): void {
    if (timer !== undefined || sessions.size === 0) return;
    timer = setTimeout(endIdle, Math.max(1, Math.ceil(bounds.idleMs / 8)));
    // Not every runtime has `unref()`.
    (timer as { unref?: () => void }).unref?.();
  }

  return {
    add(id: string, { owner, client }: SessionOpener, transport: SessionTransport): void {
      makeRoom({ owner, client });
      sessions.set(id, { owner, client, transport, lastUse: Date.now(), openStreams: 0 });
      schedule();
    },
    /** The transport of a session of this caller; using it keeps the session alive. */
    use(id: string, owner: string | undefined): SessionTransport | undefined {
      const session = sessions.get(id);
      if (session === undefined || session.owner !== owner) return undefined;
      touch(id, session);
      return session.transport;
    },
    /** Keeps the session from being idle while the body of the answer is open. */
    keepAlive(id: string, answer: Response): Response {
      const session = sessions.get(id);
      if (session === undefined || answer.body === null) return answer;
      session.openStreams++;
      let open = true;
      const release = (): void => {
        if (!open) return;
        open = false;
        session.openStreams--;
        if (sessions.get(id) === session) touch(id, session);
      };
      return new Response(watched(answer.body, release), answer);
    },
    delete: (id: string): void => {
      sessions.delete(id);
    },
    get size(): number {
      return sessions.size;
    },
    async close(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await Promise.all([...sessions].map(([id, session]) => end(id, session)));
    },
  };
}

/** Behind a proxy all clients without a token look alike. */
function openerKey({ owner, client }: SessionOpener): string {
  return JSON.stringify([owner, owner === undefined ? client : undefined]);
}

/** The same stream; calls `ended` when it finishes, fails or is canceled. */
function watched(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        ended();
        controller.close();
      } catch (error) {
        ended();
        controller.error(error);
      }
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
}
