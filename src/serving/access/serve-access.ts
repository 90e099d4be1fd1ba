/**
 * The port between token verification and the surfaces: who may use a server, and which skills each caller sees.
 * `token-book.ts` implements `verify` for our own tokens. An embedding program may implement it for others, such as
 * OAuth.
 */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import type { SignInPort } from './oidc/page-sign-in.ts';
import type { Profile } from './profile.ts';
import type { StoredSessions } from './stored-sessions.ts';

/** A caller whose token was verified. */
export interface Caller {
  /** Unique within the verifier. Sources see it as the principal. */
  readonly id: string;
  /** Name of the profile. With an unknown one, the caller sees nothing and gets 403. */
  readonly profile: string;
  /** True if the caller may also see the health of the server: `/metrics`, and skills that wait for approval. */
  readonly operator?: boolean;
  /** True if the caller may approve, deny and disable the skills of the profile on the page. */
  readonly approver?: boolean;
  /** The caller's name for people and the audit. */
  readonly name?: string;
  /** The person or program, as its issuer names it. Absent for our own tokens. */
  readonly subject?: { readonly issuer: string; readonly id: string };
  /** The id of a token of another issuer (`jti`). */
  readonly tokenId?: string;
  /** Scopes of an OAuth token. */
  readonly scopes?: readonly string[];
  /** Scopes that the token lacks; then it gets 403. */
  readonly missingScopes?: readonly string[];
  /** Seconds since 1970. The token is refused from then on. */
  readonly expiresAt: number;
}

/**
 * Verifies a token; `undefined` if it is not accepted. An error counts as a failure of the server, not of the token.
 */
export type VerifyToken = (token: string) => MaybePromise<Caller | undefined>;

/** Metadata of an OAuth authorization server (RFC 8414), as published. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly response_types_supported: readonly string[];
  readonly [field: string]: unknown;
}

/** Verifies tokens and names the profile of each caller. */
export interface ServeAccess {
  readonly verify: VerifyToken;
  /** The current profile of this name. Queried at each request, so a change takes effect at once. */
  profile(name: string): Profile | undefined;
  /**
   * Returns another text after tokens or profiles may have changed; open streams are then checked again. Without it,
   * streams end when their token expires.
   */
  revision?(): Promise<string>;
  /** Profile of callers without a token. Without it, they get 401. A token that is not accepted always gets 401. */
  readonly anonymous?: string | undefined;
  /** Scheme and host that clients use if the server is behind a proxy: `https://skills.example.com`. */
  readonly url?: string | undefined;
  /** The servers that issue tokens. Default: a person does, as with `skillwire token`. */
  readonly authorizationServer?: AuthorizationServer | undefined;
  /** Issuers of tokens, for the metadata. Default: the one of `authorizationServer`. */
  readonly issuers?: readonly string[] | undefined;
  /** Scopes that a token must have. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Scopes that clients ask for at first. Default: `requiredScopes`. */
  readonly offeredScopes?: readonly string[] | undefined;
  /** Scopes that give a caller the right they lack, for the answer 403. */
  scopesFor?(right: AccessRight, caller: Caller): readonly string[];
  /** Page sessions that other servers can continue. Without it, each server has its own. */
  readonly sessions?: StoredSessions | undefined;
  /** Signs people in on the page. */
  readonly signIn?: SignInPort | undefined;
}

export type AccessRight = 'profile' | 'operator';
