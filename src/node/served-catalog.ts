/** A served catalog on any transport: its tools, its search, and the port for runtimes. */
import { loadOnce } from '../async/load-once.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogSearch } from '../catalog/catalog-search.ts';
import type { ReadableRegistry } from '../runtimes/registry-view.ts';
import type { Embedder } from '../search/embedder.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import type { Serving } from '../serving/serving.ts';
import type { DialectOptions } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { ServerTools } from '../surfaces/mcp/server-options.ts';
import type { DecisionStore } from './lazy-serving.ts';
import type { Runtimes } from './serve-mdp.ts';
import type { CommonServeOptions, ServeHandle } from './serve-options.ts';
import type { SkillOrigins } from './skill-origins.ts';

export interface ServedCatalog {
  /** The catalog that agents get. */
  readonly catalog: Catalog;
  /** Includes denied and disabled skills, for the page. */
  readonly all: Catalog;
  readonly serving: () => Promise<Serving>;
  /** The store of decisions. */
  readonly store: DecisionStore;
  readonly origins: SkillOrigins;
  readonly runtimes: Runtimes | undefined;
  readonly dialects: DialectOptions;
  readonly access: ServeAccess | undefined;
  /** True if skills can be recalled while they are served. */
  readonly recallable: boolean;
  /** Absent without a policy. */
  readonly unserved: ServeHandle['unserved'];
  readonly search: CatalogSearch;
  /** True if models get the search tool. */
  readonly searchTool: boolean;
  readonly onerror: (error: Error) => void;
  readonly log: ((line: string) => void) | undefined;
  readonly options: CommonServeOptions;
}

/** The separate server for runtimes. */
export interface OwnPort {
  readonly url: string;
  close(): Promise<void>;
}

function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

export type MakeTools = (registry: ReadableRegistry | undefined, view: Catalog) => ServerTools | undefined;

/** Returns a function that creates the tools for a view of the runtimes and the catalog. */
export async function toolMaker({ runtimes, search, searchTool }: ServedCatalog): Promise<MakeTools> {
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

export async function openOwnPort({ catalog, runtimes, access, onerror }: ServedCatalog): Promise<OwnPort | undefined> {
  const address = runtimes?.options.listen;
  if (runtimes === undefined || address === undefined) return undefined;
  const { listenForRuntimes, serveRuntimes } = await import('./serve-mdp.ts');
  const serving = serveRuntimes(runtimes, catalog, address.host);
  // If readers have tokens, they read on the main port only.
  const answer = access === undefined ? serving.answer : serving.answerRuntime;
  const server = await listenForRuntimes({ ...serving, answer }, address, onerror);
  return { url: server.url, close: () => server.close(() => serving.close()) };
}

export function mdpHandle(url: string | undefined, runtimes: Runtimes | undefined): Pick<ServeHandle, 'mdp'> {
  if (url === undefined || runtimes === undefined) return {};
  return { mdp: { url: socketUrl(url), runtimes: runtimes.registry } };
}

export function unservedHandle({ unserved }: Pick<ServedCatalog, 'unserved'>): Pick<ServeHandle, 'unserved'> {
  return unserved === undefined ? {} : { unserved };
}

/** Search over a catalog. The first search loads its code, so a server without searches pays nothing. */
export function lazySearch(catalog: Catalog, embedder?: Embedder): CatalogSearch {
  let closed = false;
  const opened = loadOnce(async (): Promise<CatalogSearch> => {
    const { createCatalogSearch } = await import('../catalog/catalog-search.ts');
    const search = createCatalogSearch(catalog, { embedder });
    if (closed) search.close();
    return search;
  });

  return {
    search: async (query, options) => (await opened.get()).search(query, options),
    within: (view) => ({ search: async (query, options) => (await opened.get()).within(view).search(query, options) }),
    close() {
      closed = true;
      void opened.started()?.then((search) => search.close());
    },
  };
}
