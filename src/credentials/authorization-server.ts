/**
 * From the address of an origin to its authorization server, by protected resource metadata (RFC 9728). Refused here: servers that hide
 * PKCE, endpoints without https, metadata that disagree with what led to them (MCP authorization, ID-1 to ID-5 and ID-19).
 */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { failure, oauthFailure } from './oauth-failure.ts';

export type CredentialFetch = typeof globalThis.fetch;

export interface AuthorizationChallenge {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

export interface ChallengeFacts {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
  readonly error?: string;
}

export async function readChallenge({ status, challenge }: AuthorizationChallenge): Promise<ChallengeFacts> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const headers: Record<string, string> = challenge === undefined ? {} : { 'www-authenticate': challenge };
  return extractWWWAuthenticateParams(new Response(null, { status, headers }));
}

export interface ProtectedResource {
  /** Verbatim: a slash more or less names another resource. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** An origin to log in to. A site and the MCP server beside it may be one resource, so its metadata may name any address of its host. */
export interface LoginTarget {
  /** By which its grant is stored. */
  readonly url: string;
  readonly kind: 'mcp' | 'site';
}

/**
 * @param fetch reaches the host of the origin
 * @throws SkillwireError NOT_AUTHORIZED if the origin names no authorization server; BAD_ANSWER if its metadata are for another resource
 */
export async function protectedResource(
  { url, kind }: LoginTarget,
  { resourceMetadataUrl }: ChallengeFacts,
  fetch: CredentialFetch,
) {
  const { discoverOAuthProtectedResourceMetadata, checkResourceAllowed } = await import('@modelcontextprotocol/client');
  const tokenRemedy = 'If it takes fixed tokens, use --token-env NAME.';
  let found: Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;
  try {
    found = await discoverOAuthProtectedResourceMetadata(url, definedUrl(resourceMetadataUrl), fetch);
  } catch (error) {
    if (error instanceof SkillwireError) throw error;
    throw new SkillwireError(
      'NOT_AUTHORIZED',
      `${quoteText(url)} does not say where to log in: it publishes no valid protected resource metadata. ${tokenRemedy}`,
      { data: { url, reason: 'no-metadata' } },
    );
  }
  const isCovered =
    kind === 'site'
      ? new URL(found.resource).origin === new URL(url).origin
      : checkResourceAllowed({ requestedResource: url, configuredResource: found.resource });
  if (!isCovered)
    throw new SkillwireError(
      'BAD_ANSWER',
      `The metadata of ${quoteText(url)} are for another resource, ${quoteText(found.resource)}. Use that address, or tell the operator.`,
      { data: { url, resource: found.resource } },
    );
  const issuers = found.authorization_servers ?? [];
  if (issuers.length === 0)
    throw new SkillwireError(
      'NOT_AUTHORIZED',
      `${quoteText(url)} names no authorization server, so nobody can log in. ${tokenRemedy}`,
      { data: { url, reason: 'no-issuer' } },
    );
  return { resource: found.resource, issuers, scopes: found.scopes_supported ?? [] } satisfies ProtectedResource;
}

function definedUrl(resourceMetadataUrl: URL | undefined) {
  return resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
}

/** @throws SkillwireError BAD_ANSWER or ADDRESS_BLOCKED */
export async function serverMetadata(issuer: string, fetch: CredentialFetch): Promise<AuthorizationServerMetadata> {
  const { discoverAuthorizationServerMetadata } = await import('@modelcontextprotocol/client');
  const remedy = 'Tell its operator.';
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (error) {
    throw oauthFailure(`use the authorization server ${quoteText(issuer)}`, error, issuer, remedy);
  }
  if (metadata === undefined)
    throw failure(
      'BAD_ANSWER',
      `Cannot use the authorization server ${quoteText(issuer)}: it publishes no metadata. ${remedy}`,
      issuer,
    );
  for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint]) {
    if (isSecureEndpoint(endpoint)) continue;
    throw failure(
      'ADDRESS_BLOCKED',
      `Cannot log in at ${quoteText(issuer)}: its endpoint ${quoteText(endpoint)} does not use https. ${remedy}`,
      issuer,
    );
  }
  return metadata;
}

/** @throws SkillwireError BAD_ANSWER if the server does not say that it checks PKCE with S256 */
export function requirePkce(metadata: AuthorizationServerMetadata | undefined, issuer: string): void {
  if (metadata?.code_challenge_methods_supported?.includes('S256') === true) return;
  throw failure(
    'BAD_ANSWER',
    `Cannot log in at ${quoteText(issuer)}: it does not advertise PKCE with S256, so a stolen code could be used. ` +
      'Ask its operator to enable it.',
    issuer,
    'no-pkce',
  );
}

export function isSecureEndpoint(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname));
}
