/**
 * Who may use a server, and what each may see: the port between whoever knows tokens and the surfaces. Our own tokens are one
 * implementation of `verify` (`token-book.ts`), a program that embeds the server may bring another one, of OAuth for example.
 */
import type { Profile } from './profile.ts';

/** A caller whose token was verified. */
export interface Caller {
  /** Unique for the one who verified the token. Sources see it as the principal. */
  readonly id: string;
  /** Name of the profile. One that is not known may see nothing and is answered 403. */
  readonly profile: string;
  /** Whether the caller may also see how the server does: `/metrics` and what waits for approval. */
  readonly operator?: boolean;
  /** Whether the caller may approve, deny and switch off skills that the profile shows, on the page. */
  readonly approver?: boolean;
  /** By which people know the caller; stands in the audit. */
  readonly name?: string;
  /** Of an OAuth token. */
  readonly scopes?: readonly string[];
  /** Seconds since 1970; a token is refused from then on. */
  readonly expiresAt: number;
}

/** Verifies a token; `undefined` if it is not accepted. An error is reported as a failure of the server, not of the token. */
export type VerifyToken = (token: string) => Promise<Caller | undefined>;

/** Metadata of an OAuth authorization server (RFC 8414), as it publishes them. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly response_types_supported: readonly string[];
  readonly [field: string]: unknown;
}

/** Who may read what: verifies tokens and names the profile of each caller. */
export interface ServeAccess {
  readonly verify: VerifyToken;
  /** The profile of this name as it is now; it is asked at each request, so a change counts at once. */
  profile(name: string): Profile | undefined;
  /**
   * Another text wherever tokens or profiles may have changed meanwhile; open streams are then looked at again. Absent: they end when
   * the time of their token is over.
   */
  revision?(): Promise<string>;
  /** Profile of callers without a token. Absent: they are answered 401. A token that is not accepted is 401 in any case. */
  readonly anonymous?: string | undefined;
  /** Scheme and host under which clients reach the server, where a proxy stands before it: `https://skills.example.com`. */
  readonly url?: string | undefined;
  /** Where clients get tokens. Absent: from a person, as those of `skillwire token` are. */
  readonly authorizationServer?: AuthorizationServer | undefined;
  /** Scopes that a token must have. */
  readonly requiredScopes?: readonly string[] | undefined;
}
