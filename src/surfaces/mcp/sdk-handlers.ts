/**
 * The only look into the SDK's private state. `McpServer` answers `resources/list` and `resources/read` for the resources of
 * its user; to answer for skills besides, its handlers must be reached. Both major versions keep them in a map by method. A
 * version that does not is served without them.
 */
export interface WireRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export type Handler<C> = (request: WireRequest, ctx: C) => Promise<Record<string, unknown>>;

/** The request handlers of a `Server`, or undefined where this version keeps them elsewhere. */
export function requestHandlers<C>(server: object): Map<string, Handler<C>> | undefined {
  const handlers = (server as { readonly _requestHandlers?: unknown })._requestHandlers;
  return handlers instanceof Map ? handlers : undefined;
}

/** True if something other than `McpServer` itself answers the method, so that `McpServer` would refuse to. */
export function isTaken(mcp: object, server: object, method: 'resources/list' | 'completion/complete'): boolean {
  const own = method === 'resources/list' ? '_resourceHandlersInitialized' : '_completionHandlerInitialized';
  const installed = (mcp as Readonly<Record<string, unknown>>)[own] === true;
  return !installed && requestHandlers(server)?.has(method) === true;
}
