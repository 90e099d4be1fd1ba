/**
 * Sessions of the page on a server that asks for tokens. A browser gives its token once; from then on its cookie stands for the token in
 * requests for the page, and for nothing else. The token is verified again with each of them, by whoever lets requests in: so a
 * session ends with its token, and shows what the token's profile shows. Tokens are in memory alone.
 *
 * What changes something needs a token with the right to approve, and of a browser also the secret and the origin of its page. A program
 * sends the token itself, which no other site can make a browser do.
 */
import { limits } from '../../limits.ts';
import type { PlainAnswer } from '../plain-answer.ts';
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

/** What is known about who sent a token. */
export interface TokenHolder {
  readonly name?: string | undefined;
  readonly profile: string;
  readonly approver: boolean;
  readonly operator: boolean;
}

export interface TokenSessions {
  /** The token that a request's cookie stands for. */
  tokenOf(request: Pick<PageRequest, 'header'>): string | undefined;
  /** Forgets the session of a token that is no longer accepted. */
  forget(request: Pick<PageRequest, 'header'>): void;
  /** `POST /api/session`, for everybody. */
  signIn(request: PageRequest): Promise<PlainAnswer>;
  /** `GET /api` for who was not let in: that there is something to sign in to. */
  locked(): PlainAnswer;
  /** How the page treats whoever was let in; undefined for those without a token. */
  of(holder: TokenHolder | undefined): PageSessions;
}

export interface TokenSessionsOptions {
  /** Who the token belongs to, if it is accepted. */
  accepts(token: string): Promise<TokenHolder | undefined>;
  /** Whether browsers reach the server over TLS. */
  readonly secure: boolean;
  readonly now?: () => number;
}

interface Session {
  readonly token: string;
  readonly csrf: string;
}

export function createTokenSessions({ accepts, secure, now = Date.now }: TokenSessionsOptions): TokenSessions {
  const sessions = sessionBook<Session>(now);
  const attempts = countAttempts(now);

  function infoOf(holder: TokenHolder | undefined, csrf: string | undefined): SessionInfo {
    if (holder === undefined) return { trusted: false, mayApprove: false, signIn: 'token' };
    const { name, profile, approver, operator } = holder;
    return { trusted: approver || operator, mayApprove: approver, csrf, name, profile, operator, signIn: 'token' };
  }

  function isFromPage(request: PageRequest): boolean {
    const session = sessions.get(request);
    return session !== undefined && sameText(request.header(csrfHeader) ?? '', session.csrf) && isOwnPage(request);
  }

  function refusalOf(holder: TokenHolder | undefined, request: PageRequest): ReturnType<PageSessions['refusal']> {
    if (holder === undefined) return { status: 401, message: 'cannot change anything: sign in with a token first' };
    if (!holder.approver) return { status: 403, message: 'cannot change anything: this token has no right to approve' };
    if (request.header('authorization') !== undefined) return undefined;
    if (isFromPage(request)) return undefined;
    return { status: 403, message: 'cannot change anything: the request does not come from the page of this server' };
  }

  return {
    tokenOf: (request) => sessions.get(request)?.token,
    forget: (request) => sessions.delete(request),

    async signIn(request) {
      const refused = (status: number, why: string): PlainAnswer =>
        errorAnswer(status, 'NOT_AUTHORIZED', `cannot sign in: ${why}`);
      if (!isOwnPage(request)) return refused(401, 'the request comes from another site');
      const token = textField(bodyOf(request), 'token', limits.access.tokenCharacters);
      const wasRight = attempts.begin(request.sender);
      if (wasRight === undefined) return refused(429, 'too many wrong attempts; wait a minute');
      const holder = await accepts(token);
      if (holder === undefined) return refused(401, 'the token is not accepted');
      wasRight();
      sessions.delete(request);
      const session = { token, csrf: randomText() };
      const cookie = setCookie(request, sessions.add(session), limits.page.sessionMs / 1000, secure);
      return doneAnswer(infoOf(holder, session.csrf), { 'set-cookie': cookie });
    },

    locked: () => doneAnswer({ name: 'skillwire', locked: true } satisfies LockedInfo),

    of: (holder) => ({
      linkKey: () => undefined,
      signIn: async () => ({ ok: false, status: 401, message: 'cannot sign in here' }),
      info: (request) => infoOf(holder, sessions.get(request)?.csrf),
      refusal: (request) => refusalOf(holder, request),
      signOut(request) {
        if (!isFromPage(request)) return undefined;
        sessions.delete(request);
        return setCookie(request, '', 0, secure);
      },
    }),
  };
}
