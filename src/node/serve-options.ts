/** Options and result of `serve()`. */
import type { Catalog } from '../catalog/catalog.ts';
import type { ListingMode } from '../catalog/offered-skills.ts';
import type { ServedGateway } from '../gateway/server-reports.ts';
import type { RuntimeRegistry } from '../runtimes/runtime-registry.ts';
import type { Embedder } from '../search/embedder.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import type { Serving } from '../serving/serving.ts';
import type { UnservedCounts } from '../serving/serving-state.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import type { DialectOptions } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { PolicedOrigins } from '../transforms/policed-origins.ts';
import type { ListingRule } from '../transforms/selected.ts';
import type { ServeHttpOptions } from './http/host-names.ts';
import type { DecisionStore } from './lazy-serving.ts';
import type { ServePageOptions } from './page/page-door.ts';
import type { ServeMdpOptions } from './serve-mdp.ts';
import type { ServedOrigin } from './skill-origins.ts';
import type { Telemetry } from './telemetry/open-telemetry.ts';

/** The authority on what is served under a policy, and the origins it decides about. */
export interface ServePolicy extends PolicedOrigins {
  readonly serving: Serving;
}

export interface CommonServeOptions extends Omit<DialectOptions, 'archives'> {
  /** Rules that decide which skills are listed. */
  readonly rules?: readonly ListingRule[];
  /**
   * `'compatible'`, the default, omits skills from `skills/list` that make the official MCP client reject the whole listing. They are
   * still found by search and by URI. `'all'` lists them too.
   */
  readonly listing?: ListingMode | undefined;
  readonly http?: ServeHttpOptions;
  /** The page at `/`, over HTTP. */
  readonly page?: ServePageOptions;
  /** Serve over stdin and stdout of this process. */
  readonly stdio?: boolean;
  /** Accept live runtimes over the Model Drive Protocol and serve their skills. */
  readonly mdp?: ServeMdpOptions;
  /** Requires tokens over HTTP, and shows each caller what its profile allows. */
  readonly access?: ServeAccess;
  /** Decides before each answer what is served. The source must be built with it. */
  readonly policy?: ServePolicy;
  /** Store for decisions of people; the caller closes it. Default: in memory. */
  readonly store?: Store | DecisionStore;
  /** The origins of the skills. Decisions are stored under their labels. Default: the folders, or the source. */
  readonly origins?: readonly ServedOrigin[];
  /** Offer models the tool `search_skills`. Default false. `GET /api/search` is always served over HTTP. */
  readonly search?: boolean;
  /** Adds search by meaning. It gets names, descriptions and queries. */
  readonly embedder?: Embedder | undefined;
  /** The health of the origins, and the id by which a gateway recognizes its own requests. */
  readonly gateway?: ServedGateway;
  /** Surfaces besides MCP. Default: all. */
  readonly surfaces?: { readonly site?: boolean; readonly page?: boolean; readonly metrics?: boolean };
  /**
   * Sends traces and metrics, and is closed with the server.
   * @internal
   */
  readonly telemetry?: Telemetry | undefined;
  /** Gets one line per event for the operator. */
  readonly log?: (line: string) => void;
}

/** Options of `serve()` for folders. */
export interface ServeFoldersOptions extends CommonServeOptions {
  readonly roots: readonly DirectoryRoot[];
  /** Follow changes in the folders. Default true. */
  readonly watch?: boolean;
  /** Cache folder for faster starts, or false for none. Default: the user's cache folder. */
  readonly cache?: boolean | string;
  readonly source?: never;
}

/** Options of `serve()` for a source. */
export interface ServeSourceOptions extends CommonServeOptions {
  readonly source: SkillSource;
  readonly roots?: never;
  readonly watch?: never;
  readonly cache?: never;
}

/** Options of `serve()`: folders or a source, and where to serve. */
export type ServeOptions = ServeFoldersOptions | ServeSourceOptions;

/** A running server: its addresses, its catalog, and `close()`. */
export interface ServeHandle {
  /**
   * Scheme, host and port without a final slash, for example `http://127.0.0.1:4711`. The page is at `/`. If the server listens on all
   * addresses, the host is the first allowed one, else an external address of this machine.
   */
  readonly url?: string;
  /** Address for MCP clients. */
  readonly mcp?: string;
  /** A one-time link with which a browser can approve skills. After use there is a new one. Only on loopback. */
  readonly pageLink?: () => string | undefined;
  readonly catalog: Catalog;
  /** How many skills are not served in their current version. Absent without a policy. */
  readonly unserved?: () => UnservedCounts;
  /** The address for runtimes, and the connected runtimes. */
  readonly mdp?: { readonly url: string; readonly runtimes: RuntimeRegistry };
  /** Resolves when the server has shut down for any reason. */
  readonly closed: Promise<void>;
  /** A second call without options ends the drain of the first. */
  close(options?: CloseOptions): Promise<void>;
}

/** How a server shuts down. */
export interface CloseOptions {
  /**
   * Over HTTP: answer for this long with `/readyz` at 503, so that load balancers send new requests elsewhere, then close. Default 0.
   */
  readonly drainMs?: number;
}
