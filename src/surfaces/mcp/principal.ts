/** The caller of a request, from a verified token. */
import type { Principal } from '../../sources/skill-source.ts';

/** The token record of both major versions of the SDK. */
interface TokenInfo {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** The subject of the token, or its client if it has none. */
export function principalOf(token: TokenInfo | undefined): Principal | undefined {
  if (token === undefined) return undefined;
  const subject = token.extra?.sub;
  return { id: typeof subject === 'string' ? subject : token.clientId, scopes: token.scopes };
}
