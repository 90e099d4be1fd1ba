/** The stored logins of the user as credentials of origins. A login is used for exactly the address that the user logged in to. */
import type { CredentialFetch } from '../credentials/authorization-server.ts';
import { createGrantBook } from '../credentials/grant-book.ts';
import { type GrantCredentialsOptions, grantCredentials } from '../credentials/grant-credentials.ts';
import type { OriginCredentials } from '../credentials/origin-credentials.ts';
import { limits } from '../limits.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import type { HttpClient } from '../outbound/http-messages.ts';
import type { PrivateRecords } from '../store/private-records.ts';

export function storedLogins(records: PrivateRecords) {
  const book = createGrantBook(records);
  // The user chose the issuer when logging in.
  const fetchFor = issuerFetches();
  return {
    book,
    credentialsFor: (target: Omit<GrantCredentialsOptions, 'book' | 'fetchFor'>): OriginCredentials =>
      grantCredentials({ ...target, book, fetchFor }),
    /** Sends no login. @param unused the error if the user has one and the origin requires it */
    unusedFor: (url: string, unused: () => Error): OriginCredentials => ({
      present: false,
      header: () => undefined,
      async renew({ status }) {
        if (status === 401 && (await book.get(url)) !== undefined) throw unused();
        return false;
      },
      secrets: () => [],
    }),
  };
}

export type StoredLogins = ReturnType<typeof storedLogins>;

/** One client for each issuer. The user chose them, so they may be in a private network. */
export function issuerFetches(): (issuer: string) => CredentialFetch {
  const clients = new Map<string, HttpClient>();
  return (issuer) => {
    const client = clients.get(issuer) ?? issuerClient(issuer);
    clients.set(issuer, client);
    return client.fetch as CredentialFetch;
  };
}

/** For requests to an authorization server. @param trusted its host, or another one, which may be private */
export function issuerClient(issuer: string, trusted: string | undefined = issuer): HttpClient {
  return createHttpClient({
    ...(trusted !== undefined && URL.canParse(trusted) ? { trustedHost: new URL(trusted).hostname } : {}),
    maxBytes: limits.credentials.answerBytes,
    deadlineMs: limits.credentials.answerMs,
  });
}
