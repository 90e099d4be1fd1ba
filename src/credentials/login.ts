/**
 * Logging in to an origin: OAuth 2.1 code flow with PKCE. The issuer is fixed before the browser opens. The browser's answer is checked
 * against state and issuer before anything in it is used (RFC 9207). Nothing is stored before the token has arrived.
 */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import {
  type ChallengeFacts,
  type CredentialFetch,
  type LoginTarget,
  type ProtectedResource,
  protectedResource,
  requirePkce,
  serverMetadata,
} from './authorization-server.ts';
import { type ClientChoice, clientAt } from './client-registration.ts';
import { type Grant, type GrantClient, grantedTokens } from './grant.ts';
import { failure, loginCommand, oauthFailure } from './oauth-failure.ts';

/** Leads the person to the authorization server and returns the parameters of the redirect. */
export interface Browser {
  /** The authorization server sends the person to this address afterwards. */
  readonly redirectUrl: string;
  /** @param state parameters with another one are not returned */
  visit(url: URL, state: string): Promise<URLSearchParams>;
}

export interface LoginOptions extends ClientChoice, LoginTarget {
  /** The origin as a command names it. */
  readonly origin: string;
  /** Which authorization server to use, if the origin names several or the user wants to be sure. */
  readonly issuer?: string;
  /** In place of the scopes that the origin asks for. Scopes of an earlier login are kept. */
  readonly scope?: string;
  /** False for servers that refuse resource indicators, such as Entra ID. Default true. */
  readonly sendResource?: boolean;
  /** The grant that this login replaces. */
  readonly earlier?: Grant | undefined;
  /** Reaches the host of the origin. */
  readonly fetch: CredentialFetch;
  /** Reaches the authorization server. */
  fetchFor(issuer: string): Promise<CredentialFetch>;
}

/** Everything that is known before a person is asked. */
export interface PreparedLogin {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly fetch: CredentialFetch;
}

/** @param challenge what the origin answered to a request without credentials */
export async function prepareLogin(options: LoginOptions, challenge: ChallengeFacts): Promise<PreparedLogin> {
  const { sendResource = true } = options;
  const found = await protectedResource(options, challenge, options.fetch);
  const issuer = chosenIssuer(found, options);
  const fetch = await options.fetchFor(issuer);
  const metadata = await serverMetadata(issuer, fetch);
  const scope = await wantedScope(found, metadata, challenge, options, issuer);
  return { issuer, metadata, resource: sendResource ? found.resource : undefined, scope, fetch };
}

function chosenIssuer({ issuers }: ProtectedResource, { issuer, url, origin }: LoginOptions): string {
  const [first = ''] = issuers;
  if (issuer === undefined) return first;
  if (issuers.includes(issuer)) return issuer;
  throw failure(
    'NOT_AUTHORIZED',
    `${quoteText(url)} does not accept logins of ${quoteText(issuer)}, only of ${issuers.map(quoteText).join(', ')}. ` +
      `Run ${loginCommand(origin)} without --issuer, or name one of these.`,
    issuer,
    'other-issuer',
  );
}

/** ID-13 to ID-15 and ID-18: challenged scopes first, then all that the origin lists; those of an earlier login stay. */
async function wantedScope(
  { scopes }: ProtectedResource,
  metadata: AuthorizationServerMetadata,
  challenge: ChallengeFacts,
  { scope, earlier }: LoginOptions,
  issuer: string,
): Promise<string | undefined> {
  const { computeScopeUnion } = await import('@modelcontextprotocol/client');
  const listed = scopes.length === 0 ? undefined : scopes.join(' ');
  const before = earlier?.issuer === issuer ? earlier.scope : undefined;
  const wanted = computeScopeUnion(before, scope ?? challenge.scope ?? listed);
  const refreshable = metadata.scopes_supported?.includes('offline_access') === true;
  return refreshable ? computeScopeUnion(wanted, 'offline_access') : wanted;
}

/** @throws SkillwireError NOT_AUTHORIZED if the person or the server refuses */
export async function logIn(prepared: PreparedLogin, options: LoginOptions, browser: Browser): Promise<Grant> {
  const { startAuthorization, exchangeAuthorization } = await import('@modelcontextprotocol/client');
  const { issuer, metadata, scope, resource, fetch } = prepared;
  const { origin, earlier } = options;
  requirePkce(metadata, issuer);
  const { redirectUrl } = browser;
  const client = await clientAt(options, { issuer, metadata, redirectUrl, scope, origin, earlier, fetch });
  const clientInformation = clientFields(client);
  const state = randomState();
  const named = { ...(resource === undefined ? {} : { resource }) };
  const remedy = `Run ${loginCommand(origin)} again.`;
  try {
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      metadata,
      clientInformation,
      redirectUrl,
      state,
      ...(scope === undefined ? {} : { scope }),
      ...named,
    });
    const answer = await browser.visit(authorizationUrl, state);
    const code = await checkedCode(answer, prepared, origin);
    const tokens = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation,
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      ...issOf(answer),
      ...named,
      fetchFn: fetch,
    });
    return newGrant(options, prepared, client, tokens);
  } catch (error) {
    throw oauthFailure(`log in at ${quoteText(issuer)}`, error, issuer, remedy);
  }
}

export function newGrant(
  { url, origin }: Pick<LoginOptions, 'url' | 'origin'>,
  { issuer, resource, scope }: PreparedLogin,
  client: GrantClient,
  tokens: Parameters<typeof grantedTokens>[0],
): Grant {
  return {
    url,
    origin,
    issuer,
    ...(resource === undefined ? {} : { resource }),
    client,
    ...grantedTokens(tokens, issuer, scope),
    at: new Date().toISOString(),
  };
}

export function clientFields({ id, secret }: GrantClient) {
  return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
}

function issOf(answer: URLSearchParams): { readonly iss?: string } {
  const iss = answer.get('iss');
  return iss === null ? {} : { iss };
}

/** The issuer is checked before `error` is read: another server may have written it. */
async function checkedCode(answer: URLSearchParams, { issuer, metadata }: PreparedLogin, origin: string) {
  const { validateAuthorizationResponseIssuer } = await import('@modelcontextprotocol/client');
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get('iss') ?? undefined,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw failure(
      'NOT_AUTHORIZED',
      `The answer of the browser is not from ${quoteText(issuer)}. Somebody may have tried to redirect your login. ` +
        `Close the page, then run ${loginCommand(origin)} again.`,
      issuer,
      'issuer-mismatch',
    );
  }
  const error = answer.get('error');
  const code = answer.get('code');
  if (error === null && code !== null && code !== '') return code;
  if (error === 'access_denied')
    throw failure(
      'NOT_AUTHORIZED',
      `The login at ${quoteText(issuer)} was refused there. To consent, run ${loginCommand(origin)} again.`,
      issuer,
      'access_denied',
    );
  if (error === 'invalid_target')
    throw failure(
      'NOT_AUTHORIZED',
      `${quoteText(issuer)} does not accept this resource. If it knows no resources, run ${loginCommand(origin, ' --no-resource')}.`,
      issuer,
      'invalid_target',
    );
  const reason = error !== null && /^[a-z][a-z_]{2,60}$/.test(error) ? error : 'no code';
  throw failure(
    'NOT_AUTHORIZED',
    `The login at ${quoteText(issuer)} failed (${reason}). Run ${loginCommand(origin)} again, or ask its operator.`,
    issuer,
    reason,
  );
}

function randomState(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The parameters of a redirect address that a person pasted. @throws SkillwireError USAGE */
export function pastedAnswer(text: string, redirectUrl: string, state: string): URLSearchParams {
  const pasted = text.trim();
  const url = URL.canParse(pasted) ? new URL(pasted) : undefined;
  if (url === undefined || `${url.origin}${url.pathname}` !== redirectUrl)
    throw new SkillwireError(
      'USAGE',
      `That is not the address of the last page. It begins with "${redirectUrl}?". Copy it from the address bar.`,
    );
  if (url.searchParams.get('state') === state) return url.searchParams;
  throw new SkillwireError(
    'NOT_AUTHORIZED',
    'That address belongs to another login: its state differs. Open the printed address, and paste the one that follows.',
    { data: { reason: 'state-mismatch' } },
  );
}
