/**
 * Lets requests in by their bearer token, as the authorization of MCP (2026-07-28) and RFC 6750 say, with the SDK's own check and
 * challenge. Who has no token, or one that is not accepted for whatever reason, is answered 401 in the same words; who has one that
 * may see nothing here, 403. Both name the metadata of the protected resource (RFC 9728), which anybody may read.
 *
 * A token in the address does not count, and no token ever leaves this file: surfaces and sources see who it belongs to.
 */
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  type OAuthMetadata,
  oauthMetadataResponse,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { limits } from '../../limits.ts';
import type { Profile } from '../../serving/access/profile.ts';
import type { Caller, ServeAccess } from '../../serving/access/serve-access.ts';
import { mcpPath, type Route } from '../../surfaces/routes.ts';

export type Admission =
  | {
      readonly ok: true;
      readonly profile: Profile;
      readonly operator: boolean;
      readonly authInfo?: AuthInfo;
      /** Whether the same request would be let in now, and see the same. */
      holds(): Promise<boolean>;
      /** Absent for those without a token. */
      readonly caller?: Caller;
    }
  | { readonly ok: false; readonly answer: Response };

/** What is needed of a request to let it in. */
export interface Knock {
  /** The row of the route table. */
  readonly route: Route | undefined;
  /** Headers by name in lower case. */
  header(name: string): string | undefined;
}

export interface AccessGate {
  admit(knock: Knock): Promise<Admission>;
  /** Documents about how to get in, for everybody. */
  metadata(request: Request, url: URL): Response;
}

const bearer = /^Bearer +[A-Za-z0-9._~+/-]+=*$/i;
/** In the place of the token, which nobody behind the gate needs. */
const withheld = '(withheld)';

export function createAccessGate(access: ServeAccess, onerror: (error: Error) => void): AccessGate {
  const { authorizationServer, requiredScopes = [] } = access;

  function resourceUrl(host: string): URL {
    return new URL(mcpPath, access.url ?? `http://${host}`);
  }

  function refused(error: unknown, { header }: Knock): Admission {
    const known = error instanceof OAuthError;
    if (!known) onerror(error instanceof Error ? error : new Error(String(error)));
    const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceUrl(header('host') ?? 'localhost'));
    const answer = bearerAuthChallengeResponse(error, { requiredScopes: [...requiredScopes], resourceMetadataUrl });
    answer.headers.set('cache-control', 'no-store');
    return { ok: false, answer };
  }

  async function verified(authorization: string): Promise<{ caller: Caller; authInfo: AuthInfo }> {
    let caller: Caller | undefined;
    const plain = authorization.length <= limits.access.tokenCharacters && bearer.test(authorization);
    const { token: _, ...authInfo } = await verifyBearerToken(plain ? authorization.replace(/ +/, ' ') : 'Bearer', {
      verifier: {
        async verifyAccessToken(token) {
          caller = await access.verify(token);
          if (caller === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not accepted');
          const { id, scopes = [], expiresAt } = caller;
          return { token: withheld, clientId: id, scopes: [...scopes], expiresAt };
        },
      },
      requiredScopes: [...requiredScopes],
    });
    if (caller === undefined) throw new TypeError('a token was accepted that nobody verified');
    return { caller, authInfo: { token: withheld, ...authInfo } };
  }

  async function stillHolds(authorization: string, profile: Profile): Promise<boolean> {
    try {
      const { caller } = await verified(authorization);
      return access.profile(caller.profile) === profile;
    } catch (error) {
      if (error instanceof OAuthError) return false;
      throw error;
    }
  }

  async function admit(knock: Knock): Promise<Admission> {
    const authorization = knock.header('authorization');
    const forOperators = knock.route?.who === 'operator';
    try {
      if (authorization === undefined && access.anonymous !== undefined) {
        const profile = access.profile(access.anonymous);
        if (profile !== undefined && !forOperators) {
          const holds = async (): Promise<boolean> => access.profile(access.anonymous ?? '') === profile;
          return { ok: true, profile, operator: false, holds };
        }
      }
      const { caller, authInfo } = await verified(authorization ?? '');
      const profile = access.profile(caller.profile);
      if (profile === undefined || (forOperators && caller.operator !== true))
        throw new OAuthError(OAuthErrorCode.InsufficientScope, 'The token does not allow this');
      const holds = (): Promise<boolean> => stillHolds(authorization ?? '', profile);
      return { ok: true, profile, operator: caller.operator === true, authInfo, caller, holds };
    } catch (error) {
      return refused(error, knock);
    }
  }

  return {
    admit,
    metadata(request, url) {
      const resource = resourceUrl(url.host);
      if (authorizationServer !== undefined) {
        const found = oauthMetadataResponse(request, {
          oauthMetadata: authorizationServer as unknown as OAuthMetadata,
          resourceServerUrl: resource,
          ...(requiredScopes.length === 0 ? {} : { scopesSupported: [...requiredScopes] }),
        });
        if (found !== undefined) return found;
      } else if (url.pathname === new URL(getOAuthProtectedResourceMetadataUrl(resource)).pathname)
        // Tokens come from a person here, so there is no authorization server to name.
        return Response.json({ resource: resource.href, bearer_methods_supported: ['header'] });
      return new Response('not found\n', { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    },
  };
}
