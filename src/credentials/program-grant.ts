/**
 * How a program without a person gets its tokens: the grants of `auth` in `skillwire.json`. The MCP SDK makes the requests. Every grant names
 * the issuer that its secrets belong to. Secrets are read for each request, because platforms replace the tokens of their workloads.
 */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { quoteText } from '../skill/display-text.ts';
import { type CredentialFetch, serverMetadata } from './authorization-server.ts';
import { failure, oauthCode } from './oauth-failure.ts';

/** @throws SkillwireError USAGE if its variable or file has none */
export type ReadSecret = () => string;

export interface ProgramGrant {
  /** The authorization server that gets the secrets, and no other. */
  readonly issuer: string;
  /** In place of the scopes that the origin asks for. */
  readonly scope?: string;
  /** False for servers that refuse resource indicators, such as Entra ID. */
  readonly sendResource: boolean;
  /** The extension of MCP that a client with this grant declares. */
  readonly extension?: string;
  /** For one request. @param fetchFor reaches an issuer that the grant names */
  provider(fetchFor: (issuer: string) => CredentialFetch): Promise<OAuthClientProvider>;
  /** Those that were read. */
  secrets(): readonly string[];
}

type Common = Pick<ProgramGrant, 'issuer' | 'scope' | 'sendResource'> & { readonly clientId: string };

const clientName = 'Skillwire';
export const clientCredentialsExtension = 'io.modelcontextprotocol/oauth-client-credentials';

export function secretGrant({ clientId, ...common }: Common, clientSecret: ReadSecret): ProgramGrant {
  const { read, secrets } = noting(clientSecret);
  return {
    ...common,
    extension: clientCredentialsExtension,
    secrets,
    async provider() {
      const { ClientCredentialsProvider } = await import('@modelcontextprotocol/client');
      const { issuer: expectedIssuer } = common;
      return new ClientCredentialsProvider({ clientId, clientSecret: read(), expectedIssuer, clientName });
    },
  };
}

/** A private key with the algorithm of its signatures. */
export interface AssertionKey {
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly algorithm: string;
}

export function keyGrant({ clientId, ...common }: Common, key: () => AssertionKey): ProgramGrant {
  return {
    ...common,
    extension: clientCredentialsExtension,
    // The key itself is never sent.
    secrets: () => [],
    async provider() {
      const { PrivateKeyJwtProvider } = await import('@modelcontextprotocol/client');
      const { jwk: privateKey, algorithm } = key();
      const { issuer: expectedIssuer } = common;
      return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm, expectedIssuer, clientName });
    },
  };
}

/** The token by which a platform, such as a CI service, identifies a workload: as the client's assertion. */
export function assertionGrant({ clientId, ...common }: Common, token: ReadSecret): ProgramGrant {
  const { read, secrets } = noting(token);
  return {
    ...common,
    extension: clientCredentialsExtension,
    secrets,
    async provider() {
      const { StaticPrivateKeyJwtProvider } = await import('@modelcontextprotocol/client');
      const { issuer: expectedIssuer } = common;
      return new StaticPrivateKeyJwtProvider({ clientId, jwtBearerAssertion: read(), expectedIssuer, clientName });
    },
  };
}

/** The same token as the grant itself (RFC 7523, section 2.1). */
export function bearerGrant({ clientId, ...common }: Common, token: ReadSecret): ProgramGrant {
  const { read, secrets } = noting(token);
  const { issuer } = common;
  return {
    ...common,
    secrets,
    async provider() {
      const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      return {
        redirectUrl: undefined,
        clientMetadata: { client_name: clientName, redirect_uris: [], grant_types: [grant] },
        clientInformation: () => ({ client_id: clientId, issuer }),
        tokens: () => undefined,
        saveTokens: () => undefined,
        redirectToAuthorization: () => undefined,
        saveCodeVerifier: () => undefined,
        codeVerifier: () => '',
        prepareTokenRequest: (scope) =>
          new URLSearchParams({ grant_type: grant, assertion: read(), ...(scope === undefined ? {} : { scope }) }),
      };
    },
  };
}

/** The identity provider of a company, which gives grants for the authorization servers of others (ID-JAG). */
export interface CompanyProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: ReadSecret;
  /** The person or program for whom the grant is. */
  readonly idToken: ReadSecret;
}

export function enterpriseGrant(
  { clientId, ...common }: Common,
  clientSecret: ReadSecret,
  company: CompanyProvider,
): ProgramGrant {
  const own = noting(clientSecret);
  const idToken = noting(company.idToken);
  const companySecret = company.clientSecret === undefined ? undefined : noting(company.clientSecret);
  return {
    ...common,
    extension: 'io.modelcontextprotocol/enterprise-managed-authorization',
    secrets: () => [own, idToken, companySecret].flatMap((one) => one?.secrets() ?? []),
    async provider(fetchFor) {
      const { CrossAppAccessProvider, requestJwtAuthorizationGrant } = await import('@modelcontextprotocol/client');
      const { issuer: expectedIssuer } = common;
      const fetchFn = fetchFor(company.issuer);
      return new CrossAppAccessProvider({
        clientId,
        clientSecret: own.read(),
        expectedIssuer,
        clientName,
        async assertion({ authorizationServerUrl: audience, resourceUrl: resource, scope }) {
          const secrets = {
            idToken: idToken.read(),
            ...(companySecret === undefined ? {} : { clientSecret: companySecret.read() }),
          };
          const { token_endpoint: tokenEndpoint } = await serverMetadata(company.issuer, fetchFn);
          try {
            const request = { tokenEndpoint, audience, resource, clientId: company.clientId, fetchFn, ...secrets };
            const answer = await requestJwtAuthorizationGrant({
              ...request,
              ...(scope === undefined ? {} : { scope }),
            });
            return answer.jwtAuthGrant;
          } catch (error) {
            throw failure(
              'NOT_AUTHORIZED',
              `${quoteText(company.issuer)} gives no grant for ${quoteText(resource)} (${oauthCode(error) ?? 'refused'}). ` +
                'Check the ID token, and ask the operator to allow this client.',
              company.issuer,
              'no-grant',
            );
          }
        },
      });
    },
  };
}

/** Remembers the last value for redaction. */
function noting(secret: ReadSecret): { readonly read: ReadSecret; secrets(): readonly string[] } {
  let last: string | undefined;
  return {
    read() {
      last = secret();
      return last;
    },
    secrets: () => (last === undefined ? [] : [last]),
  };
}
