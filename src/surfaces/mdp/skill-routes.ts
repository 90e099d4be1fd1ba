/**
 * A skill as one HTTP document: from a live runtime, or from the catalog under the built-in id. Status codes are those of the reference
 * server, with two exceptions that keep pages safe. A content type that is not allowed and a result that is not text are 502. The text is
 * computed per request, so caches must revalidate it; `ETag` avoids sending it again.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillDescriptor } from '../../dialects/mdp/messages.ts';
import { matchPath } from '../../dialects/mdp/path-grammar.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { ReadableRegistry } from '../../runtimes/registry-view.ts';
import type { CallOutcome, RuntimeClient } from '../../runtimes/runtime-registry.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { skillFileName } from '../../skill/entry.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import { liveSkillAt } from '../routes.ts';
import { entityTag, namesTag } from '../well-known-http/content-headers.ts';
import { empty, json, methodNotAllowed } from './json-http.ts';

/** The id of the catalog on the skill routes. No runtime may use it. */
export const catalogClientId = 'skillwire';

export const defaultContentTypes = ['text/markdown', 'text/plain'] as const;

export interface SkillRouteOptions {
  /** Allowed media types of skills. */
  readonly contentTypes?: readonly string[];
  /** Request headers that runtimes get besides those in `forwardedByDefault`. */
  readonly forwardHeaders?: readonly string[];
}

export type SkillRoutes = (request: Request, url: URL) => Promise<Response> | undefined;

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

const encoder = new TextEncoder();

/** The text with its headers, or 304 if the reader already has it. */
function document(request: Request, bytes: Uint8Array, digest: string, mediaType: string): Response {
  const etag = entityTag(digest);
  const headers = { ...safeHeaders, etag, 'cache-control': 'private, no-cache' };
  if (namesTag(request.headers.get('if-none-match') ?? undefined, etag))
    return new Response(null, { status: 304, headers });
  const charset = mediaType.startsWith('text/') ? '; charset=utf-8' : '';
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(bytes), {
    headers: { ...headers, 'content-type': `${mediaType}${charset}`, 'content-length': String(bytes.length) },
  });
}

function mediaTypeOf({ contentType }: SkillDescriptor): string {
  return (contentType ?? 'text/plain').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function failure(outcome: Extract<CallOutcome, { ok: false }>): Response {
  const { hub, error } = outcome;
  switch (hub) {
    case 'not-connected':
    case 'not-found':
      return empty(404);
    case 'timeout':
    case 'gone':
    case 'too-large':
      return json(400, { error: error.message });
    case 'busy':
    case 'reconnecting':
      return json(503, { error: error.message }, { 'retry-after': '1' });
    default:
      return json(502, { error });
  }
}

function unusable(message: string): Response {
  return json(502, { error: { code: 'handler_error', message } });
}

/** The first of the paths at which the runtime has a skill. */
function findSkill(client: RuntimeClient, paths: readonly string[]): [path: string, SkillDescriptor] | undefined {
  const skills = client.paths.filter((descriptor) => descriptor.type === 'skill');
  for (const path of paths) {
    const found = matchPath(skills, path);
    if (found !== undefined) return [path, found.pattern];
  }
  return undefined;
}

export function createSkillRoutes(
  registry: ReadableRegistry,
  catalog: Catalog,
  options: SkillRouteOptions = {},
): SkillRoutes {
  const contentTypes = new Set<string>(options.contentTypes ?? defaultContentTypes);
  const forward = new Set((options.forwardHeaders ?? []).map((name) => name.toLowerCase()));

  async function fromCatalog(request: Request, path: string): Promise<Response> {
    try {
      const uri = skillFileUri(path.slice(1, path.lastIndexOf('/')), skillFileName);
      const { bytes, file } = await catalog.read(uri, { signal: request.signal });
      const digest = file.resource?.digest ?? (await sha256Digest(bytes));
      return document(request, bytes, digest, 'text/markdown');
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      const { httpStatus, message } = error;
      if (httpStatus === 404 || error.code === 'INVALID_URI') return empty(404);
      if (httpStatus < 502) throw error;
      return json(httpStatus, { error: { code: 'handler_error', message } });
    }
  }

  async function fromRuntime(
    request: Request,
    url: URL,
    client: RuntimeClient,
    paths: readonly string[],
  ): Promise<Response> {
    const found = findSkill(client, paths);
    if (found === undefined) return empty(404);
    const [path, descriptor] = found;
    const mediaType = mediaTypeOf(descriptor);
    if (!contentTypes.has(mediaType))
      return unusable(`The content type of "${path}" is not allowed. Allowed: ${[...contentTypes].join(', ')}`);
    const headers = forwardedHeaders(request.headers, forward);
    if (headers === undefined) return empty(431);
    const query = Object.fromEntries(url.searchParams);
    const outcome = await registry.call({ clientId: client.id, method: 'GET', path, query, headers }, request.signal);
    if (!outcome.ok) return failure(outcome);
    if (typeof outcome.data !== 'string') return unusable(`The result of "${path}" is not text`);
    const bytes = encoder.encode(outcome.data);
    return document(request, bytes, await sha256Digest(bytes), mediaType);
  }

  async function answer(request: Request, url: URL, clientId: string, paths: readonly string[]): Promise<Response> {
    if (request.method === 'OPTIONS') return empty(204);
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET, HEAD, OPTIONS');
    if (clientId === catalogClientId) return fromCatalog(request, paths[0] as string);
    const client = registry.client(clientId);
    return client === undefined ? empty(404) : fromRuntime(request, url, client, paths);
  }

  return (request, url) => {
    const address = parseSkillAddress(url.pathname);
    if (address === undefined) return undefined;
    if (!address.ok) return Promise.resolve(json(400, { error: 'The address has a malformed percent escape' }));
    return answer(request, url, address.clientId, address.paths);
  };
}

export const forwardedByDefault = [
  'accept',
  'accept-charset',
  'accept-language',
  'cache-control',
  'content-type',
  'if-none-match',
  'prefer',
  'traceparent',
  'user-agent',
] as const;

/**
 * The request headers that a runtime gets: content negotiation, and those that the operator names. All others are dropped, because any
 * header may carry keys or sessions. Returns `undefined` if there are more than a runtime accepts. Names are in lower case.
 */
export function forwardedHeaders(
  headers: Headers,
  allowed: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const named = new Set((headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const forwarded: Record<string, string> = {};
  for (const [name, value] of headers)
    if (allowed.has(name) || (usual.has(name) && !named.has(name))) forwarded[name] = value;
  return Object.keys(forwarded).length > limits.runtimes.headers ? undefined : forwarded;
}

const usual: ReadonlySet<string> = new Set(forwardedByDefault);

export type LiveSkillRequest =
  | { readonly ok: true; readonly clientId: string; readonly paths: readonly string[] }
  /** The address has a percent sign that encodes nothing. */
  | { readonly ok: false };

/**
 * Parses `/skills/:clientId/*skillPath` or `/:clientId/skills/*skillPath`. The path may end with `skill.md`, `SKILL.md` or without the leaf, as
 * the protocol has it, so it may mean several paths, the likeliest first. Segments are decoded one by one. `surfaces/routes.ts` reserves ids
 * in the second form. Returns `undefined` if it is not the address of a skill.
 */
export function parseSkillAddress(pathname: string): LiveSkillRequest | undefined {
  const found = liveSkillAt(pathname);
  if (found === undefined) return undefined;
  try {
    const clientId = found.id.split('/').map(decodeURIComponent).join('/');
    const segments = found.path.replace(/\/$/, '').split('/').map(decodeURIComponent);
    const path = `/${segments.join('/')}`;
    const complete = /^skill\.md$/i.test(segments.at(-1) ?? '');
    return { ok: true, clientId, paths: complete ? [path] : [`${path}/skill.md`, `${path}/SKILL.md`] };
  } catch {
    return { ok: false };
  }
}
