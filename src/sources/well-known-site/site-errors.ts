/** What a site answers instead of skills, in words that tell the answers apart: who is not let in, what is not there, what is no index. */
import { SkillwireError } from '../../errors.ts';
import { displayText, quoteText, shortText } from '../../skill/display-text.ts';
import type { SiteAnswer } from './site-http.ts';

type FailedAnswer = Extract<SiteAnswer, { ok: false }>;

/** An address in a message: whole, because it is what a person looks up, but never its query, which may hold a secret. */
export function quoteUrl(address: string): string {
  if (!URL.canParse(address)) return quoteText(address);
  const { protocol, host, pathname, search } = new URL(address);
  return `"${displayText(`${protocol}//${host}${pathname}`)}${search === '' ? '' : '?...'}"`;
}

/** What was seen, for a person who wants to know what that address is. */
function seen({ status, type, text }: Pick<FailedAnswer, 'status' | 'type' | 'text'>): string {
  const said = text.trim() === '' ? 'nothing' : quoteText(text.trim().replace(/\s+/g, ' '));
  return `HTTP ${status}, ${type === '' ? 'no content type' : shortText(type)}, ${said}`;
}

/** For any status that is not an answer with content. */
export function statusError(what: string, answer: FailedAnswer, authenticated: boolean): SkillwireError {
  const { status, url, type } = answer;
  const data = { url, status, type };
  if (status === 401) {
    const state = authenticated ? 'does not accept the credentials' : 'wants credentials';
    return new SkillwireError(
      'NOT_AUTHORIZED',
      `cannot read ${what}: the site ${state} (HTTP 401); give a valid token, for example with --token-env NAME`,
      { data },
    );
  }
  if (status === 403)
    return new SkillwireError(
      'NOT_AUTHORIZED',
      `cannot read ${what}: the site does not allow it (HTTP 403); ask its operator, or give other credentials`,
      { data },
    );
  if (status === 404 || status === 410)
    return new SkillwireError('FILE_NOT_FOUND', `cannot read ${what}: it is not there (HTTP ${status})`, { data });
  if (status >= 500 || status === 429)
    return new SkillwireError(
      'ORIGIN_FAILED',
      `cannot read ${what}: the site has an error (${seen(answer)}); try again later`,
      { data },
    );
  return new SkillwireError('BAD_ANSWER', `cannot read ${what}: the site answers otherwise (${seen(answer)})`, {
    data,
  });
}

export function noIndex(site: string, tried: readonly string[]): SkillwireError {
  const [first = site] = tried;
  return new SkillwireError(
    'NO_INDEX',
    `${quoteText(site)} answers, but publishes no skills: there is no index at ${tried.map((url) => quoteUrl(url)).join(', ')}; ` +
      `check the address, or write "mcp:${shortText(site)}" for an MCP server`,
    { data: { site, tried, url: first } },
  );
}

export function notAnIndex(url: string, type: string, text: string): SkillwireError {
  return new SkillwireError(
    'NOT_AN_INDEX',
    `cannot use ${quoteUrl(url)}: a page came instead of an index, perhaps of a login (${seen({ status: 200, type, text })}); ` +
      'give credentials with --token-env or --header, or check the address',
    { data: { url, status: 200, type } },
  );
}

export function unknownForm(url: string, schema: string): SkillwireError {
  return new SkillwireError(
    'INDEX_UNSUPPORTED',
    `cannot use the index ${quoteUrl(url)}: its form is not known (${shortText(schema)}); use a newer version of skillwire`,
    { data: { url, schema } },
  );
}

export function movedOrigin(site: string, before: string, now: string): SkillwireError {
  return new SkillwireError(
    'ORIGIN_MOVED',
    `${quoteText(site)} led to ${quoteText(before)} and now leads to ${quoteText(now)}; ` +
      'read it again in a new process if you trust that, or name the new address yourself',
    { data: { site, before, now } },
  );
}
