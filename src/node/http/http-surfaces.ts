/**
 * All HTTP surfaces of one catalog: MCP, site, pages and live runtimes. If callers have profiles, each profile has its own surfaces over a
 * view of the catalog. The only cache that they share is the JSON of files, which is found by the file's bytes.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillSearch } from '../../catalog/catalog-search.ts';
import { limits } from '../../limits.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import type { DialectOptions } from '../../surfaces/mcp/aliases/served-dialects.ts';
import type { ContentsJson } from '../../surfaces/mcp/fast-path/contents-json.ts';
import { mcpHandler } from '../../surfaces/mcp/mcp-handler.ts';
import type { ServerTools } from '../../surfaces/mcp/server-options.ts';
import { overviewHeaders, overviewPage } from '../../surfaces/page/overview.ts';
import { searchRoute } from '../../surfaces/page/search-route.ts';
import { type PlainRequest, toPlainRequest, toResponse } from '../../surfaces/plain-answer.ts';
import { mcpPath } from '../../surfaces/routes.ts';
import { wellKnownSurface } from '../../surfaces/well-known-http/well-known-surface.ts';
import { lazyArchives } from '../lazy-archives.ts';
import type { PageDoor } from '../page/page-door.ts';
import type { Visitor } from '../page/page-view.ts';
import { createRoutes, type GuardedHandler, type Handlers, type PlainHandlers, type Routes } from './routes.ts';
import { capOf, type ServeLimits } from './server-caps.ts';
import type { HealthHandlers } from './server-health.ts';

export interface HttpSurfacesOptions {
  readonly tools: ServerTools | undefined;
  readonly search: SkillSearch;
  readonly archiveFormat: ArchiveFormat | undefined;
  /** The JSON of files for all surfaces of the server. */
  readonly contents: ContentsJson;
  /** Most streams and sessions. */
  readonly limits?: ServeLimits | undefined;
  /** Older MCP dialects to serve. */
  readonly dialects: Omit<DialectOptions, 'archives'>;
  /** False: nothing is published below `/.well-known/`. */
  readonly publish?: boolean | undefined;
  /** True if not everybody may read this. */
  readonly private: boolean;
  /** True if skills can be recalled, so replaced content is not served by digest. */
  readonly recallable: boolean;
  /** True if the overview page lists findings for this reader. Others see only how many there are. */
  readonly showFindings: (request: Request) => boolean;
  /** Live runtimes; returns `undefined` if a request is not for them. */
  readonly mdp?: ((request: Request, url: URL) => Promise<Response> | undefined) | undefined;
  /** Health routes, for the surfaces over everything. */
  readonly health?: HealthHandlers | undefined;
  /** False: no web page. */
  readonly page?: boolean | undefined;
  /** The page and its data, for servers without tokens. */
  readonly door?: Pick<PageDoor, 'file' | 'data'> | undefined;
  readonly onerror: (error: Error) => void;
  readonly log: ((line: string) => void) | undefined;
}

export interface HttpSurfaces extends Routes {
  /** The data of the page for admitted callers. Absent if they have no page. */
  answerPage?(request: Request, url: URL, visitor: Visitor): Promise<Response>;
  /** Closes all streams. The catalog stays open. */
  close(): Promise<void>;
}

export function httpSurfaces(catalog: Catalog, options: HttpSurfacesOptions): HttpSurfaces {
  const { onerror, log, tools, archiveFormat, dialects, recallable, health } = options;
  const mcp = mcpHandler(catalog, {
    ...dialects,
    archives: lazyArchives(catalog),
    onerror,
    tools,
    contents: options.contents,
    maxSubscriptions: capOf('streams', options.limits),
    sessions: { count: capOf('sessions', options.limits), idleMs: limits.sessions.idleMs },
  });
  const site =
    options.publish === false
      ? undefined
      : wellKnownSurface(catalog, {
          digest: nodeDigest,
          private: options.private,
          keepReplaced: !recallable,
          onfinding: ({ skill, message }) => log?.(`site: ${skill}: ${message}`),
          archiveFormat,
        });
  const search = searchRoute(options.search);
  const plain: PlainHandlers = {
    mcp: (request, extra) => mcp.plain(request, extra),
    search: (request) => search.answer(request),
    site: site === undefined ? undefined : (request: PlainRequest) => site.answer(request),
  };
  const overview: GuardedHandler = async (request, url) => {
    const snapshot = await catalog.snapshot(request);
    const mcpUrl = `${url.origin}${mcpPath}`;
    const page = overviewPage(snapshot, { mcpUrl, showFindings: options.showFindings(request) });
    return new Response(page, { headers: overviewHeaders });
  };
  const hasPage = options.page !== false;
  const door = hasPage ? options.door : undefined;
  const handlers: Handlers = {
    mcp: (request, _, extra) => mcp(request, extra),
    // With tokens, the access gate answers before a request gets here.
    access: undefined,
    signIn: undefined,
    site: plainly(plain.site),
    search: plainly(plain.search),
    session: door?.data,
    data: door?.data,
    runtimes: options.mdp,
    healthz: health?.healthz,
    readyz: health?.readyz,
    metrics: health?.metrics,
    status: health?.status,
    file: door?.file,
    page: hasPage ? async (request, url) => (await door?.file(request, url)) ?? overview(request, url) : undefined,
    // The page without scripts.
    overview: hasPage ? overview : undefined,
  };
  return { ...createRoutes(handlers, plain), close: () => mcp.close() };
}

function plainly(answer: PlainHandlers['site']): GuardedHandler | undefined {
  if (answer === undefined) return undefined;
  return async (request) => {
    const plain = await answer(toPlainRequest(request));
    return plain === undefined ? undefined : toResponse(plain);
  };
}
