/**
 * The identity providers of a configuration at work: secrets from the environment, guarded requests, verified tokens, people who signed
 * in on the page. Loaded only if there is a provider.
 *
 * A host that the configuration names may be in the own network; any other one must be public.
 */
import { limits } from '../limits.ts';
import { type Environment, secretIn } from '../origins/credentials.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import type { HttpClient } from '../outbound/http-messages.ts';
import type { IdentityProvider } from '../serving/access/oidc/identity-provider.ts';
import type { IssuerFetch } from '../serving/access/oidc/issuer-metadata.ts';
import { createOidcTokens, type OidcTokens } from '../serving/access/oidc/oidc-tokens.ts';
import { createPageSignIn, type PageSignInOptions, type SignInPort } from '../serving/access/oidc/page-sign-in.ts';
import { createProviderClients } from '../serving/access/oidc/provider-client.ts';
import type { ConfiguredClient, ConfiguredOidc } from './oidc-schema.ts';

export interface IdentitySurroundings extends Pick<PageSignInOptions, 'url' | 'remember'> {
  readonly env: Environment;
  readonly digest: (bytes: Uint8Array) => string;
  /** Gets lines for the operator. */
  readonly report: (line: string) => void;
}

export interface OpenedIdentity {
  readonly providers: readonly IdentityProvider[];
  readonly tokens: OidcTokens;
  readonly signIn: SignInPort;
  close(): void;
}

/** @throws SkillwireError USAGE if a secret is not set */
export function openIdentity(
  configured: readonly ConfiguredOidc[],
  { env, digest, report, url, remember }: IdentitySurroundings,
): OpenedIdentity {
  const providers = identityProviders(configured, env);
  const { fetch, close } = providersFetch(providers);
  const clients = createProviderClients(fetch);
  return {
    providers,
    tokens: createOidcTokens({ providers, fetch, clients, digest, report }),
    signIn: createPageSignIn({ providers: () => providers, url, clients: () => clients, remember }),
    close,
  };
}

/** @throws SkillwireError USAGE if a secret is not set */
export function identityProviders(
  configured: readonly ConfiguredOidc[],
  env: Environment,
): readonly IdentityProvider[] {
  return configured.map(({ claims, introspection, signIn, ...rest }) => ({
    ...rest,
    rules: claims,
    introspection: introspection === undefined ? undefined : withSecret(introspection, '"introspection"', env),
    signIn: signIn === undefined ? undefined : withSecret(signIn, '"signIn"', env),
  }));
}

function withSecret<T extends ConfiguredClient>(
  client: T,
  of: string,
  env: Environment,
): T & { clientSecret?: string } {
  const { clientSecretEnv } = client;
  if (clientSecretEnv === undefined) return client;
  return { ...client, clientSecret: secretIn(clientSecretEnv, `the client secret of ${of}`, env) };
}

function providersFetch(providers: readonly IdentityProvider[]): { readonly fetch: IssuerFetch; close(): void } {
  const named = providers.flatMap(({ issuer, jwks, introspection }) => [issuer, jwks, introspection?.url]);
  const trusted = new Set(named.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])));
  const clients = new Map<string, HttpClient>();

  function clientFor(hostname: string): HttpClient {
    const key = trusted.has(hostname) ? hostname : '';
    const known = clients.get(key);
    if (known !== undefined) return known;
    const client = createHttpClient({
      deadlineMs: limits.access.issuerMs,
      maxBytes: limits.access.issuerBytes,
      ...(key === '' ? {} : { trustedHost: key }),
    });
    clients.set(key, client);
    return client;
  }

  return {
    async fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input);
      return clientFor(new URL(url).hostname).fetch(input, init);
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}
