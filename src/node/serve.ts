/**
 * Serves folders of skills, or any source, over HTTP or stdio until it is closed or stdin ends. Listening does not wait for
 * the folders to be read; `catalog.snapshot()` does.
 */
import type { ArchiveFormat } from '../archive/archive-file.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { SkillwireError } from '../errors.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { ListingRule } from '../transforms/rules.ts';
import { nodeDigest } from './node-digest.ts';

export interface ServeHttpOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Names by which clients may address this server, besides the address itself. */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may use this server. */
  readonly allowedOrigins?: readonly string[];
  /** Listen beyond loopback although everybody who reaches the port may read everything. */
  readonly allowUnauthenticatedRemote?: boolean;
  /** In which form skills with several files are published at `/.well-known/agent-skills/`. Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
}

interface CommonServeOptions {
  /** Which skills are listed. */
  readonly rules?: readonly ListingRule[];
  readonly http?: ServeHttpOptions;
  /** Speak over stdin and stdout of this process. */
  readonly stdio?: boolean;
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
  const catalog = createCatalog(await ruled(sourceOf(options), options.rules ?? []));
  const onerror = (error: Error): void => options.log?.(`error: ${error.message}`);
  // Reading begins now; whoever asks for skills meanwhile waits for the same reading, and hears if it failed.
  catalog.snapshot().catch(() => undefined);
  try {
    return options.http === undefined
      ? await serveStdio(catalog, onerror)
      : await serveHttp(catalog, options.http, onerror, options.log);
  } catch (error) {
    await catalog.close();
    throw error;
  }
}

async function serveStdio(catalog: Catalog, onerror: (error: Error) => void): Promise<ServeHandle> {
  const { serveCatalogOverStdio } = await import('./stdio.ts');
  const connection = serveCatalogOverStdio(catalog, { onerror });
  const closed = connection.closed.then(() => catalog.close());
  return {
    catalog,
    closed,
    async close() {
      await connection.close();
      await closed;
    },
  };
}

async function serveHttp(
  catalog: Catalog,
  http: ServeHttpOptions,
  onerror: (error: Error) => void,
  log: ((line: string) => void) | undefined,
): Promise<ServeHandle> {
  const [{ mcpHandler }, { wellKnownSurface }, { isLoopback }, { listen }, { createRoutes, mcpPath }] =
    await Promise.all([
      import('../surfaces/mcp/mcp-handler.ts'),
      import('../surfaces/well-known-http/well-known-surface.ts'),
      import('./guards.ts'),
      import('./http-server.ts'),
      import('./routes.ts'),
    ]);
  const mcp = mcpHandler(catalog, { onerror });
  const { archiveFormat } = http;
  const site = wellKnownSurface(catalog, {
    digest: nodeDigest,
    onfinding: ({ skill, message }) => log?.(`site: ${skill}: ${message}`),
    ...(archiveFormat === undefined ? {} : { archiveFormat }),
  });
  // Findings name files of this machine, which whoever reaches it from elsewhere need not know.
  const showFindings = isLoopback(http.host);
  const server = await listen({
    ...http,
    routes: createRoutes(catalog, mcp, { showFindings, site }),
    plain: [
      {
        accepts: (method, target) => method === 'POST' && target === mcpPath,
        answer: (request) => mcp.plain(request),
      },
      site,
    ],
    onerror,
  });
  const closed = server.closed.then(() => catalog.close());
  return {
    url: server.url,
    mcp: `${server.url}${mcpPath}`,
    catalog,
    closed,
    async close() {
      await server.close(() => mcp.close());
      await closed;
    },
  };
}
