/**
 * The Model Drive Protocol over HTTP, as one function from Request to Response: `/mdp/…` and the skill routes. WebSockets are accepted
 * elsewhere, with the same check of peers. It checks neither `Host` nor `Origin`; the caller does that first.
 *
 * Routes of runtimes and readers are separate, so readers with tokens get routes over what they may see. Connected clients are listed only
 * for local readers and for peers with a token.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { authPath, httpLoopPath, mdpProtocolRange, mdpProtocolVersion, metaPath } from '../../dialects/mdp/messages.ts';
import type { OperatedRuntime, ReadableRegistry } from '../../runtimes/registry-view.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { Authenticate } from '../../runtimes/session.ts';
import { routeOf, runtimesPath } from '../routes.ts';
import { isLocalReader, senderOf } from '../sender.ts';
import { createAuthTickets } from './auth-tickets.ts';
import { createHttpLoop } from './http-loop.ts';
import { empty, json, methodNotAllowed } from './json-http.ts';
import { createPeerCheck } from './peer-check.ts';
import { createReaderRoutes } from './reader-routes.ts';
import type { SkillRouteOptions } from './skill-routes.ts';
import { transportAuth } from './transport-auth.ts';

export interface MdpHubOptions extends SkillRouteOptions {
  /** The same function as in the registry. */
  readonly authenticate?: Authenticate;
  /** The part of the registry that readers may see. Default: all of it. */
  readonly readable?: ReadableRegistry;
  /** All runtimes, for readers on this machine. Default: those of `readable`. */
  readonly operated?: () => readonly OperatedRuntime[];
}

export function createMdpHub(registry: RuntimeRegistry, catalog: Catalog, options: MdpHubOptions) {
  const { authenticate } = options;
  const tickets = createAuthTickets((auth) => authenticate === undefined || authenticate(auth) !== undefined);
  const check = createPeerCheck(registry, tickets, authenticate);
  const loop = createHttpLoop(registry, check);
  const identity = createHubIdentity();
  const readers = createReaderRoutes(options.readable ?? registry, catalog, {
    ...options,
    maySeeClients,
    operated: (request) => (isLocalReader(senderOf(request)) ? options.operated?.() : undefined),
  });

  function maySeeClients(request: Request): boolean {
    if (isLocalReader(senderOf(request))) return true;
    const auth = transportAuth(request.headers);
    return auth !== undefined && authenticate?.(auth) !== undefined;
  }

  async function answerRuntime(request: Request, url: URL): Promise<Response> {
    const { pathname } = url;
    if (pathname === authPath) return tickets.answer(request, url);
    if (pathname.startsWith(`${httpLoopPath}/`)) return loop.answer(request, url);
    if (pathname !== metaPath) return empty(404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET, HEAD');
    return json(200, metaDocument(identity, url.origin));
  }

  return {
    check,
    /** `undefined` if the request is not for the hub. */
    answer: (request: Request, url: URL): Promise<Response> | undefined =>
      readers(request, url) ?? (url.pathname.startsWith(runtimesPath) ? answerRuntime(request, url) : undefined),
    /** Answers only the routes on which runtimes connect, not their skills. */
    answerRuntime: (request: Request, url: URL): Promise<Response> | undefined =>
      routeOf(url.pathname)?.who === 'runtime' ? answerRuntime(request, url) : undefined,
  };
}

export type MdpHub = ReturnType<typeof createMdpHub>;

interface HubIdentity {
  readonly serverId: string;
  readonly clusterId: string;
}

/**
 * The identity in `/mdp/meta`. The cluster id is random. A reference server in its default mode would take a hub with the same id for its
 * leader and wait forever for answers.
 */
function createHubIdentity(): HubIdentity {
  const id = crypto.randomUUID();
  return { serverId: `skillwire-${id.slice(0, 8)}`, clusterId: `skillwire:${id}` };
}

/** The document at `/mdp/meta`, for programs that look for MDP servers. `base` is scheme, host and port as the client addressed us. */
function metaDocument({ serverId, clusterId }: HubIdentity, base: string): Readonly<Record<string, unknown>> {
  const ws = base.replace(/^http/, 'ws');
  return {
    protocol: 'mdp',
    protocolVersion: mdpProtocolVersion,
    supportedProtocolRanges: [mdpProtocolRange],
    serverId,
    endpoints: {
      ws,
      httpLoop: `${base}/mdp/http-loop`,
      auth: `${base}/mdp/auth`,
      meta: `${base}/mdp/meta`,
      cluster: `${ws}/mdp/cluster`,
    },
    features: { upstreamProxy: false, clusterControl: false },
    cluster: {
      id: clusterId,
      membershipMode: 'static',
      membershipFingerprint: clusterId,
      role: 'leader',
      term: 0,
      leaderId: serverId,
      leaderUrl: ws,
      leaseDurationMs: 4_000,
      knownMemberCount: 1,
      reachableMemberCount: 1,
      quorumSize: 1,
      hasQuorum: true,
    },
  };
}
