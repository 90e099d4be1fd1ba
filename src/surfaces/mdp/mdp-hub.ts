/**
 * The Model Drive Protocol over HTTP, as one function from Request to Response: `/mdp/…` and the skill routes. WebSockets are
 * accepted elsewhere, with the same check of peers. It looks at neither `Host` nor `Origin`: whoever mounts it does that before.
 *
 * Routes of runtimes and routes of readers are apart: where readers have tokens, each gets those of what it may see. Who is
 * connected is told to local readers alone, or to a peer with a token.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { authPath, httpLoopPath, metaPath } from '../../dialects/mdp/messages.ts';
import type { ReadableRegistry } from '../../runtimes/registry-view.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { Authenticate } from '../../runtimes/session.ts';
import { routeOf, runtimesPath } from '../routes.ts';
import { isLocalReader, senderOf } from '../sender.ts';
import { empty, json, methodNotAllowed } from './answers.ts';
import { createAuthTickets } from './auth-tickets.ts';
import { createHttpLoop } from './http-loop.ts';
import { createHubIdentity, metaDocument } from './meta.ts';
import { createPeerCheck, type PeerCheck } from './peer-check.ts';
import { createReaderRoutes } from './reader-routes.ts';
import type { SkillRouteOptions } from './skill-routes.ts';
import { transportAuth } from './transport-auth.ts';

export interface MdpHubOptions extends SkillRouteOptions {
  /** The same as that of the registry. */
  readonly authenticate?: Authenticate;
  /** The registry as readers may see it. Default: all of it. */
  readonly readable?: ReadableRegistry;
}

export interface MdpHub {
  /** Undefined where the request is not for the hub. */
  answer(request: Request, url: URL): Promise<Response> | undefined;
  /** The same for the routes on which runtimes connect, and nothing of what they expose. */
  answerRuntime(request: Request, url: URL): Promise<Response> | undefined;
  readonly check: PeerCheck;
}

export function createMdpHub(registry: RuntimeRegistry, catalog: Catalog, options: MdpHubOptions): MdpHub {
  const { authenticate } = options;
  const tickets = createAuthTickets((auth) => authenticate === undefined || authenticate(auth) !== undefined);
  const check = createPeerCheck(registry, tickets, authenticate);
  const loop = createHttpLoop(registry, check);
  const identity = createHubIdentity();
  const readers = createReaderRoutes(options.readable ?? registry, catalog, { ...options, maySeeClients });

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
    answer: (request, url) =>
      readers(request, url) ?? (url.pathname.startsWith(runtimesPath) ? answerRuntime(request, url) : undefined),
    answerRuntime: (request, url) =>
      routeOf(url.pathname)?.who === 'runtime' ? answerRuntime(request, url) : undefined,
  };
}
