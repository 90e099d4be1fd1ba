/** Ends a grant at its authorization server (RFC 7009), if that has an endpoint for it. */
import { type CredentialFetch, isSecureEndpoint, serverMetadata } from './authorization-server.ts';
import { clientAuthentication } from './client-authentication.ts';
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
  const { headers, fields } = clientAuthentication(client, metadata);
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...fields, token, token_type_hint: type }).toString(),
  });
  await answer.body?.cancel();
  return answer.ok;
}
