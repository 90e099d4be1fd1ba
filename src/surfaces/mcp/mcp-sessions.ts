/**
 * Sessions of revisions before 2026-07-28. Their number and idle time are limited: the session idle longest makes room, and an abandoned
 * one expires. A session exists only for the caller who opened it.
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

interface Session {
  readonly owner: string | undefined;
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

  function makeRoom(): void {
    if (sessions.size < bounds.count) return;
    let oldest: [string, Session] | undefined;
    for (const entry of sessions) {
      oldest ??= entry;
      if (entry[1].openStreams > 0) continue;
      oldest = entry;
      break;
    }
    if (oldest !== undefined) void end(...oldest);
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
    add(id: string, owner: string | undefined, transport: SessionTransport): void {
      makeRoom();
      sessions.set(id, { owner, transport, lastUse: Date.now(), openStreams: 0 });
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
