/** How a client authenticates itself at an endpoint, as the metadata of the server say. The MCP SDK chooses in the same order. */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { GrantClient } from './grant.ts';

export interface ClientAuthentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

export function clientAuthentication(
  { id, secret }: GrantClient,
  { token_endpoint_auth_methods_supported: listed }: AuthorizationServerMetadata,
): ClientAuthentication {
  const fields = { client_id: id };
  if (secret === undefined) return { headers: {}, fields };
  // Metadata without a list mean the header (RFC 8414, section 2).
  const inHeader = listed === undefined || listed.length === 0 || listed.includes('client_secret_basic');
  if (!inHeader) return { headers: {}, fields: { ...fields, client_secret: secret } };
  const words = [id, secret].map((word) => encodeURIComponent(word)).join(':');
  return { headers: { authorization: `Basic ${btoa(words)}` }, fields };
}
