/** Errors for answers of a site that are not skills: not authorized, not found, not an index. */
import { type ErrorCode, SkillwireError } from '../../errors.ts';
import { displayText, quoteText, shortText } from '../../skill/display-text.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { credentialRemedy } from '../mcp-server/http-failure.ts';
import type { SiteAnswer } from './site-http.ts';

type FailedAnswer = Extract<SiteAnswer, { ok: false }>;

/**
 * Quotes an address for a message: in full, so that a person can look it up, but without its query, which may contain a
 * secret.
 */
export function quoteUrl(address: string): string {
  if (!URL.canParse(address)) return quoteText(address);
  const { protocol, host, pathname, search } = new URL(address);
  return `"${displayText(`${protocol}//${host}${pathname}`)}${search === '' ? '' : '?...'}"`;
}

/** Describes an answer for people who want to know what is at that address. */
function described({ status, type, text }: Pick<FailedAnswer, 'status' | 'type' | 'text'>): string {
  const body = text.trim() === '' ? 'empty' : quoteText(text.trim().replace(/\s+/g, ' '));
  return `HTTP ${status}, ${type === '' ? 'no content type' : shortText(type)}, ${body}`;
}

/** For any status without content. */
export function statusError(what: string, answer: FailedAnswer, authenticated: boolean): SkillwireError {
  const { status, url, type } = answer;
  const data = { url, status, type };
  const error = (code: ErrorCode, fault: string): SkillwireError =>
    new SkillwireError(code, `Cannot read ${what}: ${fault}`, { data });
  if (status === 401) {
    const state = authenticated ? 'rejects the credentials' : 'requires credentials';
    return error(
      'NOT_AUTHORIZED',
      `the site ${state} (HTTP 401). ${answer.remedy ?? credentialRemedy(new URL(url).origin, answer.challenge)}`,
    );
  }
  if (status === 403)
    return error('NOT_AUTHORIZED', 'access is denied (HTTP 403). Ask the operator, or use other credentials.');
  if (status === 404 || status === 410) return error('FILE_NOT_FOUND', `it does not exist (HTTP ${status}).`);
  if (status >= 500 || status === 429)
    return error('ORIGIN_FAILED', `the site has an error (${described(answer)}). Try again later.`);
  return error('BAD_ANSWER', `unexpected answer (${described(answer)}).`);
}

export function noIndex(site: string, tried: readonly string[]): SkillwireError {
  const [first = site] = tried;
  return new SkillwireError(
    'NO_INDEX',
    `${quoteText(site)} publishes no skills: there is no index at ${tried.map(quoteUrl).join(', ')}. ` +
      `Check the address, or use "mcp:${shortText(site)}" for an MCP server.`,
    { data: { site, tried, url: first } },
  );
}

export function notAnIndex(url: string, type: string, text: string): SkillwireError {
  return new SkillwireError(
    'NOT_AN_INDEX',
    `${quoteUrl(url)} is a page, perhaps a login, not an index (${described({ status: 200, type, text })}). ` +
      'Pass credentials with --token-env or --header, or check the address.',
    { data: { url, status: 200, type } },
  );
}

export function unknownForm(url: string, schema: string): SkillwireError {
  return new SkillwireError(
    'INDEX_UNSUPPORTED',
    `Cannot use the index ${quoteUrl(url)}: unknown format (${shortText(schema)}). Use a newer version of skillwire.`,
    { data: { url, schema } },
  );
}

export function redirectFinding(from: string, to: string): Finding {
  return finding('site-elsewhere', `${quoteUrl(from)} redirects to ${quoteUrl(to)}, which is another origin`);
}

export function movedOrigin(site: string, before: string, now: string): SkillwireError {
  return new SkillwireError(
    'ORIGIN_MOVED',
    `${quoteText(site)} redirected to ${quoteText(before)} and now redirects to ${quoteText(now)}. ` +
      'If you trust that, restart, or use the new address.',
    { data: { site, before, now } },
  );
}
