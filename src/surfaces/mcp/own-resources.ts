/**
 * Handlers that answer for skills and pass everything else on to those of the server's owner. The owner's resources stand on
 * the first page, skills follow. A `skill://` URI is looked at before the owner's handlers can normalise it: dot segments are
 * refused, not resolved. A `skill://` resource that only the owner has is still theirs, and goes before what an older dialect
 * means by the address.
 */
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { PageParams, UriParams } from './method-params.ts';
import type { Handler, WireRequest } from './sdk-handlers.ts';

const skillScheme = /^skill:\/\//i;

function uriOf({ params }: WireRequest): string | undefined {
  const uri = params?.uri;
  return typeof uri === 'string' && skillScheme.test(uri) ? uri : undefined;
}

/** What the template of the skills throws where the owner's handlers reach it: the URI is not theirs either. */
export const notOwned: Error = new Error('no resource of the owner has this URI');

function isMissing(error: unknown): boolean {
  if (error === notOwned) return true;
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return code === -32602 || code === -32002;
}

export function listWithSkills<C>(
  owner: Handler<C>,
  skills: (params: PageParams, ctx: C) => Promise<Record<string, unknown>>,
): Handler<C> {
  return async (request, ctx) => {
    const { cursor, ...rest } = request.params ?? {};
    const ours = await skills(cursor === undefined ? {} : { cursor: String(cursor) }, ctx);
    // Also asked for later pages: how long the list may be kept is the owner's to say, and the same for all pages.
    const theirs = await owner({ ...request, params: rest }, ctx);
    const { nextCursor } = ours;
    return {
      ...theirs,
      resources: [...(cursor === undefined ? (theirs.resources as unknown[]) : []), ...(ours.resources as unknown[])],
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  };
}

type ReadUri<C> = (params: UriParams, ctx: C) => Promise<Record<string, unknown>>;

/** `files` answers for files of skills alone, `skills` for all that a server of skills answers for. */
export function readWithSkills<C>(owner: Handler<C>, files: ReadUri<C>, skills: ReadUri<C>): Handler<C> {
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

/** For `resources/subscribe` and `resources/unsubscribe`; the owner need not have them. */
export function subscribeWithSkills<C>(
  owner: Handler<C> | undefined,
  skills: (params: UriParams, ctx: C) => Promise<Record<string, unknown>>,
): Handler<C> {
  return async (request, ctx) => {
    const uri = uriOf(request);
    if (uri === undefined && owner !== undefined) return owner(request, ctx);
    return skills({ uri: uri ?? String(request.params?.uri ?? '') }, ctx);
  };
}
