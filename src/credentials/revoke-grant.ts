/** Ends a grant at its authorization server (RFC 7009), if that has an endpoint for it. */
import { type CredentialFetch, isSecureEndpoint, serverMetadata } from './authorization-server.ts';
import type { Grant } from './grant.ts';

/** @returns false if the server has no such endpoint or refuses */
export async function revokeGrant(
  { issuer, client, accessToken, refreshToken }: Grant,
  fetch: CredentialFetch,
): Promise<boolean> {
  const metadata = await serverMetadata(issuer, fetch);
  const { revocation_endpoint: endpoint } = metadata as { readonly revocation_endpoint?: unknown };
  if (typeof endpoint !== 'string' || !isSecureEndpoint(endpoint)) return false;
  const [token, type] = refreshToken === undefined ? [accessToken, 'access_token'] : [refreshToken, 'refresh_token'];
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const inHeader = client.secret !== undefined && methods.includes('client_secret_basic');
  const words = [client.id, client.secret ?? ''].map((word) => encodeURIComponent(word)).join(':');
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(inHeader ? { authorization: `Basic ${btoa(words)}` } : {}),
    },
    body: new URLSearchParams({
      token,
      token_type_hint: type,
      client_id: client.id,
      ...(client.secret === undefined || inHeader ? {} : { client_secret: client.secret }),
    }).toString(),
  });
  await answer.body?.cancel();
  return answer.ok;
}
