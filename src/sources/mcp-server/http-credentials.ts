/**
 * Who asks, over HTTP: a fixed token, a function that gives one, or an OAuth provider of the MCP SDK. A token from a function is
 * kept until the server refuses it, then asked for once more. Tokens go into the Authorization header and nowhere else.
 */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { SkillwireError } from '../../errors.ts';

export type TokenOption = string | (() => Promise<string>);

export interface CredentialOptions {
  readonly token?: TokenOption;
  readonly authProvider?: OAuthClientProvider;
}

export interface Challenge {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

export interface HttpCredentials {
  readonly given: boolean;
  /** The Authorization header. */
  header(): string | undefined | Promise<string | undefined>;
  /** After 401 or 403: true where another try with new credentials is worth it. */
  renew(challenge: Challenge, url: URL, fetch: typeof globalThis.fetch): Promise<boolean>;
}

export function createCredentials({ token, authProvider }: CredentialOptions): HttpCredentials {
  if (token !== undefined && authProvider !== undefined)
    throw new SkillwireError('USAGE', 'cannot connect: give either a token or an OAuth provider, not both');
  if (authProvider !== undefined) return oauthCredentials(authProvider);
  if (token === undefined) return { given: false, header: () => undefined, renew: async () => false };
  if (typeof token === 'string') {
    const header = bearer(token);
    return { given: true, header: () => header, renew: async () => false };
  }
  let kept: string | Promise<string> | undefined;
  return {
    given: true,
    header() {
      if (kept === undefined) {
        const asked = token().then(bearer);
        kept = asked;
        asked.then(
          (header) => {
            if (kept === asked) kept = header;
          },
          () => {
            if (kept === asked) kept = undefined;
          },
        );
      }
      return kept;
    },
    async renew({ status }) {
      if (status !== 401 || kept === undefined) return false;
      const old = await kept;
      kept = undefined;
      return (await this.header()) !== old;
    },
  };
}

function oauthCredentials(provider: OAuthClientProvider): HttpCredentials {
  if (provider.dpop !== undefined)
    throw new SkillwireError(
      'USAGE',
      'cannot connect: OAuth providers that bind tokens to a key (DPoP) are not supported',
    );
  return {
    given: true,
    async header() {
      const tokens = await provider.tokens();
      return tokens === undefined ? undefined : bearer(tokens.access_token);
    },
    async renew({ status, challenge }, url, fetch) {
      const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
      const headers: Record<string, string> = challenge === undefined ? {} : { 'www-authenticate': challenge };
      const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(
        new Response(null, { status, headers }),
      );
      if (status === 403 && error !== 'insufficient_scope') return false;
      const outcome = await auth(provider, { serverUrl: url, fetchFn: fetch, resourceMetadataUrl, scope });
      if (outcome === 'AUTHORIZED') return true;
      throw new SkillwireError(
        'NOT_AUTHORIZED',
        'cannot connect: the server wants an authorization that was begun in a browser; finish it there and try again',
      );
    },
  };
}

function bearer(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SkillwireError('USAGE', 'cannot use the token: it is empty or holds characters that no token has');
  return `Bearer ${token}`;
}
