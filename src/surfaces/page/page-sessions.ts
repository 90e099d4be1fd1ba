/**
 * Who may decide about skills in the page (sec:V-8). On loopback a link that works once signs a browser in; elsewhere, or besides, a
 * token does. A session is a cookie that scripts cannot read and that other sites do not send. Every change needs three things at once:
 * that cookie, a secret that only pages of this origin can read, and a request that says it comes from such a page.
 *
 * A wrong link or token costs an attempt, and after a few of them none is looked at for a while.
 */
import { limits } from '../../limits.ts';
import type { PlainRequest } from '../plain-answer.ts';
import type { SessionInfo } from './page-data.ts';

export interface SessionsOptions {
  /** Whether links are given out. */
  readonly links: boolean;
  readonly token?: string;
  /** Whether a reader without a session may see what names files of the server. */
  trusts(request: PlainRequest): boolean;
  readonly now?: () => number;
  /** Told when a link was used, so that another one can be shown. */
  readonly onLinkUsed?: () => void;
}

export type SignIn =
  | { readonly ok: true; readonly cookie: string; readonly info: SessionInfo }
  | { readonly ok: false; readonly status: 401 | 429; readonly message: string };

export interface PageSessions {
  /** The part of a link that signs in, once; undefined where there are no links. */
  linkKey(): string | undefined;
  signIn(given: { readonly key?: string; readonly token?: string }, request: PlainRequest): Promise<SignIn>;
  info(request: PlainRequest): SessionInfo;
  /** Why the request may not change anything; undefined where it may. */
  refusal(request: PlainRequest): { readonly status: 401 | 403; readonly message: string } | undefined;
  /** The cookie that signs out. */
  signOut(request: PlainRequest): string;
}

interface Session {
  readonly csrf: string;
  readonly until: number;
}

/** Browsers send cookies of one port to all ports of a host, so servers on one machine have names of their own. */
function cookieName(request: PlainRequest): string {
  return `skillwire-page-${/:(\d+)$/.exec(request.header('host') ?? '')?.[1] ?? ''}`;
}

export const csrfHeader = 'x-skillwire-csrf';

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

const encoder = new TextEncoder();

/** Takes as long for any text of any length: hashes are compared, all bytes of them. */
async function sameSecret(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all(
    [a, b].map(async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))),
  );
  let difference = 0;
  for (const [index, byte] of (left ?? new Uint8Array(0)).entries()) difference |= byte ^ (right?.[index] ?? 1);
  return difference === 0;
}

function cookieIn(request: PlainRequest): string | undefined {
  for (const part of (request.header('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === cookieName(request) && value !== undefined && value !== '') return value;
  }
  return undefined;
}

function setCookie(request: PlainRequest, value: string, seconds: number): string {
  // No "Secure": on loopback there is no TLS, and a proxy that has it may add it. No path: the page may lie below a prefix.
  return `${cookieName(request)}=${value}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

/** Whether the request was sent by a page of this very server. */
function isOwnPage(request: PlainRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = request.header('origin');
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === request.header('host')?.toLowerCase();
}

export function createSessions(options: SessionsOptions): PageSessions {
  const { links, token, trusts, now = Date.now, onLinkUsed } = options;
  const sessions = new Map<string, Session>();
  let key = links ? randomText() : undefined;
  let failures = { since: 0, count: 0 };

  function sessionOf(request: PlainRequest): Session | undefined {
    const id = cookieIn(request);
    const session = id === undefined ? undefined : sessions.get(id);
    if (id !== undefined && session !== undefined && session.until <= now()) sessions.delete(id);
    return session !== undefined && session.until > now() ? session : undefined;
  }

  function infoOf(request: PlainRequest, session: Session | undefined): SessionInfo {
    return {
      trusted: session !== undefined || trusts(request),
      mayApprove: session !== undefined,
      ...(session === undefined ? {} : { csrf: session.csrf }),
      signIn: token !== undefined ? 'token' : links ? 'link' : 'none',
    };
  }

  function isBlocked(): boolean {
    if (now() - failures.since > limits.page.attemptsMs) failures = { since: now(), count: 0 };
    return failures.count >= limits.page.attempts;
  }

  async function knows(given: { readonly key?: string; readonly token?: string }): Promise<boolean> {
    if (given.key !== undefined) {
      // Whoever asks second while the first comparison runs finds another key.
      const expected = key;
      if (expected === undefined || !(await sameSecret(given.key, expected)) || key !== expected) return false;
      key = randomText();
      onLinkUsed?.();
      return true;
    }
    return given.token !== undefined && token !== undefined && sameSecret(given.token, token);
  }

  return {
    linkKey: () => key,

    async signIn(given, request) {
      if (!isOwnPage(request)) return { ok: false, status: 401, message: 'cannot sign in from another site' };
      if (isBlocked())
        return { ok: false, status: 429, message: 'cannot sign in: too many wrong attempts; wait a minute' };
      if (!(await knows(given))) {
        failures = { ...failures, count: failures.count + 1 };
        const what = given.key === undefined ? 'the token is not the one of this server' : 'the link was used already';
        return { ok: false, status: 401, message: `cannot sign in: ${what}` };
      }
      const id = randomText();
      const session = { csrf: randomText(), until: now() + limits.page.sessionMs };
      sessions.set(id, session);
      const [oldest] = sessions.keys();
      if (sessions.size > limits.page.sessions && oldest !== undefined) sessions.delete(oldest);
      return { ok: true, cookie: setCookie(request, id, limits.page.sessionMs / 1000), info: infoOf(request, session) };
    },

    info: (request) => infoOf(request, sessionOf(request)),

    refusal(request) {
      const session = sessionOf(request);
      if (session === undefined)
        return { status: 401, message: 'cannot change anything: open the link that "skillwire serve" printed first' };
      if (request.header(csrfHeader) !== session.csrf || !isOwnPage(request))
        return {
          status: 403,
          message: 'cannot change anything: the request does not come from the page of this server',
        };
      return undefined;
    },

    signOut(request) {
      const id = cookieIn(request);
      if (id !== undefined) sessions.delete(id);
      return setCookie(request, '', 0);
    },
  };
}
