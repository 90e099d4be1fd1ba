/**
 * The grant of a program as credentials of one origin's requests. A token is requested after the first challenge, which names the scopes,
 * and again shortly before it expires. Secrets go to the issuer that the grant names, and only if the origin uses that issuer.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import {
  type ChallengeFacts,
  type CredentialFetch,
  type LoginTarget,
  protectedResource,
  readChallenge,
  serverMetadata,
} from './authorization-server.ts';
import { grantedTokens } from './grant.ts';
import { failure, oauthFailure } from './oauth-failure.ts';
import type { OriginCredentials } from './origin-credentials.ts';
import type { ProgramGrant } from './program-grant.ts';

export interface ProgramCredentialsOptions extends LoginTarget {
  readonly grant: ProgramGrant;
  /** A client that may reach the issuer. */
  fetchFor(issuer: string): CredentialFetch;
}

interface Token {
  readonly text: string;
  /** By `performance.now()`; infinite if the server does not say. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** The challenge that the last request for a token answered. */
interface Occasion {
  readonly facts: ChallengeFacts;
  readonly fetch: CredentialFetch;
}

export function programCredentials({ url, kind, grant, fetchFor }: ProgramCredentialsOptions): OriginCredentials {
  const { issuer, extension } = grant;
  let token: Token | undefined;
  let requested: string | undefined;
  let occasion: Occasion | undefined;
  let renewing: Promise<void> | undefined;
  /** The token before, which an answer may still quote. */
  let earlier: string | undefined;

  const request = async ({ facts, fetch }: Occasion): Promise<void> => {
    const { fetchToken } = await import('@modelcontextprotocol/client');
    const found = await protectedResource({ url, kind }, facts, fetch);
    if (!found.issuers.includes(issuer)) throw otherIssuer(url, issuer, found.issuers);
    const fetchFn = fetchFor(issuer);
    const metadata = await serverMetadata(issuer, fetchFn);
    const listed = found.scopes.length === 0 ? undefined : found.scopes.join(' ');
    const scope = grant.scope ?? facts.scope ?? listed;
    try {
      const provider = await grant.provider(fetchFor);
      await provider.saveAuthorizationServerUrl?.(metadata.issuer);
      await provider.saveResourceUrl?.(found.resource);
      const answer = await fetchToken(provider, issuer, {
        metadata,
        fetchFn,
        ...(scope === undefined ? {} : { scope }),
        ...(grant.sendResource ? { resource: found.resource } : {}),
      });
      const { accessToken, expiresAt } = grantedTokens(answer, issuer, scope);
      const lasts = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
      const now = performance.now();
      // A token of two minutes or less is used for half its time.
      earlier = token?.text;
      token = {
        text: accessToken,
        endsAt: now + lasts,
        renewAt: now + Math.max(lasts / 2, lasts - limits.credentials.renewMs),
      };
      requested = scope;
    } catch (error) {
      throw oauthFailure(
        `get a token for ${quoteText(url)} from ${quoteText(issuer)}`,
        error,
        issuer,
        'Check "auth" of the origin, and ask the operator to allow this client.',
      );
    }
  };

  const renewed = (next: Occasion): Promise<void> => {
    renewing ??= request(next).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const fresh = async (): Promise<string | undefined> => {
    try {
      if (renewing !== undefined) await renewing;
      else if (occasion !== undefined) await renewed(occasion);
    } catch (error) {
      // While the authorization server fails, the token is used until it expires.
      if (token === undefined || token.endsAt <= performance.now()) throw error;
    }
    return current();
  };

  const current = (): string | undefined => (token === undefined ? undefined : `Bearer ${token.text}`);

  return {
    present: true,
    ...(extension === undefined ? {} : { extension }),
    remedy: 'Check "auth" of the origin, and ask the operator to allow this client.',
    header: () => (token === undefined || token.renewAt > performance.now() ? current() : fresh()),
    async renew(challenge, _, fetch) {
      const facts = await readChallenge(challenge);
      if (challenge.status === 403) {
        if (facts.error !== 'insufficient_scope') return false;
        const { computeScopeUnion, isStrictScopeSuperset } = await import('@modelcontextprotocol/client');
        const wanted = computeScopeUnion(requested, facts.scope);
        if (grant.scope !== undefined || !isStrictScopeSuperset(wanted, requested)) throw missingScope(facts, issuer);
        occasion = { facts: { ...facts, ...(wanted === undefined ? {} : { scope: wanted }) }, fetch };
      } else occasion = { facts, fetch };
      await renewed(occasion);
      return true;
    },
    secrets: () => [token?.text, earlier].flatMap((text) => text ?? []).concat(grant.secrets()),
  };
}

function otherIssuer(url: string, issuer: string, issuers: readonly string[]): SkillwireError {
  return failure(
    'NOT_AUTHORIZED',
    `${quoteText(url)} uses the authorization server ${issuers.map(quoteText).join(', ')}, not ${quoteText(issuer)}. ` +
      'If you trust it, correct "issuer" in "auth" of the origin.',
    issuer,
    'other-issuer',
  );
}

function missingScope({ scope }: ChallengeFacts, issuer: string): SkillwireError {
  const named = scope === undefined ? 'more scopes' : `the scope ${quoteText(scope)}`;
  return new SkillwireError(
    'NOT_AUTHORIZED',
    `The server requires ${named}. Add it to "scope" in "auth" of the origin, or ask the operator of ${quoteText(issuer)} to grant it.`,
    { data: { issuer, reason: 'insufficient_scope' } },
  );
}
