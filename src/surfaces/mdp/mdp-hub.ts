/**
 * The Model Drive Protocol over HTTP, as one function from Request to Response: `/mdp/…` and the skill routes. WebSockets are
 * accepted elsewhere, with the same check of peers. It looks at neither `Host` nor `Origin`: whoever mounts it does that before.
 *
 * `/mdp/skills` and `/mdp/clients` are our own: what the reference tells only over its stdio bridge. The second names who is
 * connected, so it answers on loopback alone, or to a peer with a token.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { SkillwireError } from '../../errors.ts';
import type { Authenticate } from '../../runtimes/owner.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import { empty, json, methodNotAllowed } from './answers.ts';
import { createAuthTickets } from './auth-tickets.ts';
import { createHttpLoop, httpLoopPath } from './http-loop.ts';
import { listClients, listPaths } from './listings.ts';
import { createHubIdentity, metaDocument } from './meta.ts';
import { createPeerCheck, type PeerCheck } from './peer-check.ts';
import { createSkillRoutes, type SkillRouteOptions } from './skill-routes.ts';
import { transportAuth } from './transport-auth.ts';

export interface MdpHubOptions extends SkillRouteOptions {
  /** The same as that of the registry. */
  readonly authenticate?: Authenticate;
  /** Whether only this machine reaches the server. */
  readonly loopback: boolean;
}

export interface MdpHub {
  /** Undefined where the request is not for the hub. */
  answer(request: Request, url: URL): Promise<Response> | undefined;
  readonly check: PeerCheck;
}

/** Paths of `/mdp/` on which a WebSocket is not a runtime's. */
export function takesSockets(pathname: string): boolean {
  return !/^\/mdp\/(?:http-loop|auth|meta|cluster|skills|clients)(?:\/|$)/.test(pathname);
}

export function createMdpHub(registry: RuntimeRegistry, catalog: Catalog, options: MdpHubOptions): MdpHub {
  const { authenticate, loopback } = options;
  const tickets = createAuthTickets((auth) => authenticate === undefined || authenticate(auth) !== undefined);
  const check = createPeerCheck(registry, tickets, authenticate);
  const loop = createHttpLoop(registry, check);
  const skills = createSkillRoutes(registry, catalog, options);
  const identity = createHubIdentity();

  function maySeeClients(request: Request): boolean {
    if (loopback) return true;
    const auth = transportAuth(request.headers);
    return auth !== undefined && authenticate?.(auth) !== undefined;
  }

  const documents: Readonly<Record<string, (request: Request, url: URL) => Response>> = {
    '/mdp/meta': (_, { origin }) => json(200, metaDocument(identity, origin)),
    '/mdp/skills': (_, { searchParams }) => {
      const cursor = searchParams.get('cursor') ?? undefined;
      const { rows, nextCursor } = listPaths(registry.clients(), { type: 'skill', depth: Number.MAX_VALUE, cursor });
      return json(200, { skills: rows, ...(nextCursor === undefined ? {} : { nextCursor }) });
    },
    '/mdp/clients': (request, { searchParams }) => {
      if (!maySeeClients(request)) return json(401, { error: 'a token is required' }, { 'www-authenticate': 'Bearer' });
      const cursor = searchParams.get('cursor') ?? undefined;
      const { rows, nextCursor } = listClients(registry.clients(), { cursor });
      return json(200, { clients: rows, ...(nextCursor === undefined ? {} : { nextCursor }) });
    },
  };

  async function answerMdp(request: Request, url: URL): Promise<Response> {
    const { pathname } = url;
    if (pathname === '/mdp/auth') return tickets.answer(request, url);
    if (pathname.startsWith(`${httpLoopPath}/`)) return loop.answer(request, url);
    const document = Object.hasOwn(documents, pathname) ? documents[pathname] : undefined;
    if (document === undefined) return empty(404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET, HEAD');
    try {
      return document(request, url);
    } catch (error) {
      if (error instanceof SkillwireError && error.httpStatus === 400) return json(400, { error: error.message });
      throw error;
    }
  }

  return {
    check,
    answer(request, url) {
      return url.pathname.startsWith('/mdp/') ? answerMdp(request, url) : skills(request, url);
    },
  };
}
