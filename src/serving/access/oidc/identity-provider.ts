/** The settings of an identity provider, with the values of its secrets, and what is known of a verified person or program. */
import type { ClaimRule, Claims } from './claim-rules.ts';

/** Signature algorithms with a public key. Others would let a reader of the key make tokens. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

export const usualAlgorithms: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];

/** A client of the identity provider: this server. */
export interface ProviderClient {
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string | undefined;
}

export interface Introspection extends ProviderClient {
  /** Default: the endpoint in the metadata of the issuer. */
  readonly url?: string | undefined;
}

export interface SignIn extends ProviderClient {
  /** For people. Default: the host of the issuer. */
  readonly name?: string | undefined;
  /** Besides `openid`. */
  readonly scopes: readonly string[];
}

export interface IdentityProvider {
  /** Exactly as in its tokens and metadata. */
  readonly issuer: string;
  /** A token must be for one of these. */
  readonly audience: readonly string[];
  /** The claim that names the audience. Some issuers have only `client_id`. */
  readonly audienceClaim: 'aud' | 'client_id';
  /** The claim that names the person or program. */
  readonly subjectClaim: string;
  /** Address of the signing keys. Default: from the metadata of the issuer. */
  readonly jwks?: string | undefined;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** A token must have all of these. */
  readonly scopes: readonly string[];
  readonly rules: readonly ClaimRule[];
  /** For tokens that are not JWTs. */
  readonly introspection?: Introspection | undefined;
  /** For the page. */
  readonly signIn?: SignIn | undefined;
}

/** A verified person or program. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** Seconds since 1970, with tolerance for clocks. */
  readonly expiresAt: number;
  /** The claim `jti`. */
  readonly tokenId?: string | undefined;
}
