/**
 * HTTP credentials: a fixed token, a function that returns one, or an OAuth provider of the MCP SDK. A token from a
 * function is cached until the server rejects it, then requested once more. Tokens appear only in the Authorization
 * header.
 */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { SkillwireError } from '../../errors.ts';

export type TokenOption = string | (() => Promise<string>);

export interface CredentialOptions {
  readonly token?: TokenOption;
  readonly authProvider?: OAuthClientProvider;
  /** @internal a stored login, which knows itself how to renew a token */
  readonly credentials?: HttpCredentials;
}

export interface HttpChallenge {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

export interface HttpCredentials {
  readonly present: boolean;
  /** The extension of MCP that such a client declares. */
  readonly extension?: string;
  /** For an error, in place of the usual remedy. */
  readonly remedy?: string;
  /** The Authorization header. */
  header(): string | undefined | Promise<string | undefined>;
  /** After 401 or 403: true if new credentials make another attempt worthwhile. */
  renew(challenge: HttpChallenge, url: URL, fetch: typeof globalThis.fetch): Promise<boolean>;
}

export function createCredentials({ token, authProvider, credentials }: CredentialOptions): HttpCredentials {
  if (credentials !== undefined) return credentials;
  if (token !== undefined && authProvider !== undefined)
    throw new SkillwireError('USAGE', 'A token and an OAuth provider exclude each other. Pass one.');
  if (authProvider !== undefined) return oauthCredentials(authProvider);
  if (token === undefined) return { present: false, header: () => undefined, renew: async () => false };
  if (typeof token === 'string') {
    const header = bearer(token);
    return { present: true, header: () => header, renew: async () => false };
  }
  let cached: string | Promise<string> | undefined;
  return {
    present: true,
    header() {
      if (cached === undefined) {
        const pending = token().then(bearer);
        cached = pending;
        pending.then(
          (header) => {
            if (cached === pending) cached = header;
          },
          () => {
            if (cached === pending) cached = undefined;
          },
        );
      }
      return cached;
    },
    async renew({ status }) {
      if (status !== 401 || cached === undefined) return false;
      const old = await cached;
      cached = undefined;
      return (await this.header()) !== old;
    },
  };
}

function oauthCredentials(provider: OAuthClientProvider): HttpCredentials {
  if (provider.dpop !== undefined)
    throw new SkillwireError(
      'USAGE',
      'OAuth providers that bind tokens to a key (DPoP) are not supported. Use another provider.',
    );
  return {
    present: true,
    async header() {
      const tokens = await provider.tokens();
      return tokens === undefined ? undefined : bearer(tokens.access_token);
    },
    async renew({ status, challenge }, url, fetch) {
      const { auth, computeScopeUnion, extractWWWAuthenticateParams, isStrictScopeSuperset } = await import(
        '@modelcontextprotocol/client'
      );
      const headers: Record<string, string> = challenge === undefined ? {} : { 'www-authenticate': challenge };
      const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(
        new Response(null, { status, headers }),
      );
      if (status === 403 && error !== 'insufficient_scope') return false;
      // A refresh cannot widen a grant (RFC 6749, section 6), so further scopes need a new authorization with the old ones too.
      const granted = status === 403 ? (await provider.tokens())?.scope : undefined;
      const wanted = status === 403 ? computeScopeUnion(granted, scope) : scope;
      const outcome = await auth(provider, {
        serverUrl: url,
        fetchFn: fetch,
        resourceMetadataUrl,
        scope: wanted,
        forceReauthorization: status === 403 && isStrictScopeSuperset(wanted, granted),
      });
      if (outcome === 'AUTHORIZED') return true;
      throw new SkillwireError(
        'NOT_AUTHORIZED',
        'The server requires authorization. Finish it in the browser that was opened, then try again.',
      );
    },
  };
}

function bearer(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SkillwireError('USAGE', 'The token is empty or contains invalid characters. Check it.');
  return `Bearer ${token}`;
}
