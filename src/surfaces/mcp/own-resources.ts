/**
 * Handlers that answer for skills and pass everything else to the server's owner. The owner's resources are on the first page, skills follow.
 * `skill://` URIs are checked before the owner's handlers can normalize them: dot segments are rejected, not resolved. A `skill://` resource
 * of the owner wins over a dialect address.
 */
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { PageParams, UriParams } from './method-params.ts';

const skillScheme = /^skill:\/\//i;

function uriOf({ params }: WireRequest): string | undefined {
  const uri = params?.uri;
  return typeof uri === 'string' && skillScheme.test(uri) ? uri : undefined;
}

/** Thrown by the skills template when the owner's handlers reach it: the owner has no such resource either. */
export const notOwned: Error = new Error('The owner has no resource with this URI');

function isMissing(error: unknown): boolean {
  if (error === notOwned) return true;
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return code === -32602 || code === -32002;
}

export function listWithSkills<C>(
  owner: ResourceHandler<C>,
  skills: (params: PageParams, ctx: C) => Promise<Record<string, unknown>>,
): ResourceHandler<C> {
  return async (request, ctx) => {
    const { cursor, ...ownParams } = request.params ?? {};
    const ours = await skills(cursor === undefined ? {} : { cursor: String(cursor) }, ctx);
    // Also for later pages: the owner decides how long the list may be cached, and all pages must agree.
    const theirs = await owner({ ...request, params: ownParams }, ctx);
    const { nextCursor } = ours;
    return {
      ...theirs,
      resources: [...(cursor === undefined ? (theirs.resources as unknown[]) : []), ...(ours.resources as unknown[])],
      nextCursor,
    };
  };
}

type ReadUri<C> = (params: UriParams, ctx: C) => Promise<Record<string, unknown>>;

/** `files` answers for files of skills only, `skills` for dialect addresses too. */
export function readWithSkills<C>(
  owner: ResourceHandler<C>,
  files: ReadUri<C>,
  skills: ReadUri<C>,
): ResourceHandler<C> {
  return async (request, ctx) => {
    const uri = uriOf(request);
    if (uri === undefined) return owner(request, ctx);
    try {
      return await files({ uri }, ctx);
    } catch (error) {
      if (!isMissing(error) || tryParseSkillUri(uri) === undefined) throw error;
      try {
        return await owner(request, ctx);
      } catch (theirs) {
        if (!isMissing(theirs)) throw theirs;
        return skills({ uri }, ctx);
      }
    }
  };
}

/** For `resources/subscribe` and `resources/unsubscribe`, which the owner may not have. */
export function subscribeWithSkills<C>(
  owner: ResourceHandler<C> | undefined,
  skills: (params: UriParams, ctx: C) => Promise<Record<string, unknown>>,
): ResourceHandler<C> {
  return async (request, ctx) => {
    const uri = uriOf(request);
    if (uri === undefined && owner !== undefined) return owner(request, ctx);
    return skills({ uri: uri ?? String(request.params?.uri ?? '') }, ctx);
  };
}

/** The method and parameters of a JSON-RPC request. */
export interface WireRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export type ResourceHandler<C> = (request: WireRequest, ctx: C) => Promise<Record<string, unknown>>;

/**
 * The request handlers of a `Server`, or `undefined` if this version stores them elsewhere. This is the only access to the SDK's private
 * state: to answer `resources/list` and `resources/read` for skills too, `McpServer`'s own handlers must be wrapped. Both major versions
 * have them in a map by method; a version that does not is served without them.
 */
export function requestHandlers<C>(server: object): Map<string, ResourceHandler<C>> | undefined {
  const handlers = (server as { readonly _requestHandlers?: unknown })._requestHandlers;
  return handlers instanceof Map ? handlers : undefined;
}

/** True if a handler outside `McpServer` answers the method, so that `McpServer` would reject its own. */
export function hasOtherHandler(
  mcp: object,
  server: object,
  method: 'resources/list' | 'completion/complete',
): boolean {
  const own = method === 'resources/list' ? '_resourceHandlersInitialized' : '_completionHandlerInitialized';
  const installed = (mcp as Readonly<Record<string, unknown>>)[own] === true;
  return !installed && requestHandlers(server)?.has(method) === true;
}
