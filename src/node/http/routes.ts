/** Dispatches requests: finds the row in the route table (`surfaces/routes.ts`) and calls its handler. */
import type { McpRequestExtra } from '../../surfaces/mcp/mcp-handler.ts';
import type { PlainRequest, PlainSurface } from '../../surfaces/plain-answer.ts';
import { isPlain, mcpPath, pathOf, type RouteHandler, routeOf } from '../../surfaces/routes.ts';

/** Returns `undefined` if there is nothing at this path after all. */
export type GuardedHandler = (
  request: Request,
  url: URL,
  extra?: McpRequestExtra,
) => Promise<Response | undefined> | Response | undefined;

/** A row whose handler is undefined is not served. */
export type Handlers = Readonly<Record<RouteHandler, GuardedHandler | undefined>>;

type PlainHandler = (request: PlainRequest, extra?: McpRequestExtra) => ReturnType<PlainSurface['answer']>;

export type PlainHandlers = Readonly<Partial<Record<RouteHandler, PlainHandler>>>;

export interface Routes {
  /** `extra` describes the caller, if known. */
  answer(request: Request, extra?: McpRequestExtra): Promise<Response>;
  /** True if `answerPlain()` may have an answer. */
  accepts(method: string, target: string): boolean;
  answerPlain: PlainHandler;
}

export function textAnswer(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(`${body}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

export function createRoutes(handlers: Handlers, plain: PlainHandlers): Routes {
  return {
    async answer(request, extra) {
      const url = new URL(request.url);
      const route = routeOf(url.pathname);
      const handler = route === undefined ? undefined : handlers[route.handler];
      if (handler !== undefined && route?.methods?.includes(request.method) === false)
        return textAnswer(405, 'Method not allowed', { allow: route.methods.join(', ') });
      return (await handler?.(request, url, extra)) ?? textAnswer(404, `Not found. MCP is at ${mcpPath}.`);
    },
    accepts: isPlain,
    answerPlain(request, extra) {
      const route = routeOf(pathOf(request.target));
      return route === undefined ? undefined : plain[route.handler]?.(request, extra);
    },
  };
}
