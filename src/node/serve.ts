/**
 * Serves folders of skills, or any source, over HTTP or stdio until it is closed or stdin ends. Listening does not wait for
 * the folders to be read; `catalog.snapshot()` does.
 */
import { resolve } from 'node:path';
import type { Profile } from '../access/profile.ts';
import type { ServeAccess } from '../access/serve-access.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogSearch } from '../catalog/catalog-search.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { ReadableRegistry } from '../runtimes/registry-view.ts';
import type { RuntimeRegistry } from '../runtimes/runtime-registry.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type DialectOptions, dialectOptionsOf, dialectSettings } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { ServerTools } from '../surfaces/mcp/server-options.ts';
import type { ListingRule } from '../transforms/rules.ts';
import type { GuardedSurfaces } from './guarded-surfaces.ts';
import type { HttpSurfaces, HttpSurfacesOptions } from './http-surfaces.ts';
import { lazyArchives } from './lazy-archives.ts';
import { lazySearch } from './lazy-search.ts';
import type { PageDoor, ServePageOptions } from './page/page-door.ts';
import { runtimesOrigin } from './page/runtimes-origin.ts';
import type { ServeHttpOptions } from './serve-http-options.ts';
import type { MdpServing, Runtimes, ServeMdpOptions } from './serve-mdp.ts';
import type { ServedGateway } from './server-health.ts';

export type { ServeHttpOptions } from './serve-http-options.ts';

/** What is asked of whoever decides which skills are served; `createServingDecisions()` makes one. */
export interface ServePolicy {
  fresh(): Promise<void>;
  police(source: SkillSource, label: string, base?: string): SkillSource;
  allowsLive(label: string, path: string): boolean;
}

interface CommonServeOptions extends Omit<DialectOptions, 'archives'> {
  /** Which skills are listed. */
  readonly rules?: readonly ListingRule[];
  readonly http?: ServeHttpOptions;
  /** The page at `/`, over HTTP. Without it decisions in the page last until the server ends. */
  readonly page?: ServePageOptions;
  /** Speak over stdin and stdout of this process. */
  readonly stdio?: boolean;
  /** Take live runtimes over the Model Drive Protocol, and serve their skills too. */
  readonly mdp?: ServeMdpOptions;
  /** Asks callers over HTTP for tokens, and shows each what its profile allows. */
  readonly access?: ServeAccess;
  /** Decides what is served, anew before each answer. The source that is given was made with it. */
  readonly policy?: ServePolicy;
  /** Offer models the tool `search_skills`. Default false. Over HTTP there is `GET /api/search` in any case. */
  readonly search?: boolean;
  /** How the origins do that the source is made of, and the id by which a gateway recognises itself. */
  readonly gateway?: ServedGateway;
  /** What is served besides MCP. Default: all. */
  readonly surfaces?: { readonly site?: boolean; readonly page?: boolean; readonly metrics?: boolean };
  /** Gets one line per event that an operator should know of. */
  readonly log?: (line: string) => void;
}

export interface ServeFoldersOptions extends CommonServeOptions {
  readonly roots: readonly DirectoryRoot[];
  /** Follow changes in the folders. Default true. */
  readonly watch?: boolean;
  /** Where to keep what was read for the next start: a folder, or false for nowhere. Default is the user's cache folder. */
  readonly cache?: boolean | string;
  readonly source?: never;
}

export interface ServeSourceOptions extends CommonServeOptions {
  readonly source: SkillSource;
  readonly roots?: never;
  readonly watch?: never;
  readonly cache?: never;
}

export type ServeOptions = ServeFoldersOptions | ServeSourceOptions;

export interface ServeHandle {
  /**
   * Scheme, host and port without a final slash, for example `http://127.0.0.1:4711`; the overview page is at its `/`. Where
   * all addresses are listened on, the host is the first allowed one, else an address of this machine that others reach.
   */
  readonly url?: string;
  /** Address for MCP clients. */
  readonly mcp?: string;
  /** The address of the page by which a browser may decide about skills; good once, then it is another one. Only on loopback. */
  readonly pageLink?: () => string | undefined;
  readonly catalog: Catalog;
  /** Where runtimes connect, and those that have. */
  readonly mdp?: { readonly url: string; readonly runtimes: RuntimeRegistry };
  /** Resolves when everything has ended, whoever ended it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

function sourceOf(options: ServeOptions): SkillSource {
  if (options.source !== undefined) return options.source;
  const { roots, watch = true, cache = true } = options;
  return directorySource(roots, { watch, cache });
}

/** The origins as the page shows them, where nobody says more about them. */
function originsOf({ roots, source, mdp }: ServeOptions): NonNullable<ServePageOptions['origins']> {
  const given = roots?.map(({ path, label }) => ({
    label: label ?? resolve(path),
    kind: 'folder',
    place: path,
    ...(label === undefined ? {} : { prefix: label }),
  })) ?? [{ label: source?.name ?? '', kind: 'source', place: source?.name ?? '' }];
  return mdp === undefined ? given : [...given, runtimesOrigin(mdp)];
}

/** Only what is used is loaded: a host starts the stdio server with every session, and waits for it. */
async function ruled(source: SkillSource, rules: readonly ListingRule[]): Promise<SkillSource> {
  if (rules.length === 0) return source;
  const { withRules } = await import('../transforms/rules.ts');
  return withRules(source, rules);
}

async function decided(catalog: Catalog, policy: ServePolicy | undefined): Promise<Catalog> {
  if (policy === undefined) return catalog;
  const { freshCatalog } = await import('../catalog/fresh-catalog.ts');
  return freshCatalog(catalog, () => policy.fresh());
}

async function openRuntimes({ mdp, http, policy, log }: ServeOptions): Promise<Runtimes | undefined> {
  if (mdp === undefined) return undefined;
  const address = mdp.listen ?? http;
  if (address === undefined)
    throw new SkillwireError('USAGE', 'cannot take runtimes: over stdio "mdp" needs an address of its own in "listen"');
  const { createRuntimes, policedRuntimes } = await import('./serve-mdp.ts');
  const runtimes = createRuntimes(mdp, address.host, log);
  return policy === undefined ? runtimes : policedRuntimes(runtimes, policy);
}

async function withRuntimes(
  source: SkillSource,
  runtimes: Runtimes | undefined,
  policy: ServePolicy | undefined,
): Promise<SkillSource> {
  if (runtimes === undefined) return source;
  const [{ combine }, { mdpRuntimeSource }] = await Promise.all([
    import('../transforms/combine.ts'),
    import('../sources/mdp-runtime/mdp-runtime-source.ts'),
  ]);
  const { label, frozen, freeze = [] } = runtimes.options;
  const live = mdpRuntimeSource(runtimes.registry, label === undefined ? {} : { label });
  const accepted = (shown: SkillSource): SkillSource => policy?.police(shown, runtimes.label, '') ?? shown;
  if (frozen === undefined) return combine([source, accepted(live)]);
  const { withFrozen } = await import('../transforms/with-frozen.ts');
  return combine([source, accepted(withFrozen(live, frozen, { rules: freeze }))]);
}

/**
 * Serves skills.
 *
 * @example
 * ```ts
 * const handle = await serve({ roots: [{ path: './skills' }], http: { host: '127.0.0.1', port: 8080 } });
 * console.log(handle.mcp); // http://127.0.0.1:8080/mcp
 * ```
 */
export async function serve(options: ServeOptions): Promise<ServeHandle> {
  if ((options.http === undefined) !== (options.stdio === true))
    throw new SkillwireError('USAGE', 'cannot serve: give either "http" or "stdio"');
  const { access, policy } = options;
  if (access !== undefined && options.http === undefined)
    throw new SkillwireError(
      'USAGE',
      'cannot ask for tokens over stdio; serve over HTTP, or without "profiles" and "access"',
    );
  const runtimes = await openRuntimes(options);
  const source = await withRuntimes(sourceOf(options), runtimes, policy);
  const catalog = await decided(createCatalog(await ruled(source, options.rules ?? [])), policy);
  const onerror = (error: Error): void => options.log?.(`error: ${error.message}`);
  // Reading begins now; whoever asks for skills meanwhile waits for the same reading, and hears if it failed.
  catalog.snapshot().then(
    // Once whoever waits for skills has them.
    (snapshot) => setTimeout(() => tellRemarks(snapshot, options).catch(onerror), limits.dialects.remarksMs).unref(),
    () => undefined,
  );
  try {
    const served: ServedCatalog = {
      catalog,
      runtimes,
      dialects: dialectOptionsOf(options),
      access,
      recallable: policy !== undefined,
      search: lazySearch(catalog),
      searchTool: options.search === true,
      onerror,
      log: options.log,
      options,
    };
    if (options.http === undefined) return await serveStdio(served);
    return await serveHttp(served, options.http, { origins: originsOf(options), ...options.page });
  } catch (error) {
    await Promise.all([runtimes?.registry.close(), catalog.close()]);
    throw error;
  }
}

/** Says which skills older dialects call otherwise. */
async function tellRemarks(snapshot: Snapshot, options: ServeOptions): Promise<void> {
  const { log } = options;
  if (log === undefined) return;
  const { aliasRemarks } = await import('../surfaces/mcp/aliases/remarks.ts');
  for (const remark of aliasRemarks(snapshot, dialectSettings(options))) log(`dialects: ${remark}`);
}

interface ServedCatalog {
  readonly catalog: Catalog;
  readonly runtimes: Runtimes | undefined;
  readonly dialects: DialectOptions;
  readonly access: ServeAccess | undefined;
  /** Whether skills may be taken back while they are served. */
  readonly recallable: boolean;
  readonly search: CatalogSearch;
  /** Whether models are offered a tool to search with. */
  readonly searchTool: boolean;
  readonly onerror: (error: Error) => void;
  readonly log: ((line: string) => void) | undefined;
  readonly options: CommonServeOptions;
}

/** The server for runtimes that has an address of its own. */
interface OwnPort {
  readonly url: string;
  close(): Promise<void>;
}

function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

type MakeTools = (registry: ReadableRegistry | undefined, view: Catalog) => ServerTools | undefined;

/** Makes the tools of a server, for each view of the runtimes and the catalog. */
async function toolMaker({ runtimes, search, searchTool }: ServedCatalog): Promise<MakeTools> {
  const [live, searching] = await Promise.all([
    runtimes === undefined ? undefined : import('../surfaces/mcp/runtime-tools.ts'),
    searchTool ? import('../surfaces/mcp/search-tool.ts') : undefined,
  ]);
  if (live === undefined && searching === undefined) return () => undefined;
  const { combineTools } = await import('../surfaces/mcp/combine-tools.ts');
  return (registry, view) =>
    combineTools([
      ...(live === undefined || registry === undefined ? [] : [live.createRuntimeTools(registry)]),
      ...(searching === undefined ? [] : [searching.createSearchTool(search.within(view))]),
    ]);
}

async function openOwnPort({ catalog, runtimes, access, onerror }: ServedCatalog): Promise<OwnPort | undefined> {
  const address = runtimes?.options.listen;
  if (runtimes === undefined || address === undefined) return undefined;
  const { listenForRuntimes, serveRuntimes } = await import('./serve-mdp.ts');
  const serving = serveRuntimes(runtimes, catalog, address.host);
  // Where readers have tokens, they read on the other port alone.
  const answer = access === undefined ? serving.answer : serving.answerRuntime;
  const server = await listenForRuntimes({ ...serving, answer }, address, onerror);
  return { url: server.url, close: () => server.close(() => serving.close()) };
}

async function serveStdio(served: ServedCatalog): Promise<ServeHandle> {
  const { catalog, runtimes, dialects, onerror } = served;
  const { serveCatalogOverStdio } = await import('./stdio.ts');
  const own = await openOwnPort(served);
  const tools = (await toolMaker(served))(runtimes?.readable, catalog);
  const connection = serveCatalogOverStdio(catalog, {
    ...dialects,
    archives: lazyArchives(catalog),
    onerror,
    tools,
  });
  const closed = connection.closed.then(async () => {
    served.search.close();
    await own?.close();
    await catalog.close();
  });
  return {
    catalog,
    ...mdpHandle(own?.url, runtimes),
    closed,
    async close() {
      await connection.close();
      await closed;
    },
  };
}

function mdpHandle(url: string | undefined, runtimes: Runtimes | undefined): Pick<ServeHandle, 'mdp'> {
  if (url === undefined || runtimes === undefined) return {};
  return { mdp: { url: socketUrl(url), runtimes: runtimes.registry } };
}

async function serveHttp(
  served: ServedCatalog,
  http: ServeHttpOptions,
  pageOptions: ServePageOptions,
): Promise<ServeHandle> {
  const { runtimes, dialects, access, recallable, onerror, log } = served;
  const { surfaces = {}, gateway } = served.options;
  const [
    { openPage },
    { httpSurfaces },
    { isLoopback },
    { listen },
    { mcpPath },
    makeTools,
    { healthPages },
    { createRequestCounts },
  ] = await Promise.all([
    import('./page/page-door.ts'),
    import('./http-surfaces.ts'),
    import('./guards.ts'),
    import('./http-server.ts'),
    import('./routes.ts'),
    toolMaker(served),
    import('./server-health.ts'),
    import('./request-counts.ts'),
  ]);
  const page: PageDoor = openPage(pageOptions, {
    catalog: served.catalog,
    host: http.host,
    runtimes: runtimes?.registry,
    reports: gateway === undefined ? undefined : () => gateway.origins(),
    onerror,
  });
  const { catalog } = page;
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
  const pages = healthPages(catalog, {
    gateway,
    requests,
    // Reasons name addresses and folders.
    showReasons: access !== undefined || isLoopback(http.host),
    metrics: surfaces.metrics !== false,
  });
  const all = httpSurfaces(catalog, {
    ...common,
    own: pages,
    // Findings name files of this machine, which whoever reaches it from elsewhere need not know.
    showFindings: access === undefined && isLoopback(http.host),
    // It shows everything, so it is for servers that ask nobody for a token.
    shown: access === undefined ? (request, url) => page.answer(request, url) : undefined,
    mdp: shared?.answer,
    tools: makeTools(runtimes?.readable, catalog),
    search: served.search.within(catalog),
    private: access !== undefined,
    log,
  });
  const guarded =
    access === undefined ? undefined : await guard(access, all, { served, http, shared, makeTools, common });
  const server = await listen({
    ...http,
    authenticated: access !== undefined,
    routes: guarded?.answer ?? ((request) => all.answer(request)),
    plain: [guarded?.plain ?? { accepts: all.accepts, answer: (request) => all.answerPlain(request) }],
    ...(shared === undefined ? {} : { upgrade: shared.upgrade }),
    onanswer: requests.answered,
    ...(gateway?.id === undefined
      ? {}
      : { refuse: (await import('./self-listing.ts')).refuseSelf(() => gateway.id ?? '') }),
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
      const key = page.linkKey();
      return key === undefined ? undefined : `${server.url}/#/sign-in/${key}`;
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
  const { serveRuntimes } = await import('./serve-mdp.ts');
  return serveRuntimes(runtimes, catalog, host);
}

interface GuardParts {
  readonly served: ServedCatalog;
  readonly http: ServeHttpOptions;
  readonly shared: MdpServing | undefined;
  readonly makeTools: MakeTools;
  readonly common: Pick<
    HttpSurfacesOptions,
    'archiveFormat' | 'dialects' | 'recallable' | 'onerror' | 'publish' | 'page'
  >;
}

/** The surfaces for callers with tokens: those of each profile over a view of the catalog and of the runtimes. */
async function guard(access: ServeAccess, own: HttpSurfaces, parts: GuardParts): Promise<GuardedSurfaces> {
  const { served, http, shared, makeTools, common } = parts;
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
        host: http.host,
        makeTools,
      }),
    runtimes: shared?.answerRuntime,
    onerror: served.onerror,
  });
}
