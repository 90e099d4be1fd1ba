/**
 * Page sessions on a server with tokens. A browser sends its token once; then its cookie replaces the token in requests for the page only. The
 * access gate verifies the token with each request, so a session ends with its token and shows the token's profile. Tokens are stored in
 * memory only.
 *
 * Changes need a token with approval rights and, in a browser, the secret and the Origin header of our page. A program sends the token itself,
 * which no other site can make a browser do.
 */
import { limits } from '../../limits.ts';
import type { SignedIn, SignInProvider } from '../../serving/access/oidc/page-sign-in.ts';
import type { PlainAnswer } from '../plain-answer.ts';
import { dataPath } from '../routes.ts';
import { bodyOf, doneAnswer, errorAnswer, textField } from './json-answer.ts';
import type { LockedInfo, SessionInfo } from './page-data.ts';
import type { PageRequest } from './page-request.ts';
import type { PageSessions } from './page-sessions.ts';
import {
  countAttempts,
  csrfHeader,
  isOwnPage,
  randomText,
  sameText,
  sessionBook,
  setCookie,
} from './session-cookie.ts';

/** The owner of a token. */
export interface TokenHolder {
  readonly name?: string | undefined;
  readonly profile: string;
  readonly approver: boolean;
  readonly operator: boolean;
  /** The person, as an identity provider names them. */
  readonly subject?: { readonly issuer: string; readonly id: string } | undefined;
}

export interface TokenSessionsOptions {
  /** The owner of the token, if it is valid. */
  accepts(token: string): Promise<TokenHolder | undefined>;
  /** True if browsers reach the server over TLS. */
  readonly secure: () => boolean;
  /** The identity providers that people can sign in with. */
  readonly providers: () => readonly SignInProvider[];
  readonly now?: () => number;
}

interface Session {
  readonly token: string;
  readonly csrf: string;
  /** The address at which the browser signs out at the identity provider. */
  readonly endSession?: string | undefined;
}

export function createTokenSessions({ accepts, secure, providers, now = Date.now }: TokenSessionsOptions) {
  const sessions = sessionBook<Session>(now);
  const attempts = countAttempts(now);

  function infoOf(holder: TokenHolder | undefined, csrf: string | undefined): SessionInfo {
    if (holder === undefined) return { trusted: false, mayApprove: false, signIn: 'token' };
    const { name, profile, approver, operator, subject } = holder;
    return {
      trusted: approver || operator,
      mayApprove: approver,
      csrf,
      name,
      subject,
      profile,
      operator,
      signIn: 'token',
    };
  }

  function isFromPage(request: PageRequest): boolean {
    const session = sessions.get(request);
    return session !== undefined && sameText(request.header(csrfHeader) ?? '', session.csrf) && isOwnPage(request);
  }

  function refusalOf(holder: TokenHolder | undefined, request: PageRequest): ReturnType<PageSessions['refusal']> {
    if (holder === undefined) return { status: 401, message: 'Sign in with a token first.' };
    if (!holder.approver) return { status: 403, message: 'You may not approve skills here.' };
    if (request.header('authorization') !== undefined || isFromPage(request)) return undefined;
    return { status: 403, message: 'Only the page of this server can make changes.' };
  }

  return {
    /** The token behind the cookie of a request. */
    tokenOf: (request: Pick<PageRequest, 'header'>): string | undefined => sessions.get(request)?.token,
    /** Ends the session of an invalid token. */
    forget: (request: Pick<PageRequest, 'header'>): void => sessions.delete(request),

    /** `POST /api/session`, for everybody. */
    async signIn(request: PageRequest): Promise<PlainAnswer> {
      const refused = (status: number, why: string): PlainAnswer => errorAnswer(status, 'NOT_AUTHORIZED', why);
      if (!isOwnPage(request)) return refused(401, 'Sign-in from another site is not allowed.');
      const token = textField(bodyOf(request), 'token', limits.access.tokenCharacters);
      const accept = attempts.begin(request.sender);
      if (accept === undefined) return refused(429, 'Too many wrong attempts. Wait a minute.');
      const holder = await accepts(token);
      if (holder === undefined) return refused(401, 'That token was not accepted.');
      accept();
      sessions.delete(request);
      const session = { token, csrf: randomText() };
      const cookie = setCookie(request, sessions.add(session), limits.page.sessionMs / 1000, secure());
      return doneAnswer(infoOf(holder, session.csrf), { 'set-cookie': cookie });
    },

    /** Opens a session for a person who signed in at an identity provider. Returns the cookie. */
    open(request: PageRequest, { token, endSession }: SignedIn): string {
      sessions.delete(request);
      const id = sessions.add({ token, csrf: randomText(), endSession });
      // The same path as after sign-in with a token, so that a browser has one cookie.
      return setCookie(request, id, limits.page.sessionMs / 1000, secure(), dataPath);
    },

    /** `GET /api` before sign-in. */
    locked(): PlainAnswer {
      const locked: LockedInfo = { name: 'skillwire', locked: true, providers: [...providers()] };
      return doneAnswer(locked);
    },

    /** The sessions for an admitted reader; `undefined` for readers without a token. */
    of: (holder: TokenHolder | undefined): PageSessions => ({
      linkKey: () => undefined,
      signIn: async () => ({ ok: false, status: 401, message: 'Sign-in is not available here.' }),
      info: (request) => infoOf(holder, sessions.get(request)?.csrf),
      refusal: (request) => refusalOf(holder, request),
      signOut(request) {
        if (!isFromPage(request)) return undefined;
        const endSession = sessions.get(request)?.endSession;
        sessions.delete(request);
        return { cookie: setCookie(request, '', 0, secure()), endSession };
      },
    }),
  };
}
