/** How the page of a server is set up. */
import type { PageOrigins } from '../../surfaces/page/page-ports.ts';

export interface ServePageOptions {
  /** What is known about the origins. Default: what the server itself knows. */
  readonly originStates?: PageOrigins;
  /** Lets browsers sign in that know it; needed to decide beyond loopback. */
  readonly token?: string;
  /** Called after a link was used that signs a browser in. */
  readonly onLinkUsed?: () => void;
}
