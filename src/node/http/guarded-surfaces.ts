/**
 * The surfaces of a server whose callers have profiles: each request is let in or refused first, then answered by the surfaces of its
 * caller's profile. Surfaces of a profile are made when it is first used; when it is replaced by another one of its name they are
 * closed, and their streams with them. Streams end with the token that let them in (`guarded-streams.ts`).
 *
 * Without a token there are four things: whether the server lives and is ready (without a word more), how to get in, the files of the
 * page with its way to sign in, and the routes on which runtimes connect, which have tokens of their own. A browser that signed in
 * has a cookie that stands for its token in requests for the page, nowhere else.
 */
import type { Profile } from '../../serving/access/profile.ts';
import type { ServeAccess } from '../../serving/access/serve-access.ts';
import { answerToError, errorAnswer } from '../../surfaces/page/json-answer.ts';
import { createTokenSessions, type TokenHolder } from '../../surfaces/page/token-sessions.ts';
import { type PlainSurface, toResponse } from '../../surfaces/plain-answer.ts';
import { dataPath, pathOf, type Route, type RouteHandler, routeOf } from '../../surfaces/routes.ts';
import { plainRequest } from '../page/plain-request.ts';
import { type AccessGate, type Admission, createAccessGate } from './access-gate.ts';
import { createGuardedStreams } from './guarded-streams.ts';
import type { HttpSurfaces } from './http-surfaces.ts';

export interface GuardedOptions {
  readonly access: ServeAccess;
  /** The surfaces of one profile; `known` where its callers have shown a token. */
  open(profile: Profile, known: boolean): HttpSurfaces;
  /** Over everything: for what is asked of the server itself. */
  readonly own: HttpSurfaces;
  /** The routes on which runtimes connect; undefined for any other request. */
  readonly runtimes: ((request: Request, url: URL) => Promise<Response> | undefined) | undefined;
  /** The files of the page, which hold no data. Absent: there is no page. */
  readonly page?: ((request: Request, url: URL) => Promise<Response | undefined>) | undefined;
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

type Handles = (handler: RouteHandler | undefined) => boolean;

const isProbe: Handles = (handler) => handler === 'healthz' || handler === 'readyz';
const isFile: Handles = (handler) => handler === 'file' || handler === 'page';
const isData: Handles = (handler) => handler === 'data' || handler === 'session';

export function guardedSurfaces({ access, open, own, runtimes, page, onerror }: GuardedOptions): GuardedSurfaces {
  const gate: AccessGate = createAccessGate(access, onerror);
  const opened = new Map<string, Opened>();
  const streams = createGuardedStreams({ revision: access.revision?.bind(access), onerror });
  const sessions = createTokenSessions({
    accepts: (token) => holderOf(token),
    secure: access.url?.startsWith('https:') === true,
  });

  async function holderOf(token: string): Promise<TokenHolder | undefined> {
    const header = (name: string): string | undefined => (name === 'authorization' ? `Bearer ${token}` : undefined);
    const admission = await gate.admit({ route: routeOf(dataPath), header });
    return admission.ok ? tokenHolder(admission) : undefined;
  }

  /** Headers as they are, or with the token that the cookie stands for. */
  function knocking(route: Route | undefined, header: Header): Header {
    if (page === undefined || route?.who !== 'page' || header('authorization') !== undefined) return header;
    const token = sessions.tokenOf({ header });
    return token === undefined ? header : (name) => (name === 'authorization' ? `Bearer ${token}` : header(name));
  }

  /** What there is of the page for those who are not let in. */
  async function answerDoor(request: Request, url: URL, handler?: RouteHandler): Promise<Response | undefined> {
    if (page !== undefined && isFile(handler)) return page(request, url);
    if (page === undefined || handler !== 'session' || request.method !== 'POST') return undefined;
    const plain = await plainRequest(request);
    const answer =
      plain === undefined
        ? errorAnswer(413, 'LIMIT_EXCEEDED', 'the request is too large')
        : await sessions.signIn(plain).catch(answerToError);
    return toResponse(answer);
  }

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
  async function answerProbe(request: Request, route: Route | undefined): Promise<Response> {
    const answer = await own.answer(request);
    const header = headerOf(request);
    if (header('authorization') !== undefined) {
      const admission = await gate.admit({ route, header });
      if (admission.ok && admission.operator) return answer;
    }
    await answer.body?.cancel();
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(answer.ok ? 'ok\n' : 'not ready\n', { status: answer.status, headers });
  }

  return {
    async answer(request) {
      const url = new URL(request.url);
      const route = routeOf(url.pathname);
      const handler = route?.handler;
      if (isProbe(handler)) return answerProbe(request, route);
      if (handler === 'access') return gate.metadata(request, url);
      const open = route?.who === 'runtime' ? await runtimes?.(request, url) : await answerDoor(request, url, handler);
      if (open !== undefined) return open;
      const plain = headerOf(request);
      const header = knocking(route, plain);
      const admission = await gate.admit({ route, header });
      if (!admission.ok) {
        if (header !== plain) sessions.forget({ header: plain });
        const asks = page !== undefined && url.pathname === dataPath && request.method === 'GET';
        return asks && plain('authorization') === undefined ? toResponse(sessions.locked()) : admission.answer;
      }
      if (route?.who === 'operator') return own.answer(request);
      const { profile, authInfo, holds } = admission;
      const extra = authInfo === undefined ? {} : { authInfo };
      const hold = (answer: Response): Response => streams.hold(answer, { holds, expiresAt: authInfo?.expiresAt });
      const surfaces = surfacesOf(profile, authInfo !== undefined);
      // A search is answered by the surfaces of the profile, for browsers and programs alike.
      if (page === undefined || surfaces.answerPage === undefined || !isData(handler))
        return hold(await surfaces.answer(request, extra));
      const answer = await surfaces.answerPage(request, url, {
        sessions: sessions.of(tokenHolder(admission)),
        async mayStay() {
          const again = await gate.admit({ route, header: knocking(route, plain) });
          return again.ok && again.profile === profile;
        },
      });
      return hold(answer);
    },
    plain: {
      accepts: (method, target) => own.accepts(method, target),
      async answer(request) {
        const route = routeOf(pathOf(request.target));
        const admission = await gate.admit({ route, header: knocking(route, (name) => request.header(name)) });
        // Refusals are said in one place.
        if (!admission.ok) return undefined;
        const { profile, authInfo } = admission;
        const extra = authInfo === undefined ? {} : { authInfo };
        return surfacesOf(profile, authInfo !== undefined).answerPlain(request, extra);
      },
    },
    async close() {
      streams.close();
      await Promise.all([own, ...[...opened.values()].map(({ surfaces }) => surfaces)].map((one) => one.close()));
    },
  };
}

type Header = (name: string) => string | undefined;

function tokenHolder({ profile, caller }: Extract<Admission, { readonly ok: true }>): TokenHolder | undefined {
  if (caller === undefined) return undefined;
  const { name, approver = false, operator = false } = caller;
  return { name, profile: profile.name, approver, operator };
}

function headerOf({ headers }: Request): Header {
  return (name) => headers.get(name) ?? undefined;
}
