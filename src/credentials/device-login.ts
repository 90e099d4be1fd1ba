/** The device flow (RFC 8628), for machines without a browser: the person logs in on another device, with a short code. */
import type { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { isJsonObject } from '../skill/json.ts';
import { isSecureEndpoint } from './authorization-server.ts';
import { clientAuthentication } from './client-authentication.ts';
import { clientAt } from './client-registration.ts';
import type { Grant, TokenAnswer } from './grant.ts';
import { type LoginOptions, newGrant, type PreparedLogin } from './login.ts';
import { failure, loginCommand } from './oauth-failure.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** @param showCode tells the person the address and the code */
export async function logInWithDevice(
  prepared: PreparedLogin,
  options: LoginOptions,
  showCode: (url: string, code: string) => void,
  signal: AbortSignal,
): Promise<Grant> {
  const { issuer, metadata, scope, resource, fetch } = prepared;
  const { origin, earlier } = options;
  const { device_authorization_endpoint: endpoint } = metadata as { readonly device_authorization_endpoint?: unknown };
  if (typeof endpoint !== 'string' || !isSecureEndpoint(endpoint))
    throw failure(
      'NOT_AUTHORIZED',
      `${quoteText(issuer)} has no device flow. Run ${loginCommand(origin, ' --no-browser')} instead.`,
      issuer,
      'no-device-flow',
    );
  // A registered client has redirect addresses even if it does not use them.
  const redirectUrl = 'http://127.0.0.1/callback';
  const client = await clientAt(options, { issuer, metadata, redirectUrl, scope, origin, earlier, fetch });
  const own = clientAuthentication(client, metadata);
  const post = async (url: string, fields: Readonly<Record<string, string | undefined>>) => {
    const body = new URLSearchParams(own.fields);
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value);
    const headers = {
      ...own.headers,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    };
    const answer = await fetch(url, { method: 'POST', headers, body: body.toString(), signal });
    const json: unknown = await answer.json().catch(() => undefined);
    return { ok: answer.ok, json: isJsonObject(json) ? json : {} };
  };
  const refused = (code: unknown): SkillwireError => {
    const reason = typeof code === 'string' && /^[a-z][a-z_]{2,60}$/.test(code) ? code : 'its answer is not valid';
    return failure(
      'NOT_AUTHORIZED',
      `The login at ${quoteText(issuer)} failed (${reason}). Run ${loginCommand(origin, ' --device')} again, or ask its operator.`,
      issuer,
      reason,
    );
  };

  const begun = await post(endpoint, { scope, resource });
  const {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    interval,
    expires_in: seconds,
  } = begun.json;
  if (!begun.ok || typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof page !== 'string')
    throw refused(begun.json['error']);
  if (!isSecureEndpoint(page)) throw refused('insecure_page');
  showCode(page, userCode);
  let waitMs = typeof interval === 'number' && interval >= 1 ? interval * 1000 : limits.credentials.pollMs;
  const endsAt = performance.now() + (typeof seconds === 'number' ? seconds * 1000 : limits.credentials.loginMs);
  for (;;) {
    await pause(waitMs, signal);
    const { ok, json } = await post(metadata.token_endpoint, {
      grant_type: grantType,
      device_code: deviceCode,
      resource,
    });
    if (ok) {
      const tokens = tokensIn(json);
      if (tokens === undefined) throw refused(undefined);
      return newGrant(options, prepared, client, tokens);
    }
    if (json['error'] === 'slow_down') waitMs += limits.credentials.pollMs;
    else if (json['error'] !== 'authorization_pending') throw refused(json['error']);
    if (performance.now() > endsAt) throw refused('expired_token');
  }
}

function tokensIn(json: Readonly<Record<string, unknown>>): TokenAnswer | undefined {
  const { access_token, token_type, expires_in, refresh_token, scope } = json;
  if (typeof access_token !== 'string' || typeof token_type !== 'string') return undefined;
  return {
    access_token,
    token_type,
    expires_in: typeof expires_in === 'number' ? expires_in : undefined,
    refresh_token: typeof refresh_token === 'string' ? refresh_token : undefined,
    scope: typeof scope === 'string' ? scope : undefined,
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
