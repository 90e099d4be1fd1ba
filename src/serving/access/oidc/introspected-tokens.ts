/** Verifies tokens that are not JWTs by asking their issuer (RFC 7662). */

import { limits } from '../../../limits.ts';
import type { Identity, IdentityProvider, Introspection } from './identity-provider.ts';
import { identityOf } from './jwt-tokens.ts';
import { type ProviderClients, providerFailed } from './provider-client.ts';

/**
 * @returns `undefined` if the token is not accepted
 * @throws SkillwireError if the issuer cannot be asked
 */
export async function introspectToken(
  token: string,
  provider: IdentityProvider,
  { url, clientId, clientSecret }: Introspection,
  { clients, now }: { readonly clients: ProviderClients; readonly now: () => number },
): Promise<Identity | undefined> {
  const { issuer, audience, audienceClaim } = provider;
  const claims = await (async () => {
    try {
      const metadata: Record<string, string> = url === undefined ? {} : { introspection_endpoint: url };
      const { oidc, config } = await clients({ issuer, clientId, clientSecret, metadata });
      return await oidc.tokenIntrospection(config, token);
    } catch (error) {
      throw providerFailed(issuer, 'check a token', error);
    }
  })();
  if (!claims.active || (claims.iss !== undefined && claims.iss !== issuer)) return undefined;
  const named = claims[audienceClaim];
  if (![named].flat().some((one) => typeof one === 'string' && audience.includes(one))) return undefined;
  const nowSeconds = now() / 1000;
  const { exp = nowSeconds + limits.access.introspectedMs / 1000, nbf = 0 } = claims;
  if (exp <= nowSeconds || nbf > nowSeconds + limits.access.clockToleranceMs / 1000) return undefined;
  return identityOf({ ...(claims as Record<string, unknown>), exp }, provider);
}
