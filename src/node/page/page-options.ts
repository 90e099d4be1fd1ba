/** How the page of a server is set up, and which paths are for its data. */
import type { PageOrigins } from '../../surfaces/page/page-ports.ts';

export interface ServePageOptions {
  /** What is known about the origins. Default: what the server itself knows. */
  readonly originStates?: PageOrigins;
  /** Lets browsers sign in that know it; needed to decide beyond loopback. */
  readonly token?: string;
  /** Called after a link was used that signs a browser in. */
  readonly onLinkUsed?: () => void;
}

export function isDataPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}
