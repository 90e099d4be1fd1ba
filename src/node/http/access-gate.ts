/**
 * Checks bearer tokens as MCP authorization (2026-07-28) and RFC 6750 require, with the SDK's check and challenge. A missing or rejected
 * token gets 401, always in the same words; a token without the required right gets 403. Both name the protected resource metadata
 * (RFC 9728), which is public.
 *
 * Tokens in the URL are ignored. No token leaves this file: surfaces and sources only see its owner.
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
      /** True if the same request would still be admitted with the same profile. */
      isValid(): Promise<boolean>;
      /** Absent without a token. */
      readonly caller?: Caller;
    }
  | { readonly ok: false; readonly answer: Response };

/** The parts of a request that admission needs. */
export interface Knock {
  /** The row in the route table. */
  readonly route: Route | undefined;
  /** Headers by name in lower case. */
  header(name: string): string | undefined;
}

const bearer = /^Bearer +[A-Za-z0-9._~+/-]+=*$/i;
/** Replaces the token in the SDK's records: nothing behind the gate needs it. */
const redacted = '(redacted)';

export function createAccessGate(access: ServeAccess, onerror: (error: Error) => void) {
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
          return { token: redacted, clientId: id, scopes: [...scopes], expiresAt };
        },
      },
      requiredScopes: [...requiredScopes],
    });
    if (caller === undefined) throw new TypeError('a token was accepted without verification');
    return { caller, authInfo: { token: redacted, ...authInfo } };
  }

  async function isStillValid(authorization: string, profile: Profile): Promise<boolean> {
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
          const isValid = async (): Promise<boolean> => access.profile(access.anonymous ?? '') === profile;
          return { ok: true, profile, operator: false, isValid };
        }
      }
      const { caller, authInfo } = await verified(authorization ?? '');
      const profile = access.profile(caller.profile);
      if (profile === undefined || (forOperators && caller.operator !== true))
        throw new OAuthError(OAuthErrorCode.InsufficientScope, 'The token does not allow this');
      const isValid = (): Promise<boolean> => isStillValid(authorization ?? '', profile);
      return { ok: true, profile, operator: caller.operator === true, authInfo, caller, isValid };
    } catch (error) {
      return refused(error, knock);
    }
  }

  return {
    admit,
    /** Public documents about authorization. */
    metadata(request: Request, url: URL): Response {
      const resource = resourceUrl(url.host);
      if (authorizationServer !== undefined) {
        const found = oauthMetadataResponse(request, {
          oauthMetadata: authorizationServer as unknown as OAuthMetadata,
          resourceServerUrl: resource,
          ...(requiredScopes.length === 0 ? {} : { scopesSupported: [...requiredScopes] }),
        });
        if (found !== undefined) return found;
      } else if (url.pathname === new URL(getOAuthProtectedResourceMetadataUrl(resource)).pathname)
        // A person hands out the tokens, so there is no authorization server to name.
        return Response.json({ resource: resource.href, bearer_methods_supported: ['header'] });
      return new Response('not found\n', { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    },
  };
}

export type AccessGate = ReturnType<typeof createAccessGate>;
