/** The login of a user to one origin: finds the authorization server, leads the person there, and stores the grant. */
import { type ChallengeFacts, readChallenge } from '../../credentials/authorization-server.ts';
import type { ClientChoice } from '../../credentials/client-registration.ts';
import { logInWithDevice } from '../../credentials/device-login.ts';
import type { Grant } from '../../credentials/grant.ts';
import { type Browser, type LoginOptions, logIn, prepareLogin } from '../../credentials/login.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { issuerClient, type StoredLogins } from '../../origins/stored-logins.ts';
import { isPrivateAddress } from '../../outbound/address-rules.ts';
import type { HttpClient } from '../../outbound/http-messages.ts';
import { quoteText } from '../../skill/display-text.ts';
import { loopbackRedirect } from './loopback-redirect.ts';

export interface OriginLogin
  extends ClientChoice,
    Pick<LoginOptions, 'url' | 'kind' | 'origin' | 'issuer' | 'scope' | 'sendResource'> {
  /** The port of the redirect address. Default: any free one. */
  readonly callbackPort?: number;
  /** Use the device flow: the person logs in on any device, with a code. */
  readonly device?: boolean;
  readonly signal: AbortSignal;
  /** Leads the person to the address. @param pasted takes the address of the last page, if nobody else does */
  show(url: URL, redirectUrl: string, state: string, signal: AbortSignal): Promise<URLSearchParams | undefined>;
  /** Tells the person the code of the device flow. */
  showCode(url: string, code: string): void;
}

export async function loginToOrigin(wanted: OriginLogin, { book }: StoredLogins): Promise<Grant> {
  const { url, kind, signal } = wanted;
  const own = issuerClient(url);
  const clients: HttpClient[] = [own];
  try {
    const { isOpen, ...challenge } = await challengeOf(url, kind, own, signal);
    const isPrivate = async () => (await own.resolve(new URL(url).hostname, signal)).some(isPrivateAddress);
    const options: LoginOptions = {
      ...wanted,
      earlier: await storedOrNone(book, url),
      fetch: own.fetch as typeof fetch,
      // A public server must not lead requests into the user's network. An issuer that the user names may be there.
      async fetchFor(issuer) {
        const trusts = wanted.issuer === issuer || (await isPrivate());
        const client = trusts ? issuerClient(issuer) : issuerClient(issuer, url);
        clients.push(client);
        return client.fetch as typeof fetch;
      },
    };
    const prepared = await prepareLogin(options, challenge).catch((error: unknown) => {
      const unnamed = error instanceof SkillwireError && error.data?.['reason'] === 'no-metadata';
      if (!isOpen || !unnamed) throw error;
      const message = `${quoteText(url)} answers without a login, so none is needed. Read it with skillwire list.`;
      throw new SkillwireError('USAGE', message, { data: { url }, cause: error });
    });
    // At once: the authorization server does not give the same grant twice.
    const store = async (granted: Promise<Grant>): Promise<Grant> => {
      const grant = await granted;
      await book.put(grant);
      return grant;
    };
    const late = new SkillwireError('TIMED_OUT', 'Nobody logged in within ten minutes. Run the command again.');
    return await withEnd(signal, late, (until) =>
      wanted.device === true
        ? store(logInWithDevice(prepared, options, wanted.showCode, until))
        : withRedirect(wanted, until, (browser) => store(logIn(prepared, options, browser))),
    );
  } finally {
    for (const client of clients) client.close();
  }
}

/** A damaged record does not keep the user from logging in again. */
async function storedOrNone(book: StoredLogins['book'], url: string): Promise<Grant | undefined> {
  try {
    return await book.get(url);
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'STATE_UNUSABLE') return undefined;
    throw error;
  }
}

async function withEnd<T>(
  signal: AbortSignal,
  late: SkillwireError,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(late), limits.credentials.loginMs);
  try {
    return await work(AbortSignal.any([signal, end.signal]));
  } finally {
    clearTimeout(timer);
  }
}

async function withRedirect<T>(
  { callbackPort = 0, show }: OriginLogin,
  signal: AbortSignal,
  work: (browser: Browser) => Promise<T>,
): Promise<T> {
  const redirect = await loopbackRedirect(callbackPort);
  const { redirectUrl } = redirect;
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  try {
    return await work({
      redirectUrl,
      async visit(url, state) {
        const answered = redirect.answer(state, until);
        const shown = show(url, redirectUrl, state, until);
        // Whichever comes first: the browser of this machine, or an address that the person pastes.
        const pasted = shown.then((answer) => answer ?? answered);
        try {
          return await Promise.race([answered, pasted]);
        } finally {
          ending.abort();
          await Promise.allSettled([answered, pasted]);
        }
      },
    });
  } finally {
    await redirect.close();
  }
}

/** The challenge of a request without credentials. `isOpen` if it was answered. */
async function challengeOf(
  url: string,
  kind: 'mcp' | 'site',
  client: HttpClient,
  signal: AbortSignal,
): Promise<ChallengeFacts & { readonly isOpen: boolean }> {
  const answer = await client.request(
    kind === 'mcp'
      ? {
          url,
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
          signal,
        }
      : { url: `${url}/.well-known/agent-skills/index.json`, signal },
  );
  if (answer.status >= 500)
    throw new SkillwireError(
      'ORIGIN_FAILED',
      `Cannot log in to ${quoteText(url)}: it has an error (HTTP ${answer.status}). Try again later.`,
      {
        data: { url, status: answer.status },
      },
    );
  if (answer.status !== 401 && answer.status !== 403) return { isOpen: answer.status < 400 };
  return {
    ...(await readChallenge({ status: answer.status, challenge: answer.headers['www-authenticate'] })),
    isOpen: false,
  };
}
