/**
 * Errors for HTTP answers that do not answer an MCP request: missing credentials, a server error, or another program.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import type { HttpCredentials } from './http-credentials.ts';
import { type RpcError, rpcErrorOf } from './wire.ts';

export interface HttpFacts {
  readonly url: string;
  readonly status: number;
  readonly type: string | undefined;
  /** The body, or its beginning. */
  readonly text: string;
  /** The header `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
}

/** The media type without its parameters. */
export function essence(type: string | undefined): string {
  return (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

type UsedCredentials = Pick<HttpCredentials, 'present' | 'remedy'>;

/** @param challenge the header `WWW-Authenticate` */
export function notAuthorized(
  url: string,
  status: number,
  { present, remedy }: UsedCredentials,
  challenge: string | undefined,
): SkillwireError {
  const state =
    status === 403
      ? 'access is denied (HTTP 403)'
      : present
        ? 'the server rejects the credentials (HTTP 401)'
        : 'the server requires credentials (HTTP 401)';
  return new SkillwireError(
    'NOT_AUTHORIZED',
    `Cannot read ${quoteText(url)}: ${state}. ${remedy ?? credentialRemedy(`mcp:${url}`, challenge)}`,
    { data: { url, status } },
  );
}

/** @param origin the origin as a command names it */
export function credentialRemedy(origin: string, challenge: string | undefined): string {
  if (challenge === undefined || !/\bresource_metadata=/i.test(challenge))
    return 'Pass a valid token, for example with --token-env NAME.';
  return `Run "skillwire login ${shortText(origin)}", or pass a token with --token-env NAME.`;
}

export function httpFailure(facts: HttpFacts, credentials: UsedCredentials): SkillwireError | RpcError {
  const { url, status, type, text } = facts;
  if (status === 401 || status === 403) return notAuthorized(url, status, credentials, facts.challenge);
  const rpc = essence(type) === 'application/json' ? rpcErrorOf(tryJson(text)) : undefined;
  if (rpc !== undefined) return rpc;
  const seen = `HTTP ${status}, ${type === undefined ? 'no content type' : shortText(type)}, ${quoteText(text)}`;
  const data = { url, status, type };
  if (status >= 500 || status === 429)
    return new SkillwireError(
      'ORIGIN_FAILED',
      `Cannot read ${quoteText(url)}: the server has an error (${seen}). Try again later.`,
      {
        data,
      },
    );
  return new SkillwireError(
    'BAD_ANSWER',
    `${quoteText(url)} does not answer like an MCP server (${seen}). Check the address.`,
    { data },
  );
}

export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
