/** A catalog that is served, over whatever: its tools, and where runtimes connect. */

import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogSearch } from '../catalog/catalog-search.ts';
import type { ReadableRegistry } from '../runtimes/registry-view.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import type { Serving } from '../serving/serving.ts';
import type { Store } from '../store/store.ts';
import type { DialectOptions } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { ServerTools } from '../surfaces/mcp/server-options.ts';
import type { Runtimes } from './serve-mdp.ts';
import type { CommonServeOptions, ServeHandle } from './serve-options.ts';
import type { SkillOrigins } from './skill-origins.ts';

export interface ServedCatalog {
  /** What agents get. */
  readonly catalog: Catalog;
  /** The same with skills that are denied or disabled, for the page. */
  readonly all: Catalog;
  readonly serving: () => Promise<Serving>;
  /** Where decisions are stored. */
  readonly store: () => Promise<Store>;
  readonly origins: SkillOrigins;
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
export interface OwnPort {
  readonly url: string;
  close(): Promise<void>;
}

function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

export type MakeTools = (registry: ReadableRegistry | undefined, view: Catalog) => ServerTools | undefined;

/** Makes the tools of a server, for each view of the runtimes and the catalog. */
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
  // Where readers have tokens, they read on the other port alone.
  const answer = access === undefined ? serving.answer : serving.answerRuntime;
  const server = await listenForRuntimes({ ...serving, answer }, address, onerror);
  return { url: server.url, close: () => server.close(() => serving.close()) };
}

export function mdpHandle(url: string | undefined, runtimes: Runtimes | undefined): Pick<ServeHandle, 'mdp'> {
  if (url === undefined || runtimes === undefined) return {};
  return { mdp: { url: socketUrl(url), runtimes: runtimes.registry } };
}
