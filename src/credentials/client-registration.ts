/**
 * How an authorization server learns of this client. In the order of MCP authorization (ID-9): an id that the user registered, a client id
 * metadata document, dynamic registration. An id of the user is used again only at the issuer that knows it.
 */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { domainConfirmed, projectUrl } from '../project.ts';
import { quoteText } from '../skill/display-text.ts';
import type { CredentialFetch } from './authorization-server.ts';
import type { Grant, GrantClient } from './grant.ts';
import { failure, loginCommand, oauthFailure } from './oauth-failure.ts';

export interface ClientChoice {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The address of a client id metadata document. Default: ours. */
  readonly clientMetadataUrl?: string;
}

/** Ours, once the domain is confirmed: nobody else may publish a document there. */
const ownDocument: string | undefined = domainConfirmed ? `${projectUrl}/oauth/client.json` : undefined;

export interface RegistrationContext {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly origin: string;
  /** The grant that this login replaces. */
  readonly earlier: Grant | undefined;
  readonly fetch: CredentialFetch;
}

/** @throws SkillwireError NOT_AUTHORIZED if the server takes none of them */
export async function clientAt(choice: ClientChoice, context: RegistrationContext): Promise<GrantClient> {
  const { issuer, metadata, earlier, origin } = context;
  const { clientId, clientSecret, clientMetadataUrl = ownDocument } = choice;
  if (clientId !== undefined)
    return { id: clientId, from: 'option', ...(clientSecret === undefined ? {} : { secret: clientSecret }) };
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true)
    return { id: clientMetadataUrl, from: 'metadata-document' };
  // A registered client is bound to the scopes and the redirect address of its login.
  if (earlier?.issuer === issuer && earlier.client.from === 'option') return earlier.client;
  if (metadata.registration_endpoint !== undefined) return register(context);
  throw failure(
    'NOT_AUTHORIZED',
    `${quoteText(issuer)} registers no clients itself. Ask its operator for a client id with the redirect address ` +
      `"http://127.0.0.1/callback", then run ${loginCommand(origin, ' --client-id ID')}.`,
    issuer,
    'no-registration',
  );
}

async function register({ issuer, metadata, redirectUrl, scope, origin, fetch }: RegistrationContext) {
  const { registerClient } = await import('@modelcontextprotocol/client');
  try {
    const { client_id: id, client_secret: secret } = await registerClient(issuer, {
      metadata,
      clientMetadata: {
        client_name: 'Skillwire',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
    return { id, from: 'registration', ...(secret === undefined ? {} : { secret }) } satisfies GrantClient;
  } catch (error) {
    throw oauthFailure(
      `register at ${quoteText(issuer)}`,
      error,
      issuer,
      `Ask its operator for a client id, then run ${loginCommand(origin, ' --client-id ID')}.`,
    );
  }
}
