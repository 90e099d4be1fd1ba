/** Tokens of runtimes, by the name of each. Only their hashes are kept and compared, in a time that tells nothing. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authenticate } from '../../runtimes/session.ts';
import { tokenOf } from '../../surfaces/mdp/transport-auth.ts';

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The name of the token that an authentication carries. */
export function createTokenCheck(tokens: Readonly<Record<string, string>>): Authenticate {
  const known = Object.entries(tokens).map(([name, token]) => ({ name, digest: hash(token) }));
  return (auth) => {
    const token = tokenOf(auth);
    if (token === undefined) return undefined;
    const given = hash(token);
    let found: string | undefined;
    for (const { name, digest } of known) if (timingSafeEqual(digest, given)) found = name;
    return found;
  };
}
