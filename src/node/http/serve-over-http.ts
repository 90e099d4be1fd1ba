/** Serves a catalog over HTTP: MCP, site, page and runtimes on one port, for everybody or for callers with tokens. */
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { Catalog } from '../../catalog/catalog.ts';
import { viaHeader } from '../../origins/started-by.ts';
import type { Profile } from '../../serving/access/profile.ts';
import type { ServeAccess } from '../../serving/access/serve-access.ts';
import { createContentsJson } from '../../surfaces/mcp/fast-path/contents-json.ts';
import { mcpPath, rootPath } from '../../surfaces/routes.ts';
import { isLocalReader, senderOf } from '../../surfaces/sender.ts';
import type { PageDoor, ServePageOptions } from '../page/page-door.ts';
import type { MdpServing, Runtimes } from '../serve-mdp.ts';
import type { ServeHandle } from '../serve-options.ts';
import {
  type MakeTools,
  mdpHandle,
  openOwnPort,
  type ServedCatalog,
  toolMaker,
  unservedHandle,
} from '../served-catalog.ts';
import type { GuardedSurfaces } from './guarded-surfaces.ts';
import type { ServeHttpOptions } from './host-names.ts';
import type { HttpSurfaces, HttpSurfacesOptions } from './http-surfaces.ts';
import { loadRequestModules } from './request-modules.ts';

export async function serveHttp(
  served: ServedCatalog,
  http: ServeHttpOptions,
  pageOptions: ServePageOptions,
): Promise<ServeHandle> {
  const { catalog, runtimes, dialects, access, recallable, onerror, log } = served;
  const { surfaces = {}, gateway, telemetry } = served.options;
  const [{ openPage }, { httpSurfaces }, { listen }, makeTools, { healthHandlers }, { createRequestCounts }] =
    await Promise.all([
      import('../page/page-door.ts'),
      import('./http-surfaces.ts'),
      import('./http-server.ts'),
      toolMaker(served),
      import('./server-health.ts'),
      import('./request-counts.ts'),
      loadRequestModules({ gateway: gateway !== undefined }),
    ]);
  const page: PageDoor = openPage(pageOptions, {
    all: served.all,
    catalog,
    serving: served.serving,
    store: () => served.store.open(),
    origins: served.origins,
    host: http.host,
    // Readers see a part of the registry; change events come from the whole.
    runtimes: runtimes === undefined ? undefined : { ...runtimes.registry, ...runtimes.readable },
    operated: runtimes?.operated,
    reports: gateway === undefined ? undefined : () => gateway.origins(),
    waiting: served.options.policy?.waiting,
    search: served.search,
    pinnable: runtimes === undefined ? undefined : await pinnableRuntimes(runtimes),
    onerror,
  });
  const own = await openOwnPort(served);
  const shared = runtimes === undefined || own !== undefined ? undefined : await sharedPort(runtimes, catalog, http);
  const common = {
    archiveFormat: http.archiveFormat,
    limits: http.limits,
    contents: createContentsJson(),
    dialects,
    recallable,
    onerror,
    publish: surfaces.site,
    page: surfaces.page,
  };
  const requests = createRequestCounts();
  const drain = createDrain();
  const health = healthHandlers(catalog, {
    gateway,
    replica: http.replica ?? hostname(),
    requests,
    // With tokens, the access gate has already rejected everybody but operators.
    mayRead: (request) => access !== undefined || isLocalReader(senderOf(request)),
    metrics: surfaces.metrics !== false,
    unserved: served.unserved,
    store: () => served.store.opened(),
    draining: drain.isOn,
  });
  const all = httpSurfaces(catalog, {
    ...common,
    health,
    // Findings contain paths of this machine.
    showFindings: (request) => access === undefined && isLocalReader(senderOf(request)),
    // This page shows everything, so it is for servers without tokens. With tokens, each profile has its own.
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
    trace: telemetry?.tracing?.request,
    refuse: gateway?.id === undefined ? undefined : refuseSelf(() => gateway.id ?? ''),
    onerror,
  }).catch(async (error: unknown) => {
    await own?.close();
    throw error;
  });
  telemetry?.sendMetrics(health.metricRows);
  const closed = server.closed.then(async () => {
    await telemetry?.close();
    served.search.close();
    await page.close();
    await catalog.close();
  });
  return {
    url: server.url,
    mcp: `${server.url}${mcpPath}`,
    pageLink() {
      // With tokens, browsers sign in with a token instead.
      const key = access === undefined ? page.linkKey() : undefined;
      return key === undefined ? undefined : `${server.url}${rootPath}#/sign-in/${key}`;
    },
    catalog,
    ...unservedHandle(served),
    ...mdpHandle(own?.url ?? server.url, runtimes),
    closed,
    async close({ drainMs = 0 } = {}) {
      if (drainMs > 0) server.drain();
      await drain.wait(drainMs);
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

/** The time between the decision to close and the end of new requests. */
function createDrain() {
  let on = false;
  let end = (): void => {};
  return {
    isOn: () => on,
    /** Waits, unless another call waits for less. */
    async wait(ms: number): Promise<void> {
      const isFirst = !on;
      on = true;
      if (ms <= 0) end();
      else if (isFirst)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
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
    'archiveFormat' | 'limits' | 'contents' | 'dialects' | 'recallable' | 'onerror' | 'publish' | 'page'
  >;
}

/** The surfaces for callers with tokens, one set per profile. */
async function guard(access: ServeAccess, own: HttpSurfaces, parts: GuardParts): Promise<GuardedSurfaces> {
  const { served, shared, makeTools, common, page } = parts;
  const door = common.page === false ? undefined : page;
  const [{ guardedSurfaces }, { openProfile }] = await Promise.all([
    import('./guarded-surfaces.ts'),
    import('./guarded-surfaces.ts'),
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

/** True if a request comes from the gateway with this id. */
function comesFrom(id: string, header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  const ids = typeof header === 'string' ? header : header.join(',');
  return ids.split(',').some((one) => one.trim() === id);
}

/** Live skills without their pins, for new pins. */
async function pinnableRuntimes({ registry, options: { label, pinned } }: Runtimes) {
  if (pinned === undefined) return undefined;
  const { mdpRuntimeSource } = await import('../../sources/mdp-runtime/mdp-runtime-source.ts');
  return { pinned, live: mdpRuntimeSource(registry, { label }) };
}

/**
 * Rejects requests that a gateway sent to itself (sec:X-9). A gateway sends its id with every HTTP request, so it recognizes itself even on
 * protocols that carry no provenance, such as sites. Loops through other gateways are found by the provenance of entries.
 */
function refuseSelf(id: () => string): (message: IncomingMessage) => readonly [number, string] | undefined {
  return ({ headers }) =>
    comesFrom(id(), headers[viaHeader]) ? [508, 'Loop detected: the gateway sent this request to itself.'] : undefined;
}
