/**
 * What one catalog shows over HTTP, whatever listens: MCP, the site, the pages, and live runtimes. Where callers have profiles there is
 * one of these per profile, each over a view of the catalog; nothing that one of them keeps is seen by another.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillSearch } from '../../catalog/catalog-search.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import type { DialectOptions } from '../../surfaces/mcp/aliases/served-dialects.ts';
import { type McpRequestExtra, mcpHandler } from '../../surfaces/mcp/mcp-handler.ts';
import type { ServerTools } from '../../surfaces/mcp/server-options.ts';
import { searchRoute } from '../../surfaces/page/search-route.ts';
import type { PlainRequest, PlainSurface } from '../../surfaces/plain-answer.ts';
import { wellKnownSurface } from '../../surfaces/well-known-http/well-known-surface.ts';
import { lazyArchives } from '../lazy-archives.ts';
import type { Visitor } from '../page/page-view.ts';
import { createRoutes, mcpPath, type RoutesOptions } from './routes.ts';

export interface HttpSurfacesOptions extends Omit<RoutesOptions, 'site' | 'api'> {
  readonly tools: ServerTools | undefined;
  readonly search: SkillSearch;
  readonly archiveFormat: ArchiveFormat | undefined;
  /** Older ways of delivering skills over MCP. */
  readonly dialects: Omit<DialectOptions, 'archives'>;
  /** False: nothing is published below `/.well-known/`. */
  readonly publish?: boolean | undefined;
  /** Whether only some may read this. */
  readonly private: boolean;
  /** Whether skills can be recalled, so that nothing is given that is no longer served. */
  readonly recallable: boolean;
  readonly onerror: (error: Error) => void;
  readonly log: ((line: string) => void) | undefined;
}

export interface HttpSurfaces {
  answer(request: Request, extra?: McpRequestExtra): Promise<Response>;
  /** Whether `answerPlain()` may have an answer. */
  accepts(method: string, target: string): boolean;
  answerPlain(request: PlainRequest, extra?: McpRequestExtra): ReturnType<PlainSurface['answer']>;
  /** The data of the page, for who was let in. Absent where there is no page for them. */
  answerPage?(request: Request, url: URL, visitor: Visitor): Promise<Response>;
  /** Ends all streams. The catalog stays open. */
  close(): Promise<void>;
}

export function httpSurfaces(catalog: Catalog, options: HttpSurfacesOptions): HttpSurfaces {
  const { onerror, log, tools, archiveFormat, dialects, recallable } = options;
  const mcp = mcpHandler(catalog, { ...dialects, archives: lazyArchives(catalog), onerror, tools });
  const site =
    options.publish === false
      ? nothing
      : wellKnownSurface(catalog, {
          digest: nodeDigest,
          private: options.private,
          keepReplaced: !recallable,
          onfinding: ({ skill, message }) => log?.(`site: ${skill}: ${message}`),
          ...(archiveFormat === undefined ? {} : { archiveFormat }),
        });
  const api = searchRoute(options.search);
  return {
    answer: createRoutes(catalog, mcp, { ...options, site, api }),
    accepts: (method, target) => isMcp(method, target) || site.accepts(method, target) || api.accepts(method, target),
    answerPlain(request, extra) {
      const { method, target } = request;
      if (isMcp(method, target)) return mcp.plain(request, extra);
      return (api.accepts(method, target) ? api : site).answer(request);
    },
    close: () => mcp.close(),
  };
}

const nothing: PlainSurface = { accepts: () => false, answer: () => undefined };

function isMcp(method: string, target: string): boolean {
  return method === 'POST' && target === mcpPath;
}
