/**
 * The HTTP routes for readers of live skills: `/mdp/skills`, `/mdp/clients` and the skill routes. The first two are our addition; the
 * reference has these lists only in its stdio bridge. Registry and catalog may be views of one reader.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { listedClientsPath, listedSkillsPath } from '../../dialects/mdp/messages.ts';
import { SkillwireError } from '../../errors.ts';
import type { OperatedRuntime, ReadableRegistry } from '../../runtimes/registry-view.ts';
import { runtimesPath } from '../routes.ts';
import { json, methodNotAllowed } from './json-http.ts';
import { listClients, listPaths } from './listings.ts';
import { createSkillRoutes, type SkillRouteOptions } from './skill-routes.ts';

export interface ReaderRouteOptions extends SkillRouteOptions {
  /** True if the request may list connected clients. */
  readonly maySeeClients: (request: Request) => boolean;
  /** All connected runtimes, if the request comes from an operator. */
  readonly operated?: (request: Request) => readonly OperatedRuntime[] | undefined;
}

/** Returns `undefined` for other requests. */
export type ReaderRoutes = (request: Request, url: URL) => Promise<Response> | undefined;

export function createReaderRoutes(
  registry: ReadableRegistry,
  catalog: Catalog,
  options: ReaderRouteOptions,
): ReaderRoutes {
  const skills = createSkillRoutes(registry, catalog, options);

  const documents: Readonly<Record<string, (request: Request, url: URL) => Response>> = {
    [listedSkillsPath]: (_, { searchParams }) => {
      const cursor = searchParams.get('cursor') ?? undefined;
      const { rows, nextCursor } = listPaths(registry.clients(), { type: 'skill', depth: Number.MAX_VALUE, cursor });
      return json(200, { startedAt: registry.startedAt.toISOString(), skills: rows, nextCursor });
    },
    [listedClientsPath]: (request, { searchParams }) => {
      if (!options.maySeeClients(request))
        return json(401, { error: 'A token is required.' }, { 'www-authenticate': 'Bearer' });
      const cursor = searchParams.get('cursor') ?? undefined;
      const { rows, nextCursor } = listClients(options.operated?.(request) ?? registry.clients(), { cursor });
      return json(200, { clients: rows, nextCursor });
    },
  };

  async function answerDocument(request: Request, url: URL): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET, HEAD');
    try {
      return documents[url.pathname]?.(request, url) ?? methodNotAllowed('GET, HEAD');
    } catch (error) {
      if (error instanceof SkillwireError && error.httpStatus === 400) return json(400, { error: error.message });
      throw error;
    }
  }

  return (request, url) => {
    if (Object.hasOwn(documents, url.pathname)) return answerDocument(request, url);
    return url.pathname.startsWith(runtimesPath) ? undefined : skills(request, url);
  };
}
