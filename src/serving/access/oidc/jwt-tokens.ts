/**
 * Verifies JWTs of one issuer: signature with an allowed algorithm, exact issuer, audience, expiry and start (RFC 9068, OAuth 2.1).
 * ID tokens and other kinds of JWTs are not access tokens.
 */
import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import type { Identity, IdentityProvider } from './identity-provider.ts';
import type { KeySet } from './key-set.ts';

/** Most issuers send `JWT` or nothing; RFC 9068 wants `at+jwt`. */
const tokenTypes = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

export const clockToleranceSeconds: number = limits.access.clockToleranceMs / 1000;

/**
 * @returns `undefined` if the token is not accepted
 * @throws SkillwireError if the keys of the issuer cannot be had
 */
export async function verifyJwt(
  token: string,
  provider: IdentityProvider,
  keys: KeySet,
  now: () => number,
): Promise<Identity | undefined> {
  const { issuer, audience, audienceClaim, algorithms } = provider;
  const options = {
    issuer,
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(now()),
    requiredClaims: ['exp'],
    ...(audienceClaim === 'aud' ? { audience: [...audience] } : {}),
  };
  try {
    const { payload, protectedHeader } = await verifiedBy(token, keys, options);
    if (!tokenTypes.has(protectedHeader.typ?.toLowerCase())) return undefined;
    if (audienceClaim === 'client_id' && !audience.includes(String(payload['client_id']))) return undefined;
    return identityOf(payload, provider);
  } catch (error) {
    // Everything but a failure to get keys is a fault of the token.
    if (error instanceof SkillwireError) throw error;
    return undefined;
  }
}

type Options = Parameters<typeof jwtVerify>[2];

/** Several keys without an id may match; then each is tried. */
async function verifiedBy(token: string, keys: KeySet, options: Options): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys.keyFor, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw error;
  }
}

/** `undefined` if the claims name nobody. */
export function identityOf(
  claims: JWTPayload,
  { issuer, subjectClaim }: Pick<IdentityProvider, 'issuer' | 'subjectClaim'>,
): Identity | undefined {
  const subject = Object.hasOwn(claims, subjectClaim) ? claims[subjectClaim] : undefined;
  if (typeof subject !== 'string' || subject === '' || typeof claims.exp !== 'number') return undefined;
  return {
    issuer,
    subject,
    claims,
    expiresAt: claims.exp + clockToleranceSeconds,
    ...(typeof claims.jti === 'string' ? { tokenId: claims.jti } : {}),
  };
}
