/** The stored logins of the user as credentials of origins. A login is used for exactly the address that the user logged in to. */
import { createGrantBook } from '../credentials/grant-book.ts';
import {
  type GrantCredentials,
  type GrantCredentialsOptions,
  grantCredentials,
} from '../credentials/grant-credentials.ts';
import { limits } from '../limits.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import type { HttpClient } from '../outbound/http-messages.ts';
import type { PrivateRecords } from '../store/private-records.ts';

export function storedLogins(records: PrivateRecords) {
  const book = createGrantBook(records);
  const clients = new Map<string, HttpClient>();
  // The user chose this issuer when logging in, so it may be in a private network.
  const fetchFor = (issuer: string) => {
    const client = clients.get(issuer) ?? issuerClient(issuer);
    clients.set(issuer, client);
    return client.fetch as typeof fetch;
  };
  return {
    book,
    credentialsFor: (target: Omit<GrantCredentialsOptions, 'book' | 'fetchFor'>): GrantCredentials =>
      grantCredentials({ ...target, book, fetchFor }),
  };
}

export type StoredLogins = ReturnType<typeof storedLogins>;

/** For requests to an authorization server. @param trusted its host, or another one, which may be private */
export function issuerClient(issuer: string, trusted: string | undefined = issuer): HttpClient {
  return createHttpClient({
    ...(trusted !== undefined && URL.canParse(trusted) ? { trustedHost: new URL(trusted).hostname } : {}),
    maxBytes: limits.credentials.answerBytes,
    deadlineMs: limits.credentials.answerMs,
  });
}
