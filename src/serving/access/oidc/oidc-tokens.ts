/**
 * Verifies the tokens of all identity providers of a server and gives each caller a profile and rights.
 *
 * The issuer in a JWT only chooses the provider; its keys then decide. Other tokens go to the one provider that is asked about them. An
 * accepted token is remembered by its hash until it expires, its keys change, or its keys or its issuer must be asked again. Refusals are
 * not remembered.
 */
import { decodeJwt } from 'jose';
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import type { Caller } from '../serve-access.ts';
import { rightsOf, scopesOf } from './claim-rules.ts';
import type { Identity, IdentityProvider } from './identity-provider.ts';
import { introspectToken } from './introspected-tokens.ts';
import type { IssuerFetch } from './issuer-metadata.ts';
import { verifyJwt } from './jwt-tokens.ts';
import { createKeySet, type KeySet } from './key-set.ts';
import type { ProviderClients } from './provider-client.ts';

export interface OidcTokensOptions {
  readonly providers: readonly IdentityProvider[];
  readonly fetch: IssuerFetch;
  readonly clients: ProviderClients;
  /** SHA-256 of a token, which is stored instead of it. */
  readonly digest: (bytes: Uint8Array) => string;
  /** Gets lines for the operator. */
  readonly report: (line: string) => void;
  readonly now?: () => number;
}

interface Remembered {
  readonly caller: Caller;
  readonly until: number;
  readonly keys: KeySet | undefined;
  readonly generation: number;
}

const encoder = new TextEncoder();
const jwtForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export function createOidcTokens({ providers, fetch, clients, digest, report, now = Date.now }: OidcTokensOptions) {
  const known = new Map(
    providers.map((provider) => {
      const { issuer, jwks } = provider;
      return [issuer, { provider, keys: createKeySet({ issuer, jwks, fetch, now }) }];
    }),
  );
  const introspecting = providers.find(({ introspection }) => introspection !== undefined);
  const remembered = createBoundedCache<string, Remembered>(limits.access.verifiedTokens);
  const reported = new Set<string>();

  function reportOnce(line: string): void {
    if (reported.has(line) || reported.size >= limits.access.issuers * limits.access.profiles) return;
    reported.add(line);
    report(line);
  }

  function callerOf(identity: Identity): Caller | undefined {
    const provider = known.get(identity.issuer)?.provider;
    return provider === undefined ? undefined : callerFor(identity, provider);
  }

  function callerFor(identity: Identity, { issuer, rules, scopes: required }: IdentityProvider): Caller {
    const { subject, claims, expiresAt, tokenId } = identity;
    const scopes = scopesOf(claims);
    const { profile, operator, approver, byScope, omitted } = rightsOf(claims, rules);
    if (omitted !== undefined)
      reportOnce(
        `The issuer ${quoteText(issuer)} leaves the claim ${quoteText(omitted)} out of large tokens, so their owners get no access. ` +
          'Map roles instead, or send only the groups of this application.',
      );
    return {
      id: `${issuer}#${subject}`,
      name: nameIn(identity),
      subject: { issuer, id: subject },
      tokenId,
      // Nobody has a profile without a name, so the gate answers 403.
      profile: profile ?? '',
      operator,
      approver,
      scopes,
      missingScopes: byScope ? [] : required.filter((scope) => !scopes.includes(scope)),
      expiresAt,
    };
  }

  async function verifiedJwt(token: string): Promise<Remembered | undefined> {
    const found = known.get(issuerIn(token) ?? '');
    if (found === undefined) return undefined;
    const { provider, keys } = found;
    const identity = await verifyJwt(token, provider, keys, now);
    if (identity === undefined) return undefined;
    const until = Math.min(identity.expiresAt * 1000, keys.freshUntil());
    return { caller: callerFor(identity, provider), until, keys, generation: keys.generation() };
  }

  async function introspected(token: string): Promise<Remembered | undefined> {
    if (introspecting?.introspection === undefined) return undefined;
    const identity = await introspectToken(token, introspecting, introspecting.introspection, { clients, now });
    if (identity === undefined) return undefined;
    const until = Math.min(identity.expiresAt * 1000, now() + limits.access.introspectedMs);
    return { caller: callerFor(identity, introspecting), until, keys: undefined, generation: 0 };
  }

  return {
    /** The rights of a person by the current rules. */
    callerOf,
    async verify(token: string): Promise<Caller | undefined> {
      const hash = digest(encoder.encode(token));
      const before = remembered.get(hash);
      if (before !== undefined) {
        if (before.until > now() && before.generation === (before.keys?.generation() ?? 0)) return before.caller;
        remembered.delete(hash);
      }
      const found = await (jwtForm.test(token) ? verifiedJwt(token) : introspected(token));
      if (found === undefined) return undefined;
      remembered.put(hash, found, 1);
      return found.caller;
    },
  };
}

export type OidcTokens = ReturnType<typeof createOidcTokens>;

/** Read without verification, to choose the provider. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    // Not a JWT, although it has the form of one.
    return undefined;
  }
}

/** For people; never an identity. */
function nameIn({ subject, claims }: Identity): string {
  const { preferred_username: user, email, name } = claims;
  const named = [user, email, name].find((text) => typeof text === 'string' && text !== '');
  return (typeof named === 'string' ? named : subject).slice(0, limits.access.nameCharacters);
}
