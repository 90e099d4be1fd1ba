/**
 * The two addresses of sign-in at an identity provider: one sends the browser there, and the provider sends it back to the other. An
 * attempt belongs to the browser that began it, by a cookie, so nobody can finish it for somebody else. It works once. With a shared store,
 * the provider may send the browser back to another server.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { PendingSignIn, SignedIn, SignInPort } from '../../serving/access/oidc/page-sign-in.ts';
import type { PageVault } from '../../serving/access/page-vault.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { escapeHtml } from '../html-text.ts';
import type { PlainAnswer } from '../plain-answer.ts';
import { pathOf, rootPath, signedInPath, signInPath } from '../routes.ts';
import { overviewHeaders } from './overview.ts';
import type { PageRequest } from './page-request.ts';
import { countAttempts, randomText } from './session-cookie.ts';

export interface SignInRoutesOptions {
  /** The current identity providers. */
  readonly port: () => SignInPort | undefined;
  /** Opens a session. Returns the cookie. */
  open(request: PageRequest, signedIn: SignedIn): Promise<string>;
  /** True if browsers reach the server over TLS. */
  readonly secure: () => boolean;
  /** Attempts that other servers can finish. Absent: this server has its own. */
  readonly shared?: PageVault | undefined;
  readonly now?: () => number;
}

interface Attempt {
  readonly pending: PendingSignIn;
  readonly until: number;
  readonly isShared: boolean;
}

export function createSignInRoutes({ port, open, secure, shared, now = Date.now }: SignInRoutesOptions) {
  const attempts = new Map<string, Attempt>();
  /** Anybody may begin, so only some attempts are shared. */
  const uses = countAttempts(now);

  /** Browsers accept this name only over TLS, for one host and all paths. */
  const cookieName = (): string => (secure() ? '__Host-skillwire-sign-in' : 'skillwire-sign-in');

  /** Lax: a cookie that other sites never send would be missing when the browser comes back. */
  function cookie(value: string, seconds: number): string {
    return `${cookieName()}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure() ? '; Secure' : ''}`;
  }

  function idIn(request: PageRequest): string | undefined {
    for (const part of (request.header('cookie') ?? '').split(';')) {
      const [name, id = ''] = part.trim().split('=', 2);
      if (name === cookieName() && id !== '') return id;
    }
    return undefined;
  }

  async function taken(request: PageRequest): Promise<PendingSignIn | undefined> {
    const id = idIn(request);
    if (id === undefined) return undefined;
    const own = attempts.get(id);
    attempts.delete(id);
    if (own?.isShared === false || shared === undefined)
      return own !== undefined && own.until > now() ? own.pending : undefined;
    const accept = uses.begin(request.sender);
    if (accept === undefined) return undefined;
    const pending = pendingIn(await shared.find(id));
    // Of two servers, one finishes it.
    if (pending === undefined || !(await shared.remove(id))) return undefined;
    accept();
    return pending;
  }

  async function begin(port: SignInPort, query: URLSearchParams, request: PageRequest): Promise<PlainAnswer> {
    const issuer = query.get('issuer') ?? port.providers()[0]?.issuer ?? '';
    const { url, pending } = await port.begin(issuer, signedInPath);
    const id = randomText();
    const isShared = shared !== undefined && uses.begin(request.sender) !== undefined;
    if (isShared) await shared.save(id, { ...pending }, limits.access.signInMs);
    attempts.set(id, { pending, until: now() + limits.access.signInMs, isShared });
    const [oldest] = attempts.keys();
    if (attempts.size > limits.access.signIns && oldest !== undefined) attempts.delete(oldest);
    return redirect(url, cookie(id, limits.access.signInMs / 1000));
  }

  async function finish(port: SignInPort, request: PageRequest, url: URL): Promise<PlainAnswer> {
    const pending = await taken(request);
    if (pending === undefined)
      throw new SkillwireError('USAGE', 'This sign-in has expired, or began in another browser. Sign in again.');
    const signedIn = await port.finish(pending, url);
    return redirect(rootPath, await open(request, signedIn));
  }

  return {
    async answer(request: PageRequest): Promise<PlainAnswer> {
      const url = new URL(request.target, 'http://localhost');
      const current = port();
      try {
        if (current === undefined)
          throw new SkillwireError('USAGE', 'This server has no identity provider. Sign in with a token.');
        const isFirst = pathOf(request.target) === signInPath;
        return await (isFirst ? begin(current, url.searchParams, request) : finish(current, request, url));
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        return failurePage(error);
      }
    },
  };
}

function pendingIn(value: JsonValue | undefined): PendingSignIn | undefined {
  if (!isJsonObject(value)) return undefined;
  const { issuer, state, nonce, verifier, redirectUri } = value;
  const texts = { issuer, state, nonce, verifier, redirectUri };
  return Object.values(texts).every((text) => typeof text === 'string') ? (texts as PendingSignIn) : undefined;
}

function redirect(location: string, cookie: string): PlainAnswer {
  return {
    status: 303,
    headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    body: '',
  };
}

/** The state that HTTP has for it: the table's codes describe origins, not people. */
function failurePage({ code, message }: SkillwireError): PlainAnswer {
  const status = code === 'USAGE' ? 400 : code === 'NOT_AUTHORIZED' ? 403 : 503;
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign-in failed · Skillwire</title>
<style>body{font:1rem/1.5 system-ui;margin:4rem auto;max-width:36rem;padding:0 1rem}</style></head>
<body><h1>Sign-in failed</h1><p>${escapeHtml(message)}</p><p><a href="${rootPath}">Back to the page</a></p></body></html>
`;
  return { status, headers: overviewHeaders, body };
}
