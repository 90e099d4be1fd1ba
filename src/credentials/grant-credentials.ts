/**
 * The stored grant of one origin as credentials of its requests. The token is renewed shortly before it expires and after a 401, unless
 * another process has done so. Nobody is asked: if only the user can help, the error names the command.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import {
  type AuthorizationChallenge,
  type CredentialFetch,
  type LoginTarget,
  protectedResource,
  readChallenge,
  serverMetadata,
} from './authorization-server.ts';
import { type Grant, grantedTokens, remainingMs } from './grant.ts';
import type { GrantBook, Refreshed } from './grant-book.ts';
import { failure, loginCommand, loginEnded, oauthCode, oauthFailure } from './oauth-failure.ts';
import type { OriginCredentials } from './origin-credentials.ts';

export interface GrantCredentialsOptions extends LoginTarget {
  /** The origin as a command names it. */
  readonly origin: string;
  readonly book: GrantBook;
  /** A client that may reach the issuer. */
  fetchFor(issuer: string): CredentialFetch;
  /** True: the user demands a login, so nothing is sent without one. */
  readonly required?: boolean;
}

export function grantCredentials(options: GrantCredentialsOptions): OriginCredentials {
  const { url, kind, origin, book, fetchFor, required = false } = options;
  let grant: Grant | undefined;
  let loading: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  const sent = new Set<string>();

  const load = async (): Promise<void> => {
    grant = await book.get(url);
    if (grant === undefined && required)
      throw new SkillwireError(
        'NOT_AUTHORIZED',
        `You are not logged in to ${quoteText(url)}. Run ${loginCommand(origin)}.`,
        { data: { url, reason: 'not-logged-in' } },
      );
  };

  const refresh = (stale: Grant): Promise<void> => {
    renewing ??= (async () => {
      try {
        grant = await refreshGrant(stale, book, origin, fetchFor(stale.issuer));
      } finally {
        renewing = undefined;
      }
    })();
    return renewing;
  };

  const fresh = async (): Promise<string | undefined> => {
    loading ??= load();
    try {
      await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
    if (grant !== undefined && remainingMs(grant) < limits.credentials.renewMs) {
      if (grant.refreshToken !== undefined) await refreshOrLast(grant);
      else if (remainingMs(grant) <= 0) await reloadOr(grant, 'has expired', 'expired');
    }
    if (grant === undefined) return undefined;
    sent.add(grant.accessToken);
    return `Bearer ${grant.accessToken}`;
  };

  /** While the authorization server fails, the token is used until it expires. */
  const refreshOrLast = async (stale: Grant): Promise<void> => {
    try {
      await refresh(stale);
    } catch (error) {
      if (remainingMs(stale) <= 0) throw error;
    }
  };

  /** Another process may have logged in again meanwhile. */
  const reloadOr = async (stale: Grant, why: string, reason: string): Promise<void> => {
    const stored = await book.get(url);
    if (stored === undefined || stored.accessToken === stale.accessToken)
      throw loginEnded(why, stale.issuer, origin, reason);
    grant = stored;
  };

  return {
    /** Whether a token was sent. */
    get present(): boolean {
      return grant !== undefined;
    },
    header(): string | undefined | Promise<string | undefined> {
      if (grant === undefined || renewing !== undefined || remainingMs(grant) < limits.credentials.renewMs)
        return fresh();
      return `Bearer ${grant.accessToken}`;
    },
    async renew(challenge: AuthorizationChallenge, _: URL, fetch: CredentialFetch): Promise<boolean> {
      const facts = await readChallenge(challenge);
      if (challenge.status === 403) {
        if (facts.error !== 'insufficient_scope' || grant === undefined) return false;
        throw missingScope(grant, facts.scope, origin);
      }
      const stale = grant;
      if (stale === undefined) {
        grant = await book.get(url);
        return grant !== undefined;
      }
      await requireSameIssuer(stale, origin, () => protectedResource({ url, kind }, facts, fetch));
      if (stale.refreshToken === undefined) await reloadOr(stale, 'is not accepted any more', 'revoked');
      else await refresh(stale);
      return grant !== undefined;
    },
    /** For redaction: tokens that were sent. */
    secrets: (): readonly string[] => [...sent],
  };
}

async function requireSameIssuer(
  grant: Grant,
  origin: string,
  discover: () => Promise<{ readonly issuers: readonly string[] }>,
): Promise<void> {
  let issuers: readonly string[];
  try {
    ({ issuers } = await discover());
  } catch (error) {
    // Metadata may be unavailable although the issuer is not. A grant is only ever sent to its own issuer.
    if (error instanceof SkillwireError) return;
    throw error;
  }
  if (issuers.includes(grant.issuer)) return;
  const now = issuers.map(quoteText).join(', ');
  throw failure(
    'NOT_AUTHORIZED',
    `${quoteText(grant.url)} now uses another authorization server (${now}), not ${quoteText(grant.issuer)}. ` +
      `If you trust it, run ${loginCommand(origin)}.`,
    grant.issuer,
    'issuer-changed',
  );
}

function missingScope({ issuer }: Grant, scope: string | undefined, origin: string): SkillwireError {
  const wanted = scope === undefined || !/^[\x21\x23-\x5b\x5d-\x7e ]{1,500}$/.test(scope) ? undefined : scope;
  const command = loginCommand(origin, wanted === undefined ? '' : ` --scope '${wanted}'`);
  const missing = wanted === undefined ? 'more scopes' : `the scope ${quoteText(wanted)}`;
  return failure('NOT_AUTHORIZED', `The server requires ${missing}. Run ${command}.`, issuer, 'insufficient_scope');
}

/** One refresh, by one process. @returns `undefined` if the user logged out meanwhile */
export async function refreshGrant(stale: Grant, book: GrantBook, origin: string, fetch: CredentialFetch) {
  const { refreshAuthorization } = await import('@modelcontextprotocol/client');
  // Before the lock is taken: nobody waits for it.
  const metadata = await serverMetadata(stale.issuer, fetch);
  return book.refresh(stale, async (grant): Promise<Refreshed> => {
    const { issuer, client, refreshToken, resource, scope } = grant;
    if (refreshToken === undefined)
      throw loginEnded('has expired, and it gave no refresh token', issuer, origin, 'expired');
    try {
      const answer = await refreshAuthorization(issuer, {
        metadata,
        clientInformation: {
          client_id: client.id,
          ...(client.secret === undefined ? {} : { client_secret: client.secret }),
        },
        refreshToken,
        ...(resource === undefined ? {} : { resource }),
        fetchFn: fetch,
      });
      const { expiresAt: _, ...lasting } = grant;
      return { grant: { ...lasting, ...grantedTokens(answer, issuer, scope) } };
    } catch (error) {
      if (oauthCode(error) === 'invalid_grant')
        return { ended: loginEnded('is not accepted any more', issuer, origin, 'revoked') };
      throw oauthFailure(
        `renew the login at ${quoteText(issuer)}`,
        error,
        issuer,
        `Try again, or run ${loginCommand(origin)}.`,
      );
    }
  });
}
