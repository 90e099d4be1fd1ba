/**
 * The surfaces of a server whose callers have profiles: each request is let in or refused first, then answered by the surfaces of its
 * caller's profile. Surfaces of a profile are made when it is first used; when it is replaced by another one of its name they are
 * closed, and their streams with them.
 *
 * Without a token there are three things: whether the server lives and is ready (without a word more), how to get in, and the routes
 * on which runtimes connect, which have tokens of their own.
 */
import type { Profile } from '../access/profile.ts';
import type { ServeAccess } from '../access/serve-access.ts';
import type { PlainSurface } from '../surfaces/plain-answer.ts';
import { type AccessGate, createAccessGate, operatorPaths } from './access-gate.ts';
import type { HttpSurfaces } from './http-surfaces.ts';

export interface GuardedOptions {
  readonly access: ServeAccess;
  /** The surfaces of one profile; `known` where its callers have shown a token. */
  open(profile: Profile, known: boolean): HttpSurfaces;
  /** Over everything: for what is asked of the server itself. */
  readonly own: HttpSurfaces;
  /** The routes on which runtimes connect; undefined for any other request. */
  readonly runtimes: ((request: Request, url: URL) => Promise<Response> | undefined) | undefined;
  readonly onerror: (error: Error) => void;
}

export interface GuardedSurfaces {
  answer(request: Request): Promise<Response>;
  readonly plain: PlainSurface;
  close(): Promise<void>;
}

interface Opened {
  readonly profile: Profile;
  readonly surfaces: HttpSurfaces;
}

const probes = new Set(['/healthz', '/readyz']);

export function guardedSurfaces({ access, open, own, runtimes, onerror }: GuardedOptions): GuardedSurfaces {
  const gate: AccessGate = createAccessGate(access, onerror);
  const opened = new Map<string, Opened>();

  function surfacesOf(profile: Profile, known: boolean): HttpSurfaces {
    const key = `${known ? 'known' : 'anybody'} ${profile.name}`;
    const before = opened.get(key);
    if (before?.profile === profile) return before.surfaces;
    before?.surfaces.close().catch(onerror);
    const surfaces = open(profile, known);
    opened.set(key, { profile, surfaces });
    return surfaces;
  }

  /** Whether it is ready is no secret; what keeps it from being is one. */
  async function answerProbe(request: Request, path: string): Promise<Response> {
    const answer = await own.answer(request);
    const header = headerOf(request);
    if (header('authorization') !== undefined) {
      const admission = await gate.admit({ path, header });
      if (admission.ok && admission.operator) return answer;
    }
    await answer.body?.cancel();
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(answer.ok ? 'ok\n' : 'not ready\n', { status: answer.status, headers });
  }

  return {
    async answer(request) {
      const url = new URL(request.url);
      const { pathname } = url;
      if (probes.has(pathname)) return answerProbe(request, pathname);
      const open = gate.metadata(request) ?? (await runtimes?.(request, url));
      if (open !== undefined) return open;
      const admission = await gate.admit({ path: pathname, header: headerOf(request) });
      if (!admission.ok) return admission.answer;
      if (operatorPaths.has(pathname)) return own.answer(request);
      const { profile, authInfo } = admission;
      const extra = authInfo === undefined ? {} : { authInfo };
      return surfacesOf(profile, authInfo !== undefined).answer(request, extra);
    },
    plain: {
      accepts: (method, target) => own.accepts(method, target),
      async answer(request) {
        const [path = ''] = request.target.split('?', 1);
        const admission = await gate.admit({ path, header: (name) => request.header(name) });
        // Refusals are said in one place.
        if (!admission.ok) return undefined;
        const { profile, authInfo } = admission;
        const extra = authInfo === undefined ? {} : { authInfo };
        return surfacesOf(profile, authInfo !== undefined).answerPlain(request, extra);
      },
    },
    async close() {
      await Promise.all([own, ...[...opened.values()].map(({ surfaces }) => surfaces)].map((one) => one.close()));
    },
  };
}

function headerOf({ headers }: Request): (name: string) => string | undefined {
  return (name) => headers.get(name) ?? undefined;
}
