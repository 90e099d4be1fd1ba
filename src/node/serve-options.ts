/** What `serve()` takes and gives. */

import type { Catalog } from '../catalog/catalog.ts';
import type { ListingMode } from '../catalog/offered-skills.ts';
import type { ServedGateway } from '../gateway/server-reports.ts';
import type { RuntimeRegistry } from '../runtimes/runtime-registry.ts';
import type { Embedder } from '../search/embedder.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import type { Serving } from '../serving/serving.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import type { DialectOptions } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { PolicedOrigins } from '../transforms/policed-origins.ts';
import type { ListingRule } from '../transforms/selected.ts';
import type { DecisionStore } from './lazy-serving.ts';
import type { ServePageOptions } from './page/page-door.ts';
import type { ServeHttpOptions } from './serve-http-options.ts';
import type { ServeMdpOptions } from './serve-mdp.ts';
import type { ServedOrigin } from './skill-origins.ts';

/** The authority on what is served under a policy, and the origins that it was put before. */
export interface ServePolicy extends PolicedOrigins {
  readonly serving: Serving;
}

export interface CommonServeOptions extends Omit<DialectOptions, 'archives'> {
  /** Which skills are listed. */
  readonly rules?: readonly ListingRule[];
  /**
   * `'compatible'`, the default, leaves skills out of `skills/list` for which the official MCP client would reject the whole listing.
   * They are still found by search and answered by URI. `'all'` lists them too.
   */
  readonly listing?: ListingMode | undefined;
  readonly http?: ServeHttpOptions;
  /** The page at `/`, over HTTP. */
  readonly page?: ServePageOptions;
  /** Speak over stdin and stdout of this process. */
  readonly stdio?: boolean;
  /** Take live runtimes over the Model Drive Protocol, and serve their skills too. */
  readonly mdp?: ServeMdpOptions;
  /** Asks callers over HTTP for tokens, and shows each what its profile allows. */
  readonly access?: ServeAccess;
  /** Decides what is served, anew before each answer. The source that is given was made with it. */
  readonly policy?: ServePolicy;
  /** Where decisions of people are stored; the caller closes it. Default: in memory, until the server ends. */
  readonly store?: Store | DecisionStore;
  /** Where skills come from. Decisions are stored under these labels. Default: the folders, or the source. */
  readonly origins?: readonly ServedOrigin[];
  /** Offer models the tool `search_skills`. Default false. Over HTTP there is `GET /api/search` in any case. */
  readonly search?: boolean;
  /** Search by meaning besides words. It is given names and descriptions of skills, and queries. */
  readonly embedder?: Embedder | undefined;
  /** How the origins do that the source is made of, and the id by which a gateway recognises itself. */
  readonly gateway?: ServedGateway;
  /** What is served besides MCP. Default: all. */
  readonly surfaces?: { readonly site?: boolean; readonly page?: boolean; readonly metrics?: boolean };
  /** Gets one line per event that an operator should know of. */
  readonly log?: (line: string) => void;
}

/** Options of `serve()` for folders. */
export interface ServeFoldersOptions extends CommonServeOptions {
  readonly roots: readonly DirectoryRoot[];
  /** Follow changes in the folders. Default true. */
  readonly watch?: boolean;
  /** Where to keep what was read for the next start: a folder, or false for nowhere. Default is the user's cache folder. */
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
