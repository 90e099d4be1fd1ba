/** Serves a catalog over HTTP: MCP, sites, the page and runtimes on one port, for everybody or for callers with tokens. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Profile } from '../../serving/access/profile.ts';
import type { ServeAccess } from '../../serving/access/serve-access.ts';
import { mcpPath, rootPath } from '../../surfaces/routes.ts';
import { isLocalReader, senderOf } from '../../surfaces/sender.ts';
import type { PageDoor, ServePageOptions } from '../page/page-door.ts';
import type { ServeHttpOptions } from '../serve-http-options.ts';
import type { MdpServing, Runtimes } from '../serve-mdp.ts';
import type { ServeHandle } from '../serve-options.ts';
import { type MakeTools, mdpHandle, openOwnPort, type ServedCatalog, toolMaker } from '../served-catalog.ts';
import type { GuardedSurfaces } from './guarded-surfaces.ts';
import type { HttpSurfaces, HttpSurfacesOptions } from './http-surfaces.ts';

export async function serveHttp(
  served: ServedCatalog,
  http: ServeHttpOptions,
  pageOptions: ServePageOptions,
): Promise<ServeHandle> {
  const { catalog, runtimes, dialects, access, recallable, onerror, log } = served;
  const { surfaces = {}, gateway } = served.options;
  const [{ openPage }, { httpSurfaces }, { listen }, makeTools, { healthHandlers }, { createRequestCounts }] =
    await Promise.all([
      import('../page/page-door.ts'),
      import('./http-surfaces.ts'),
      import('./http-server.ts'),
      toolMaker(served),
      import('./server-health.ts'),
      import('./request-counts.ts'),
    ]);
  const page: PageDoor = openPage(pageOptions, {
    all: served.all,
    catalog,
    serving: served.serving,
    store: served.store,
    origins: served.origins,
    host: http.host,
    // As readers may see it; the changes are those of all.
    runtimes: runtimes === undefined ? undefined : { ...runtimes.registry, ...runtimes.readable },
    reports: gateway === undefined ? undefined : () => gateway.origins(),
    waiting: served.options.policy?.waiting,
    onerror,
  });
  const own = await openOwnPort(served);
  const shared = runtimes === undefined || own !== undefined ? undefined : await sharedPort(runtimes, catalog, http);
  const common = {
    archiveFormat: http.archiveFormat,
    dialects,
    recallable,
    onerror,
    publish: surfaces.site,
    page: surfaces.page,
  };
  const requests = createRequestCounts();
  const health = healthHandlers(catalog, {
    gateway,
    requests,
    // If callers have tokens, those without the operator's right were refused before.
    mayRead: (request) => access !== undefined || isLocalReader(senderOf(request)),
    metrics: surfaces.metrics !== false,
  });
  const all = httpSurfaces(catalog, {
    ...common,
    health,
    // Findings name files of this machine.
    showFindings: (request) => access === undefined && isLocalReader(senderOf(request)),
    // It shows everything, so it is for servers that ask nobody for a token; others have one per profile.
    door: access === undefined ? page : undefined,
    mdp: shared?.answer,
    tools: makeTools(runtimes?.readable, catalog),
    search: served.search.within(catalog),
    private: access !== undefined,
    log,
  });
  const guarded =
    access === undefined ? undefined : await guard(access, all, { served, shared, makeTools, common, page });
  const server = await listen({
    ...http,
    authenticated: access !== undefined,
    publicUrl: () => access?.url,
    routes: guarded?.answer ?? ((request) => all.answer(request)),
    plain: [guarded?.plain ?? { accepts: all.accepts, answer: (request) => all.answerPlain(request) }],
    upgrade: shared?.upgrade,
    onanswer: requests.answered,
    refuse:
      gateway?.id === undefined ? undefined : (await import('./self-listing.ts')).refuseSelf(() => gateway.id ?? ''),
    onerror,
  }).catch(async (error: unknown) => {
    await own?.close();
    throw error;
  });
  const closed = server.closed.then(async () => {
    served.search.close();
    await page.close();
    await catalog.close();
  });
  return {
    url: server.url,
    mcp: `${server.url}${mcpPath}`,
    pageLink() {
      // Where callers have tokens, browsers sign in with them.
      const key = access === undefined ? page.linkKey() : undefined;
      return key === undefined ? undefined : `${server.url}${rootPath}#/sign-in/${key}`;
    },
    catalog,
    ...mdpHandle(own?.url ?? server.url, runtimes),
    closed,
    async close() {
      await Promise.all([
        own?.close(),
        server.close(async () => {
          await Promise.all([shared?.close(), (guarded ?? all).close(), page.close()]);
        }),
      ]);
      await closed;
    },
  };
}

async function sharedPort(runtimes: Runtimes, catalog: Catalog, { host }: ServeHttpOptions): Promise<MdpServing> {
  const { serveRuntimes } = await import('../serve-mdp.ts');
  return serveRuntimes(runtimes, catalog, host);
}

interface GuardParts {
  readonly served: ServedCatalog;
  readonly shared: MdpServing | undefined;
  readonly makeTools: MakeTools;
  readonly page: PageDoor;
  readonly common: Pick<
    HttpSurfacesOptions,
    'archiveFormat' | 'dialects' | 'recallable' | 'onerror' | 'publish' | 'page'
  >;
}

/** The surfaces for callers with tokens: those of each profile over a view of the catalog and of the runtimes. */
async function guard(access: ServeAccess, own: HttpSurfaces, parts: GuardParts): Promise<GuardedSurfaces> {
  const { served, shared, makeTools, common, page } = parts;
  const door = common.page === false ? undefined : page;
  const [{ guardedSurfaces }, { openProfile }] = await Promise.all([
    import('./guarded-surfaces.ts'),
    import('./profile-surfaces.ts'),
  ]);
  return guardedSurfaces({
    access,
    own,
    open: (profile: Profile, known: boolean) =>
      openProfile(profile, {
        ...common,
        catalog: served.catalog,
        search: served.search,
        runtimes: served.runtimes,
        known,
        makeTools,
        log: served.log,
        door,
      }),
    runtimes: shared?.answerRuntime,
    page: door === undefined ? undefined : (request, url) => door.file(request, url),
    onerror: served.onerror,
  });
}
