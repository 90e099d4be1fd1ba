/**
 * Page sessions on a server with tokens. A browser sends its token once; then its cookie replaces the token in requests for the page only. The
 * access gate verifies the token with each request, so a session ends with its token and shows the token's profile. Tokens are stored in
 * memory. With a shared store, a sealed copy of each session lets the other servers continue it.
 *
 * Changes need a token with approval rights and, in a browser, the secret and the Origin header of our page. A program sends the token itself,
 * which no other site can make a browser do.
 */
import { createBoundedCache } from '../../async/bounded-cache.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { SignedIn, SignInProvider } from '../../serving/access/oidc/page-sign-in.ts';
import type { PageSession, StoredSessions } from '../../serving/access/stored-sessions.ts';
import type { PlainAnswer } from '../plain-answer.ts';
import { dataPath } from '../routes.ts';
import { bodyOf, doneAnswer, errorAnswer, textField } from './json-answer.ts';
import type { LockedInfo, SessionInfo } from './page-data.ts';
import type { PageRequest } from './page-request.ts';
import type { PageSessions } from './page-sessions.ts';
import {
  cookieIn,
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
  /** Absent: sessions are known to this server only. */
  readonly copies?: StoredSessions | undefined;
  readonly now?: () => number;
}

export function createTokenSessions({ accepts, secure, providers, copies, now = Date.now }: TokenSessionsOptions) {
  const sessions = sessionBook<PageSession>(now);
  const attempts = countAttempts(now);
  /** Wrong cookies are counted like wrong tokens, so that nobody makes a server search for many. */
  const lookups = countAttempts(now);
  /** When the copy of a session was last found. */
  const foundAt = createBoundedCache<string, number>(limits.page.sessions);

  async function open(request: PageRequest, session: PageSession, path?: string): Promise<string> {
    await end(request);
    const id = sessions.add(session);
    foundAt.put(id, now(), 1);
    await copies?.save(id, session);
    return setCookie(request, id, limits.page.sessionMs / 1000, secure(), path);
  }

  async function end(request: Pick<PageRequest, 'header'>): Promise<void> {
    const id = sessions.get(request) === undefined ? undefined : cookieIn(request);
    sessions.delete(request);
    if (id !== undefined) await copies?.remove(id);
  }

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
    /** Ends the session of an invalid token here. Every server verifies the token by itself. */
    forget: (request: Pick<PageRequest, 'header'>): void => sessions.delete(request),

    /** Continues a session of another server, and ends one that was ended there. Called before anything else asks for the session. */
    async recall(request: Pick<PageRequest, 'header' | 'sender'>): Promise<void> {
      const id = cookieIn(request);
      if (copies === undefined || id === undefined) return;
      const known = sessions.get(request);
      if (known !== undefined && now() - (foundAt.get(id) ?? 0) < limits.page.sessionCopyMs) return;
      const accept = lookups.begin(request.sender);
      if (accept === undefined) return;
      try {
        const found = await copies.find(id);
        if (found === undefined) return sessions.delete(request);
        if (known === undefined) sessions.add(found(), id);
        foundAt.put(id, now(), 1);
      } catch (error) {
        // Without the store, a server continues the sessions that it knows.
        if (!(error instanceof SkillwireError) || error.code !== 'STORE_AWAY') throw error;
      }
      accept();
    },

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
      const session = { token, csrf: randomText() };
      const cookie = await open(request, session);
      return doneAnswer(infoOf(holder, session.csrf), { 'set-cookie': cookie });
    },

    /** Opens a session for a person who signed in at an identity provider. Returns the cookie. */
    open: (request: PageRequest, { token, endSession }: SignedIn): Promise<string> =>
      // The same path as after sign-in with a token, so that a browser has one cookie.
      open(request, { token, csrf: randomText(), endSession }, dataPath),

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
      async signOut(request) {
        if (!isFromPage(request)) return undefined;
        const endSession = sessions.get(request)?.endSession;
        await end(request);
        return { cookie: setCookie(request, '', 0, secure()), endSession };
      },
    }),
  };
}
