/**
 * The published metadata of an issuer: OpenID Connect Discovery and RFC 8414, in the order of MCP authorization. A document that names
 * another issuer is not used.
 */
import { SkillwireError } from '../../../errors.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { isJsonObject } from '../../../skill/json.ts';

export type IssuerFetch = typeof globalThis.fetch;

export interface IssuerMetadata {
  readonly issuer: string;
  readonly jwks_uri?: string;
  readonly introspection_endpoint?: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly end_session_endpoint?: string;
  readonly [field: string]: unknown;
}

const serverDocument = '/.well-known/oauth-authorization-server';
const openidDocument = '/.well-known/openid-configuration';

/** The addresses of the metadata, in the order of the specification. */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  if (path === '') return [`${origin}${serverDocument}`, `${origin}${openidDocument}`];
  return [
    `${origin}${serverDocument}${path}`,
    `${origin}${openidDocument}${path}`,
    `${origin}${path}${openidDocument}`,
  ];
}

/** @throws SkillwireError BAD_ANSWER, or an error of the request */
export async function fetchIssuerMetadata(issuer: string, fetch: IssuerFetch): Promise<IssuerMetadata> {
  for (const url of metadataUrls(issuer)) {
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      if (answer.status >= 500) throw failed(issuer, `${quoteText(url)} answers HTTP ${answer.status}`);
      continue;
    }
    const document = await jsonIn(answer);
    // Some servers answer every path with a page.
    if (!isJsonObject(document)) continue;
    if (document['issuer'] !== issuer)
      throw failed(issuer, `${quoteText(url)} names the issuer ${quoteText(String(document['issuer']))}`);
    return document as unknown as IssuerMetadata;
  }
  throw failed(issuer, 'it publishes no metadata');
}

/** `undefined` if the body is not JSON. */
export async function jsonIn(answer: Response): Promise<unknown> {
  try {
    return JSON.parse(await answer.text());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function failed(issuer: string, why: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use the issuer ${quoteText(issuer)}: ${why}. Check "access.oidc".`, {
    data: { issuer },
  });
}
