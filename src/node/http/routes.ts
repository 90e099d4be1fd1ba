/** What is served where, as a function from Request to Response. Routes match exactly; everything else is not found. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { McpHandler, McpRequestExtra } from '../../surfaces/mcp/mcp-handler.ts';
import { overviewHeaders, overviewPage } from '../../surfaces/page/overview.ts';
import { type PlainSurface, toPlainRequest, toResponse } from '../../surfaces/plain-answer.ts';

export const mcpPath = '/mcp';

export interface RoutesOptions {
  /** Whether the overview page lists findings for this reader, or only says how many there are. */
  readonly showFindings: (request: Request) => boolean;
  /** Skills over plain HTTP. */
  readonly site: PlainSurface;
  /** Data for programs, below `/api/`. */
  readonly api: PlainSurface;
  /** Live runtimes: undefined where a request is not for them. */
  readonly mdp?: ((request: Request, url: URL) => Promise<Response> | undefined) | undefined;
  /** Pages about the server itself, by path; they go before our own. */
  readonly own?: Readonly<Record<string, (request: Request) => Promise<Response>>> | undefined;
  /** False: there is no page for people. */
  readonly page?: boolean | undefined;
  /** The page and its data: undefined where a request is not for them, or the page was not built. */
  readonly shown?: ((request: Request, url: URL) => Promise<Response | undefined>) | undefined;
}

/** `extra` is about the caller, where callers are known. */
export type Routes = (request: Request, extra?: McpRequestExtra) => Promise<Response>;

function text(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(`${body}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

/** Whether the first snapshot is there, without waiting for it. */
async function isLoaded(catalog: Catalog): Promise<boolean> {
  const loaded = catalog.snapshot().then(
    () => true,
    () => false,
  );
  const later = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), 0);
  });
  return Promise.race([loaded, later]);
}

export function createRoutes(catalog: Catalog, mcp: McpHandler, options: RoutesOptions): Routes {
  const { showFindings, site, api, mdp, own = {}, page: hasPage = true, shown } = options;
  const overview = async (request: Request, url: URL): Promise<Response> => {
    const snapshot = await catalog.snapshot(request.signal);
    const page = overviewPage(snapshot, {
      mcpUrl: `${url.origin}${mcpPath}`,
      showFindings: showFindings(request),
    });
    return new Response(page, { headers: overviewHeaders });
  };
  const pages: Readonly<Record<string, (request: Request, url: URL) => Promise<Response>>> = {
    '/healthz': async () => text(200, 'ok'),
    '/readyz': async () => ((await isLoaded(catalog)) ? text(200, 'ready') : text(503, 'loading')),
    // The second one is the same without scripts.
    ...(hasPage ? { '/': overview, '/ui/plain': overview } : {}),
    ...own,
  };

  return async (request, extra) => {
    const url = new URL(request.url);
    if (url.pathname === mcpPath) return mcp(request, extra);
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    const plain = [site, api].find((surface) => surface.accepts('GET', url.pathname));
    if (isGet && plain !== undefined) {
      const answer = await plain.answer(toPlainRequest(request));
      if (answer !== undefined) return toResponse(answer);
    }
    const answered = hasPage && plain === undefined ? await shown?.(request, url) : undefined;
    if (answered !== undefined) return answered;
    const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
    if (page === undefined && plain === undefined)
      return mdp?.(request, url) ?? text(404, `not found; MCP is at ${mcpPath}`);
    if (page === undefined || !isGet) return text(405, 'method not allowed', { allow: 'GET, HEAD' });
    return page(request, url);
  };
}
