/**
 * Who may decide about skills in the page (sec:V-8). On loopback a link that works once signs a browser in; elsewhere, or besides, a
 * token does. A session is a cookie that scripts cannot read and that other sites do not send. Every change needs three things at once:
 * that cookie, a secret that only pages of this origin can read, and a request that says it comes from such a page.
 *
 * Wrong tokens are counted, and after a few of them no token is checked for a while. Links are random and too long to guess, so they are
 * always checked: wrong attempts of others never lock out the owner of a link.
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
  /** Whether links are given out. */
  readonly links: boolean;
  readonly token?: string;
  /** Whether a reader without a session may see what names files of the server. */
  trusts(request: PageRequest): boolean;
  readonly now?: () => number;
  /** Told when a link was used, so that another one can be shown. */
  readonly onLinkUsed?: () => void;
}

interface SigningIn {
  readonly key?: string;
  readonly token?: string;
}

export type SignIn =
  | { readonly ok: true; readonly cookie: string; readonly info: SessionInfo }
  | { readonly ok: false; readonly status: 401 | 429; readonly message: string };

export interface PageSessions {
  /** The part of a link that signs in, once; undefined where there are no links. */
  linkKey(): string | undefined;
  signIn(given: SigningIn, request: PageRequest): Promise<SignIn>;
  info(request: PageRequest): SessionInfo;
  /** Why the request may not change anything; undefined where it may. */
  refusal(request: PageRequest): { readonly status: 401 | 403; readonly message: string } | undefined;
  /** The cookie that signs out; undefined where the request does not come from the page. */
  signOut(request: PageRequest): string | undefined;
}

type Refused = Extract<SignIn, { readonly ok: false }>;

interface Session {
  readonly csrf: string;
}

export function createSessions(options: SessionsOptions): PageSessions {
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
    // Whoever asks second while the first comparison runs finds another key.
    const expected = key;
    if (expected === undefined || !(await sameSecret(link, expected)) || key !== expected) return false;
    key = randomText();
    onLinkUsed?.();
    return true;
  }

  /** Why the request is not signed in; `undefined` if it is. */
  async function refused(given: SigningIn, { sender }: PageRequest): Promise<Refused | undefined> {
    const refusal = (status: Refused['status'], why: string): Refused => ({
      ok: false,
      status,
      message: `cannot sign in: ${why}`,
    });
    if (given.key !== undefined) return (await uses(given.key)) ? undefined : refusal(401, 'the link was used already');
    const wasRight = attempts.begin(sender);
    if (wasRight === undefined) return refusal(429, 'too many wrong attempts; wait a minute');
    if (given.token === undefined || token === undefined || !(await sameSecret(given.token, token)))
      return refusal(401, 'the token is not the one of this server');
    wasRight();
    return undefined;
  }

  return {
    linkKey: () => key,

    async signIn(given, request) {
      if (!isOwnPage(request)) return { ok: false, status: 401, message: 'cannot sign in from another site' };
      const refusal = await refused(given, request);
      if (refusal !== undefined) return refusal;
      const session = { csrf: randomText() };
      const cookie = setCookie(request, sessions.add(session), limits.page.sessionMs / 1000);
      return { ok: true, cookie, info: infoOf(request, session) };
    },

    info: (request) => infoOf(request, sessions.get(request)),

    refusal(request) {
      const session = sessions.get(request);
      if (session === undefined)
        return { status: 401, message: 'cannot change anything: open the link that "skillwire serve" printed first' };
      if (!sameText(request.header(csrfHeader) ?? '', session.csrf) || !isOwnPage(request))
        return {
          status: 403,
          message: 'cannot change anything: the request does not come from the page of this server',
        };
      return undefined;
    },

    signOut(request) {
      if (this.refusal(request) !== undefined) return undefined;
      sessions.delete(request);
      return setCookie(request, '', 0);
    },
  };
}
