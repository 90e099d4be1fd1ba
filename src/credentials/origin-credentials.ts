/** The credentials of one origin's requests: a login of the user, or a grant of this program. */
import type { AuthorizationChallenge, CredentialFetch } from './authorization-server.ts';

export interface OriginCredentials {
  /** Whether a token was sent, or will be. */
  readonly present: boolean;
  /** The extension of MCP that such a client declares. */
  readonly extension?: string;
  /** For an error, in place of the usual remedy. */
  readonly remedy?: string;
  header(): string | undefined | Promise<string | undefined>;
  /** @param fetch reaches the host of the origin @returns whether another attempt is worthwhile */
  renew(challenge: AuthorizationChallenge, url: URL, fetch: CredentialFetch): Promise<boolean>;
  /** For redaction: tokens that were sent, and secrets that they were obtained with. */
  secrets(): readonly string[];
}
