/** The caller of a request, from the token that whoever mounted us has verified. */
import type { Principal } from '../../sources/skill-source.ts';

/** What both major versions of the SDK hand on about a token. */
interface TokenInfo {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** The subject of the token where it names one, else the client that it was issued to. */
export function principalOf(token: TokenInfo | undefined): Principal | undefined {
  if (token === undefined) return undefined;
  const subject = token.extra?.sub;
  return { id: typeof subject === 'string' ? subject : token.clientId, scopes: token.scopes };
}
