/** How the page of a server is set up, and which paths are for its data. */
import type { Store } from '../../store/store.ts';
import type { PageOrigins } from '../../surfaces/page/page-ports.ts';
import type { ServedOrigin } from './page-origins.ts';

export interface ServePageOptions {
  /** Where decisions are stored; opened when it is needed, and closed by whoever opened it. Default: in memory, until the server ends. */
  readonly store?: () => Promise<Store>;
  /** Whether there may be decisions of earlier runs, so that the store is opened at the start. Default false. */
  readonly decided?: boolean;
  /** Where skills come from, as this server was given them. */
  readonly origins?: readonly ServedOrigin[];
  /** The same with more knowledge. */
  readonly originStates?: PageOrigins;
  /** Lets browsers sign in that know it; needed to decide beyond loopback. */
  readonly token?: string;
  /** Told after a link was used that signs a browser in. */
  readonly onLinkUsed?: () => void;
}

export function isDataPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}
