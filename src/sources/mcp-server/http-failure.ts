/** What an HTTP answer means that is no answer to an MCP request: credentials, an error of the server, or another program. */
import { SkillwireError } from '../../errors.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { type RpcError, rpcErrorOf } from './wire.ts';

export interface HttpFacts {
  readonly url: string;
  readonly status: number;
  readonly type: string | undefined;
  /** The beginning of the body, or all of it. */
  readonly text: string;
}

/** The media type without its parameters. */
export function essence(type: string | undefined): string {
  return (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function notAuthorized(url: string, status: number, hasCredentials: boolean): SkillwireError {
  const state =
    status === 403
      ? 'the server does not allow it (HTTP 403)'
      : hasCredentials
        ? 'the server does not accept the credentials (HTTP 401)'
        : 'the server wants credentials (HTTP 401)';
  return new SkillwireError(
    'NOT_AUTHORIZED',
    `cannot read ${quoteText(url)}: ${state}; give a valid token, for example with --token-env NAME`,
    { data: { url, status } },
  );
}

/** The error for an answer without a result. */
export function httpFailure(facts: HttpFacts, hasCredentials: boolean): SkillwireError | RpcError {
  const { url, status, type, text } = facts;
  if (status === 401 || status === 403) return notAuthorized(url, status, hasCredentials);
  const rpc = essence(type) === 'application/json' ? rpcErrorOf(tryJson(text)) : undefined;
  if (rpc !== undefined) return rpc;
  const seen = `HTTP ${status}, ${type === undefined ? 'no content type' : shortText(type)}, ${quoteText(text)}`;
  const data = { url, status, type };
  if (status >= 500 || status === 429)
    return new SkillwireError('ORIGIN_FAILED', `cannot read ${quoteText(url)}: the server has an error (${seen})`, {
      data,
    });
  return new SkillwireError(
    'BAD_ANSWER',
    `cannot read ${quoteText(url)}: this is not an answer of an MCP server (${seen}); check the address`,
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
