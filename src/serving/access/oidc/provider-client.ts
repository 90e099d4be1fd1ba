/** This server as a client of an identity provider, for the library that speaks OpenID Connect. Its module loads on first use. */
import type { Configuration, ServerMetadata } from 'openid-client';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import type { ProviderClient } from './identity-provider.ts';
import { fetchIssuerMetadata, type IssuerFetch } from './issuer-metadata.ts';
import { clockToleranceSeconds } from './jwt-tokens.ts';

export interface ProviderClientOptions extends ProviderClient {
  readonly issuer: string;
  /** Fields that override the published metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
}

async function openClient({ issuer, clientId, clientSecret, metadata }: ProviderClientOptions, fetch: IssuerFetch) {
  const [oidc, published] = await Promise.all([import('openid-client'), fetchIssuerMetadata(issuer, fetch)]);
  const config: Configuration = new oidc.Configuration(
    { ...published, ...metadata } as ServerMetadata,
    clientId,
    { [oidc.clockTolerance]: clockToleranceSeconds },
    clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
  );
  config[oidc.customFetch] = (url, init) => fetch(url, init as RequestInit);
  config.timeout = limits.access.issuerMs / 1000;
  // Our own HTTP client allows plain http to this machine only.
  oidc.allowInsecureRequests(config);
  oidc.enableNonRepudiationChecks(config);
  return { oidc, config, published };
}

export type OpenedClient = Awaited<ReturnType<typeof openClient>>;
export type ProviderClients = (options: ProviderClientOptions) => Promise<OpenedClient>;

/** Metadata are fetched once for all callers, and again when they are old. Failures are not cached. */
export function createProviderClients(fetch: IssuerFetch, now: () => number = Date.now): ProviderClients {
  const opened = new Map<string, { readonly client: Promise<OpenedClient>; readonly until: number }>();
  return (options) => {
    const key = JSON.stringify(options);
    const known = opened.get(key);
    if (known !== undefined && known.until > now()) return known.client;
    const client = openClient(options, fetch);
    opened.set(key, { client, until: now() + limits.access.keysMs });
    client.catch(() => opened.delete(key));
    return client;
  };
}

/** A failure of the provider. The cause may contain tokens and codes, so it stays out of the message. */
export function providerFailed(issuer: string, what: string, error: unknown): SkillwireError {
  if (error instanceof SkillwireError) return error;
  return new SkillwireError(
    'ORIGIN_FAILED',
    `Cannot ${what}: the issuer ${quoteText(issuer)} answers with an error. Check the client id and secret.`,
    {
      data: { issuer, reason: error instanceof Error ? error.name : undefined },
    },
  );
}
