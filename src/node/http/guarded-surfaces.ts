/**
 * The surfaces of a server whose callers have profiles. Each request is admitted or rejected first, then answered by the surfaces of the
 * caller's profile. These are created on first use and closed, with their streams, when the profile is replaced. Streams end when their
 * token becomes invalid (`guarded-streams.ts`).
 *
 * Four things need no token:
 * - liveness and readiness without details
 * - the authorization metadata
 * - the files of the page and its sign-in
 * - the routes on which runtimes connect, which have their own tokens
 *
 * After sign-in a cookie replaces the token, for the page only.
 */

import { andThen } from '../../async/maybe-promise.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogSearch } from '../../catalog/catalog-search.ts';
import { catalogView } from '../../catalog/catalog-view.ts';
import { type ReadableRegistry, registryView } from '../../runtimes/registry-view.ts';
import { withinBudget } from '../../serving/access/listing-budget.ts';
import type { Profile } from '../../serving/access/profile.ts';
import type { ServeAccess } from '../../serving/access/serve-access.ts';
import { runtimeSkillPath } from '../../sources/mdp-runtime/runtime-skills.ts';
import type { ServerTools } from '../../surfaces/mcp/server-options.ts';
import { createReaderRoutes } from '../../surfaces/mdp/reader-routes.ts';
import { answerToError, errorAnswer } from '../../surfaces/page/json-answer.ts';
import { createSignInRoutes } from '../../surfaces/page/sign-in-routes.ts';
import { createTokenSessions, type TokenHolder } from '../../surfaces/page/token-sessions.ts';
import { type PlainSurface, toResponse } from '../../surfaces/plain-answer.ts';
import { dataPath, pathOf, type Route, type RouteHandler, routeOf } from '../../surfaces/routes.ts';
import { isLocalReader, senderOf } from '../../surfaces/sender.ts';
import type { PageDoor } from '../page/page-door.ts';
import { pageRequest, plainRequest } from '../page/plain-request.ts';
import type { Runtimes } from '../serve-mdp.ts';
import { type AccessGate, type Admission, createAccessGate } from './access-gate.ts';
import { createGuardedStreams } from './guarded-streams.ts';
import { type HttpSurfaces, type HttpSurfacesOptions, httpSurfaces } from './http-surfaces.ts';

export interface GuardedOptions {
  readonly access: ServeAccess;
  /** The surfaces of one profile. `known`: callers have shown a token. */
  open(profile: Profile, known: boolean): HttpSurfaces;
  /** The surfaces over everything, for routes about the server itself. */
  readonly own: HttpSurfaces;
  /** The routes on which runtimes connect; `undefined` for any other request. */
  readonly runtimes: ((request: Request, url: URL) => Promise<Response> | undefined) | undefined;
  /** The files of the page, which contain no data. Absent if there is no page. */
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
  const secure = (): boolean => access.url?.startsWith('https:') === true;
  const sessions = createTokenSessions({
    accepts: (token) => holderOf(token),
    secure,
    providers: () => access.signIn?.providers() ?? [],
    copies: access.sessions,
  });
  const signIn = createSignInRoutes({
    port: () => access.signIn,
    open: (request, signed) => sessions.open(request, signed),
    secure,
    shared: access.sessions?.attempts,
  });

  async function holderOf(token: string): Promise<TokenHolder | undefined> {
    const header = (name: string): string | undefined => (name === 'authorization' ? `Bearer ${token}` : undefined);
    const admission = await gate.admit({ route: routeOf(dataPath), header });
    return admission.ok ? tokenHolder(admission) : undefined;
  }

  const isOfPage = (route: Route | undefined): boolean => page !== undefined && route?.who === 'page';

  /** The headers of a request. For the page, the token of the session replaces the cookie. */
  function withSessionToken(route: Route | undefined, header: Header): Header {
    if (!isOfPage(route) || header('authorization') !== undefined) return header;
    const token = sessions.tokenOf({ header });
    return token === undefined ? header : (name) => (name === 'authorization' ? `Bearer ${token}` : header(name));
  }

  /** Answers the parts of the page that need no token. */
  async function answerDoor(request: Request, url: URL, handler?: RouteHandler): Promise<Response | undefined> {
    if (page !== undefined && isFile(handler)) return page(request, url);
    if (page !== undefined && handler === 'signIn' && access.signIn !== undefined)
      return toResponse(await signIn.answer(pageRequest(request)));
    if (page === undefined || handler !== 'session' || request.method !== 'POST') return undefined;
    const plain = await plainRequest(request);
    const answer =
      plain === undefined
        ? errorAnswer(413, 'LIMIT_EXCEEDED', 'The request is too large.')
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

  /** Readiness is public; the reason for not being ready is not. */
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
      if (isOfPage(route)) await sessions.recall({ header: plain, sender: senderOf(request) });
      const header = withSessionToken(route, plain);
      const admission = await gate.admit({ route, header });
      if (!admission.ok) {
        if (header !== plain) sessions.forget({ header: plain });
        const asks = page !== undefined && url.pathname === dataPath && request.method === 'GET';
        return asks && plain('authorization') === undefined ? toResponse(sessions.locked()) : admission.answer;
      }
      if (route?.who === 'operator') return own.answer(request);
      const { profile, authInfo, isValid } = admission;
      const extra = authInfo === undefined ? {} : { authInfo };
      const guard = (answer: Response): Response => streams.guard(answer, { isValid, expiresAt: authInfo?.expiresAt });
      const surfaces = surfacesOf(profile, authInfo !== undefined);
      // The surfaces of the profile also answer searches, for browsers and programs alike.
      if (page === undefined || surfaces.answerPage === undefined || !isData(handler))
        return guard(await surfaces.answer(request, extra));
      const answer = await surfaces.answerPage(request, url, {
        sessions: sessions.of(tokenHolder(admission)),
        async mayStay() {
          const again = await gate.admit({ route, header: withSessionToken(route, plain) });
          return again.ok && again.profile === profile;
        },
      });
      return guard(answer);
    },
    plain: {
      accepts: (method, target) => own.accepts(method, target),
      answer(request) {
        const route = routeOf(pathOf(request.target));
        // `answer()` looks for the session of a cookie at the other servers.
        if (isOfPage(route) && access.sessions !== undefined && request.header('cookie') !== undefined)
          return undefined;
        const header = withSessionToken(route, (name) => request.header(name));
        return andThen(gate.admit({ route, header }), (admission) => {
          // `answer()` writes all rejections.
          if (!admission.ok) return undefined;
          const { profile, authInfo } = admission;
          const extra = authInfo === undefined ? {} : { authInfo };
          return surfacesOf(profile, authInfo !== undefined).answerPlain(request, extra);
        });
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
  const { name, approver = false, operator = false, subject } = caller;
  return { name, profile: profile.name, approver, operator, subject };
}

function headerOf({ headers }: Request): Header {
  return (name) => headers.get(name) ?? undefined;
}

export interface ProfileSurfacesOptions
  extends Pick<
    HttpSurfacesOptions,
    'archiveFormat' | 'limits' | 'contents' | 'dialects' | 'recallable' | 'onerror' | 'publish' | 'page'
  > {
  readonly catalog: Catalog;
  readonly search: CatalogSearch;
  /** Present if live runtimes are accepted. */
  readonly runtimes: Runtimes | undefined;
  /** True if callers have shown a token. */
  readonly known: boolean;
  /** Gets one line per skill that is hidden because it contains a hidden one. */
  readonly log?: ((line: string) => void) | undefined;
  /** The page; absent if there is none. */
  readonly door?: Pick<PageDoor, 'within'> | undefined;
  makeTools(registry: ReadableRegistry | undefined, catalog: Catalog): ServerTools | undefined;
}

/** The surfaces of one profile: a view of the catalog and of the live runtimes. */
export function openProfile(profile: Profile, options: ProfileSurfacesOptions): HttpSurfaces {
  const { runtimes, known, makeTools, archiveFormat, dialects, recallable, onerror, publish, page } = options;
  const { listing, excludes } = profile;
  const seen = {
    allows: (path: string) => profile.allows(path),
    excludes: excludes === undefined ? undefined : (path: string) => excludes.call(profile, path),
  };
  const catalog = catalogView(options.catalog, {
    ...seen,
    onCarried: (outer, inner) =>
      options.log?.(`Profile "${profile.name}" hides "${outer}", because it contains the hidden skill "${inner}"`),
    listing: listing === undefined ? undefined : (listed) => withinBudget(listed, listing),
  });
  const registry = runtimes === undefined ? undefined : runtimesOf(profile, runtimes);
  const readers =
    registry === undefined
      ? undefined
      : createReaderRoutes(registry, catalog, {
          ...runtimes?.options,
          maySeeClients: (request) => known || isLocalReader(senderOf(request)),
        });
  const surfaces = httpSurfaces(catalog, {
    archiveFormat,
    limits: options.limits,
    contents: options.contents,
    dialects,
    recallable,
    onerror,
    publish,
    page,
    showFindings: () => false,
    mdp: readers,
    tools: makeTools(registry, catalog),
    search: options.search.within(catalog),
    private: known,
    log: undefined,
  });
  const shown = options.door?.within({
    catalog,
    runtimes: registry,
    view: (whole) => catalogView(whole, seen),
    allowsLabel: (label) => profile.allows(`${label}/any`),
  });
  return {
    ...surfaces,
    ...(shown === undefined ? {} : { answerPage: shown.answer }),
    async close() {
      await shown?.close();
      await surfaces.close();
      await catalog.close();
    },
  };
}

function runtimesOf(profile: Profile, { readable, label }: Runtimes): ReadableRegistry {
  return registryView(readable, (clientId, path) => {
    const place = runtimeSkillPath(label, clientId, path);
    return place !== undefined && profile.allows(place);
  });
}
