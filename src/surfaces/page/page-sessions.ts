/**
 * Sessions of people who may decide about skills on the page (sec:V-8). On loopback a one-time link signs a browser in; a token does so
 * everywhere. A session is a cookie that scripts cannot read and other sites do not send. Every change needs three things: the cookie, a
 * secret that only our pages can read, and headers of a request from such a page.
 *
 * After a few wrong tokens, no token is checked for a while. Links are too long to guess and always checked, so attempts of others never
 * lock out the owner of a link.
 */
import { limits } from '../../limits.ts';
import type { SessionInfo } from './page-data.ts';
import type { PageRequest } from './page-request.ts';
import {
  countAttempts,
  csrfHeader,
  isOwnPage,
  randomText,
  sameSecret,
  sameText,
  sessionBook,
  setCookie,
} from './session-cookie.ts';

export interface SessionsOptions {
  /** True if sign-in links are available. */
  readonly links: boolean;
  readonly token?: string;
  /** True if a reader without a session may see server paths. */
  trusts(request: PageRequest): boolean;
  readonly now?: () => number;
  /** Called when a link was used, so that a new one can be shown. */
  readonly onLinkUsed?: () => void;
}

interface SigningIn {
  readonly key?: string;
  readonly token?: string;
}

export type SignInResult =
  | { readonly ok: true; readonly cookie: string; readonly info: SessionInfo }
  | { readonly ok: false; readonly status: 401 | 429; readonly message: string };

export interface SignedOut {
  readonly cookie: string;
  /** The address at which the browser signs out at the identity provider. */
  readonly endSession?: string | undefined;
}

type Refused = Extract<SignInResult, { readonly ok: false }>;

interface Session {
  readonly csrf: string;
}

export function createSessions(options: SessionsOptions) {
  const { links, token, trusts, now = Date.now, onLinkUsed } = options;
  const sessions = sessionBook<Session>(now);
  const attempts = countAttempts(now);
  let key = links ? randomText() : undefined;

  function infoOf(request: PageRequest, session: Session | undefined): SessionInfo {
    return {
      trusted: session !== undefined || trusts(request),
      mayApprove: session !== undefined,
      csrf: session?.csrf,
      signIn: token !== undefined ? 'token' : links ? 'link' : 'none',
    };
  }

  async function uses(link: string): Promise<boolean> {
    // A concurrent second request with the same key finds another key.
    const expected = key;
    if (expected === undefined || !(await sameSecret(link, expected)) || key !== expected) return false;
    key = randomText();
    onLinkUsed?.();
    return true;
  }

  /** Why the request is not signed in; `undefined` if it is. */
  async function refused(credentials: SigningIn, { sender }: PageRequest): Promise<Refused | undefined> {
    const refusal = (status: Refused['status'], why: string): Refused => ({
      ok: false,
      status,
      message: why,
    });
    if (credentials.key !== undefined)
      return (await uses(credentials.key)) ? undefined : refusal(401, 'This link was already used.');
    const accept = attempts.begin(sender);
    if (accept === undefined) return refusal(429, 'Too many wrong attempts. Wait a minute.');
    if (credentials.token === undefined || token === undefined || !(await sameSecret(credentials.token, token)))
      return refusal(401, 'That token was not accepted.');
    accept();
    return undefined;
  }

  return {
    /** The one-time key of a sign-in link; `undefined` without links. */
    linkKey: (): string | undefined => key,

    async signIn(credentials: SigningIn, request: PageRequest): Promise<SignInResult> {
      if (!isOwnPage(request)) return { ok: false, status: 401, message: 'Sign-in from another site is not allowed.' };
      const refusal = await refused(credentials, request);
      if (refusal !== undefined) return refusal;
      const session = { csrf: randomText() };
      const cookie = setCookie(request, sessions.add(session), limits.page.sessionMs / 1000);
      return { ok: true, cookie, info: infoOf(request, session) };
    },

    info: (request: PageRequest): SessionInfo => infoOf(request, sessions.get(request)),

    /** Why the request may not change anything; `undefined` if it may. */
    refusal(request: PageRequest): { readonly status: 401 | 403; readonly message: string } | undefined {
      const session = sessions.get(request);
      if (session === undefined)
        return { status: 401, message: 'Sign in first: open the link that "skillwire serve" printed.' };
      if (!sameText(request.header(csrfHeader) ?? '', session.csrf) || !isOwnPage(request))
        return {
          status: 403,
          message: 'Only the page of this server can make changes.',
        };
      return undefined;
    },

    /** Signs out; `undefined` if the request does not come from the page. */
    async signOut(request: PageRequest): Promise<SignedOut | undefined> {
      if (this.refusal(request) !== undefined) return undefined;
      sessions.delete(request);
      return { cookie: setCookie(request, '', 0) };
    },
  };
}

export type PageSessions = ReturnType<typeof createSessions>;
