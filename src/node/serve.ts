/**
 * Serves folders of skills, or any source, over HTTP or stdio until it is closed or stdin ends. Listening does not wait for
 * the folders to be read; `catalog.snapshot()` does.
 */
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { SkillwireError } from '../errors.ts';
import type { RuntimeRegistry } from '../runtimes/runtime-registry.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { ServerTools } from '../surfaces/mcp/server-options.ts';
import type { ListingRule } from '../transforms/rules.ts';
import { nodeDigest } from './node-digest.ts';
import type { ServeHttpOptions } from './serve-http-options.ts';
import type { MdpServing, Runtimes, ServeMdpOptions } from './serve-mdp.ts';

export type { ServeHttpOptions } from './serve-http-options.ts';

interface CommonServeOptions {
  /** Which skills are listed. */
  readonly rules?: readonly ListingRule[];
  readonly http?: ServeHttpOptions;
  /** Speak over stdin and stdout of this process. */
  readonly stdio?: boolean;
  /** Take live runtimes over the Model Drive Protocol, and serve their skills too. */
  readonly mdp?: ServeMdpOptions;
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

/** Only what is used is loaded: a host starts the stdio server with every session, and waits for it. */
async function ruled(source: SkillSource, rules: readonly ListingRule[]): Promise<SkillSource> {
  if (rules.length === 0) return source;
  const { withRules } = await import('../transforms/rules.ts');
  return withRules(source, rules);
}

async function openRuntimes({ mdp, http, log }: ServeOptions): Promise<Runtimes | undefined> {
  if (mdp === undefined) return undefined;
  const address = mdp.listen ?? http;
  if (address === undefined)
    throw new SkillwireError('USAGE', 'cannot take runtimes: over stdio "mdp" needs an address of its own in "listen"');
  const { createRuntimes } = await import('./serve-mdp.ts');
  return createRuntimes(mdp, address.host, log);
}

async function withRuntimes(source: SkillSource, runtimes: Runtimes | undefined): Promise<SkillSource> {
  if (runtimes === undefined) return source;
  const [{ combine }, { mdpRuntimeSource }] = await Promise.all([
    import('../transforms/combine.ts'),
    import('../sources/mdp-runtime/mdp-runtime-source.ts'),
  ]);
  const { label, frozen, freeze = [] } = runtimes.options;
  const live = mdpRuntimeSource(runtimes.registry, label === undefined ? {} : { label });
  if (frozen === undefined) return combine([source, live]);
  const { withFrozen } = await import('../transforms/with-frozen.ts');
  return combine([source, withFrozen(live, frozen, { rules: freeze })]);
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
  const runtimes = await openRuntimes(options);
  const source = await withRuntimes(sourceOf(options), runtimes);
  const catalog = createCatalog(await ruled(source, options.rules ?? []));
  const onerror = (error: Error): void => options.log?.(`error: ${error.message}`);
  // Reading begins now; whoever asks for skills meanwhile waits for the same reading, and hears if it failed.
  catalog.snapshot().catch(() => undefined);
  try {
    const mcp: ServedCatalog = { catalog, runtimes, onerror, log: options.log };
    return options.http === undefined ? await serveStdio(mcp) : await serveHttp(mcp, options.http);
  } catch (error) {
    await Promise.all([runtimes?.registry.close(), catalog.close()]);
    throw error;
  }
}

interface ServedCatalog {
  readonly catalog: Catalog;
  readonly runtimes: Runtimes | undefined;
  readonly onerror: (error: Error) => void;
  readonly log: ((line: string) => void) | undefined;
}

/** The server for runtimes that has an address of its own. */
interface OwnPort {
  readonly url: string;
  close(): Promise<void>;
}

function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

async function toolsFor(runtimes: Runtimes | undefined): Promise<ServerTools | undefined> {
  if (runtimes === undefined) return undefined;
  const { createRuntimeTools } = await import('../surfaces/mcp/runtime-tools.ts');
  return createRuntimeTools(runtimes.registry);
}

async function openOwnPort({ catalog, runtimes, onerror }: ServedCatalog): Promise<OwnPort | undefined> {
  const address = runtimes?.options.listen;
  if (runtimes === undefined || address === undefined) return undefined;
  const { listenForRuntimes, serveRuntimes } = await import('./serve-mdp.ts');
  const serving = serveRuntimes(runtimes, catalog, address.host);
  const server = await listenForRuntimes(serving, address, onerror);
  return { url: server.url, close: () => server.close(() => serving.close()) };
}

async function serveStdio(served: ServedCatalog): Promise<ServeHandle> {
  const { catalog, runtimes, onerror } = served;
  const { serveCatalogOverStdio } = await import('./stdio.ts');
  const own = await openOwnPort(served);
  const connection = serveCatalogOverStdio(catalog, { onerror, tools: await toolsFor(runtimes) });
  const closed = connection.closed.then(async () => {
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

async function serveHttp(served: ServedCatalog, http: ServeHttpOptions): Promise<ServeHandle> {
  const { catalog, runtimes, onerror, log } = served;
  const [{ mcpHandler }, { wellKnownSurface }, { isLoopback }, { listen }, { createRoutes, mcpPath }] =
    await Promise.all([
      import('../surfaces/mcp/mcp-handler.ts'),
      import('../surfaces/well-known-http/well-known-surface.ts'),
      import('./guards.ts'),
      import('./http-server.ts'),
      import('./routes.ts'),
    ]);
  const mcp = mcpHandler(catalog, { onerror, tools: await toolsFor(runtimes) });
  const { archiveFormat } = http;
  const site = wellKnownSurface(catalog, {
    digest: nodeDigest,
    onfinding: ({ skill, message }) => log?.(`site: ${skill}: ${message}`),
    ...(archiveFormat === undefined ? {} : { archiveFormat }),
  });
  // Findings name files of this machine, which whoever reaches it from elsewhere need not know.
  const showFindings = isLoopback(http.host);
  const own = await openOwnPort(served);
  const shared = runtimes === undefined || own !== undefined ? undefined : await sharedPort(runtimes, catalog, http);
  const server = await listen({
    ...http,
    routes: createRoutes(catalog, mcp, { showFindings, site, mdp: shared?.answer }),
    plain: [
      {
        accepts: (method, target) => method === 'POST' && target === mcpPath,
        answer: (request) => mcp.plain(request),
      },
      site,
    ],
    ...(shared === undefined ? {} : { upgrade: shared.upgrade }),
    onerror,
  }).catch(async (error: unknown) => {
    await own?.close();
    throw error;
  });
  const closed = server.closed.then(() => catalog.close());
  return {
    url: server.url,
    mcp: `${server.url}${mcpPath}`,
    catalog,
    ...mdpHandle(own?.url ?? server.url, runtimes),
    closed,
    async close() {
      await Promise.all([
        own?.close(),
        server.close(async () => {
          await Promise.all([shared?.close(), mcp.close()]);
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
