/**
 * An OAuth provider of the MCP SDK as credentials of one origin's requests. The SDK makes the requests. It would send a person to a server
 * that hides PKCE, and refresh one grant twice at once, so both are prevented here.
 */
import type { AuthorizationServerMetadata, OAuthClientProvider } from '@modelcontextprotocol/client';
import { SkillwireError } from '../errors.ts';
import {
  type AuthorizationChallenge,
  type CredentialFetch,
  readChallenge,
  requirePkce,
} from './authorization-server.ts';
import type { OriginCredentials } from './origin-credentials.ts';
import { clientCredentialsExtension } from './program-grant.ts';

export type { OAuthClientProvider } from '@modelcontextprotocol/client';

export function providerCredentials(provider: OAuthClientProvider): OriginCredentials {
  if (provider.dpop !== undefined)
    throw new SkillwireError(
      'USAGE',
      'OAuth providers that bind tokens to a key (DPoP) are not supported. Use another provider.',
    );
  const isProgram = provider.clientMetadata.grant_types?.includes('client_credentials') === true;
  let sent: string | undefined;
  let renewing: { readonly status: number; readonly done: Promise<boolean> } | undefined;

  const renew = async (
    challenge: AuthorizationChallenge,
    serverUrl: URL,
    fetchFn: CredentialFetch,
  ): Promise<boolean> => {
    const { auth, computeScopeUnion, isStrictScopeSuperset } = await import('@modelcontextprotocol/client');
    const { status } = challenge;
    const { resourceMetadataUrl, scope, error } = await readChallenge(challenge);
    if (status === 403 && error !== 'insufficient_scope') return false;
    const tokens = await provider.tokens();
    // A refresh cannot widen a grant (RFC 6749, section 6), so further scopes need a new authorization with the old ones too.
    const granted = status === 403 ? tokens?.scope : undefined;
    const wanted = status === 403 ? computeScopeUnion(granted, scope) : scope;
    const forced = status === 403 && isStrictScopeSuperset(wanted, granted);
    const refreshes = !forced && tokens?.refresh_token !== undefined;
    const outcome = await auth(withPkce(provider, refreshes), {
      serverUrl,
      fetchFn,
      resourceMetadataUrl,
      scope: wanted,
      forceReauthorization: forced,
    });
    if (outcome === 'AUTHORIZED') return true;
    throw new SkillwireError(
      'NOT_AUTHORIZED',
      'The server requires authorization. Finish it in the browser that was opened, then try again.',
    );
  };

  return {
    present: true,
    ...(isProgram ? { extension: clientCredentialsExtension } : {}),
    async header() {
      sent = (await provider.tokens())?.access_token;
      return sent === undefined ? undefined : bearer(sent);
    },
    renew(challenge, url, fetch) {
      const { status } = challenge;
      if (renewing?.status === status) return renewing.done;
      const done = renew(challenge, url, fetch).finally(() => {
        if (renewing?.done === done) renewing = undefined;
      });
      renewing = { status, done };
      return done;
    },
    secrets: () => (sent === undefined ? [] : [sent]),
  };
}

/**
 * The same provider, which never sends a person to a server that hides PKCE.
 *
 * @param refreshes whether a refresh is tried first, which needs no person
 */
function withPkce(provider: OAuthClientProvider, refreshes: boolean): OAuthClientProvider {
  let found: { readonly metadata: AuthorizationServerMetadata | undefined; readonly issuer: string } | undefined;
  const requireNow = (): void => {
    if (provider.redirectUrl === undefined || found === undefined) return;
    const { metadata, issuer } = found;
    requirePkce(metadata, issuer);
  };
  const note = (state: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>): void => {
    if (state === undefined) return;
    const { authorizationServerMetadata: metadata, authorizationServerUrl } = state;
    found = { metadata, issuer: metadata?.issuer ?? authorizationServerUrl };
    // Before the client is registered, unless nobody may have to be asked.
    if (!refreshes) requireNow();
  };
  const guarded: Partial<OAuthClientProvider> = {
    async discoveryState() {
      const state = await provider.discoveryState?.();
      if (state?.authorizationServerMetadata !== undefined) note(state);
      return state;
    },
    async saveDiscoveryState(state) {
      note(state);
      await provider.saveDiscoveryState?.(state);
    },
    async redirectToAuthorization(url) {
      requireNow();
      await provider.redirectToAuthorization(url);
    },
  };
  return new Proxy(provider, {
    get(target, key) {
      const own = Object.hasOwn(guarded, key) ? guarded[key as keyof OAuthClientProvider] : undefined;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function bearer(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SkillwireError('USAGE', 'The token is empty or contains invalid characters. Check it.');
  return `Bearer ${token}`;
}
