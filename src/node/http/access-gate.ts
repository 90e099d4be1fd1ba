/**
 * Checks bearer tokens as MCP authorization (2026-07-28) and RFC 6750 require. A missing or rejected token gets 401, always in the same
 * words. A token without the required right gets 403 with the missing scopes, and a malformed header gets 400.
 *
 * With an issuer of tokens, refusals name the protected resource metadata (RFC 9728), which is public. Without one there are no metadata:
 * clients would look for an authorization server here.
 *
 * Tokens in the URL are ignored. No token leaves this file: surfaces and sources only see its owner.
 */
import {
  type AuthInfo,
  getOAuthProtectedResourceMetadataUrl,
  type OAuthMetadata,
  oauthMetadataResponse,
} from '@modelcontextprotocol/server';
import { andThen, type MaybePromise, orElse } from '../../async/maybe-promise.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Profile } from '../../serving/access/profile.ts';
import type { AccessRight, Caller, ServeAccess } from '../../serving/access/serve-access.ts';
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

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
/** Replaces the token in the SDK's records: nothing behind the gate needs it. */
const redacted = '(redacted)';

/** Why a request is refused. The words for callers never depend on the token. */
type Refusal =
  | { readonly status: 400 | 401; readonly error?: 'invalid_request' | 'invalid_token' }
  | { readonly status: 403; readonly scopes: readonly string[] };

class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('refused');
    this.refusal = refusal;
  }
}

const reasons = {
  invalid_request: 'The Authorization header is malformed',
  invalid_token: 'The token is not accepted',
  insufficient_scope: 'The token does not allow this',
} as const;

export function createAccessGate(access: ServeAccess, onerror: (error: Error) => void) {
  const { authorizationServer } = access;
  const issuers = (): readonly string[] =>
    access.issuers ?? (authorizationServer === undefined ? [] : [authorizationServer.issuer]);
  const offered = (): readonly string[] => access.offeredScopes ?? access.requiredScopes ?? [];

  function resourceUrl(host: string): URL {
    return new URL(mcpPath, access.url ?? `http://${host}`);
  }

  function challenge(refusal: Refusal, host: string): string {
    const error = refusal.status === 403 ? 'insufficient_scope' : refusal.error;
    const scopes = refusal.status === 403 ? refusal.scopes : offered();
    const known = issuers().length > 0;
    const parts = [
      ...(error === undefined ? [] : [`error="${error}"`, `error_description="${reasons[error]}"`]),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
      ...(known ? [`resource_metadata="${getOAuthProtectedResourceMetadataUrl(resourceUrl(host))}"`] : []),
    ];
    return parts.length === 0 ? 'Bearer' : `Bearer ${parts.join(', ')}`;
  }

  function refused(error: unknown, { header }: Knock): Admission {
    if (error instanceof RefusedError) {
      const { refusal } = error;
      const code = refusal.status === 403 ? 'insufficient_scope' : refusal.error;
      const body = {
        error: code ?? 'unauthorized',
        error_description: code === undefined ? 'No token. Send "Authorization: Bearer TOKEN".' : reasons[code],
      };
      const headers = {
        'www-authenticate': challenge(refusal, header('host') ?? 'localhost'),
        'cache-control': 'no-store',
      };
      return { ok: false, answer: Response.json(body, { status: refusal.status, headers }) };
    }
    onerror(error instanceof Error ? error : new Error(String(error)));
    // An issuer that does not answer is a failure that passes.
    const status = error instanceof SkillwireError ? 503 : 500;
    const body = { error: 'server_error', error_description: 'Tokens cannot be checked at the moment' };
    return { ok: false, answer: Response.json(body, { status, headers: { 'cache-control': 'no-store' } }) };
  }

  /** @param authorization `undefined` if the header is missing @throws RefusedError */
  function verified(authorization: string | undefined): MaybePromise<Caller> {
    // An empty token is usually a variable that is not set.
    if (authorization === undefined || !/^Bearer +\S/i.test(authorization)) throw new RefusedError({ status: 401 });
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined) throw new RefusedError({ status: 400, error: 'invalid_request' });
    return andThen(token.length > limits.access.tokenCharacters ? undefined : access.verify(token), accepted);
  }

  /** @throws RefusedError */
  function accepted(caller: Caller | undefined): Caller {
    if (caller === undefined || !(caller.expiresAt * 1000 > Date.now()))
      throw new RefusedError({ status: 401, error: 'invalid_token' });
    const { scopes = [], missingScopes = [] } = caller;
    const required = access.requiredScopes ?? [];
    if (missingScopes.length > 0 || required.some((scope) => !scopes.includes(scope)))
      throw new RefusedError({ status: 403, scopes: [...new Set([...required, ...offered()])] });
    return caller;
  }

  function lacks(right: AccessRight, caller: Caller): RefusedError {
    const scopes = access.scopesFor?.(right, caller) ?? [];
    return new RefusedError({
      status: 403,
      scopes: scopes.length === 0 ? [] : [...new Set([...offered(), ...scopes])],
    });
  }

  async function isStillValid(authorization: string | undefined, profile: Profile): Promise<boolean> {
    try {
      return access.profile((await verified(authorization)).profile) === profile;
    } catch (error) {
      if (error instanceof RefusedError) return false;
      throw error;
    }
  }

  function admitted(knock: Knock): MaybePromise<Admission> {
    const authorization = knock.header('authorization');
    const forOperators = knock.route?.who === 'operator';
    if (authorization === undefined && access.anonymous !== undefined) {
      const profile = access.profile(access.anonymous);
      if (profile !== undefined && !forOperators) {
        const isValid = async (): Promise<boolean> => access.profile(access.anonymous ?? '') === profile;
        return { ok: true, profile, operator: false, isValid };
      }
    }
    return andThen(verified(authorization), (caller): Admission => {
      const profile = access.profile(caller.profile);
      if (profile === undefined) throw lacks('profile', caller);
      if (forOperators && caller.operator !== true) throw lacks('operator', caller);
      const { id, scopes = [], expiresAt } = caller;
      const authInfo: AuthInfo = { token: redacted, clientId: id, scopes: [...scopes], expiresAt };
      const isValid = (): Promise<boolean> => isStillValid(authorization, profile);
      return { ok: true, profile, operator: caller.operator === true, authInfo, caller, isValid };
    });
  }

  /** Synchronous if the token is known and nothing was written since it was verified. */
  function admit(knock: Knock): MaybePromise<Admission> {
    return orElse(
      () => admitted(knock),
      (error) => refused(error, knock),
    );
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
          ...(offered().length === 0 ? {} : { scopesSupported: [...offered()] }),
        });
        if (found !== undefined) return found;
      } else if (
        issuers().length > 0 &&
        url.pathname === new URL(getOAuthProtectedResourceMetadataUrl(resource)).pathname
      ) {
        const document = {
          resource: resource.href,
          authorization_servers: issuers(),
          ...(offered().length === 0 ? {} : { scopes_supported: offered() }),
          bearer_methods_supported: ['header'],
        };
        // Clients in pages read it too, as with the SDK.
        const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=60' };
        return Response.json(document, { headers });
      }
      return new Response('not found\n', { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    },
  };
}

export type AccessGate = ReturnType<typeof createAccessGate>;
