/**
 * Signs people in on the page: the authorization code flow with PKCE and a nonce, on the server. The browser sees no
 * token: it gets a session, whose text is known only to this process. Current rules decide its rights at each request.
 */
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import type { Claims } from './claim-rules.ts';
import type { Identity, IdentityProvider, SignIn } from './identity-provider.ts';
import { identityOf } from './jwt-tokens.ts';
import { type OpenedClient, type ProviderClients, providerFailed } from './provider-client.ts';

export interface SignInProvider {
  readonly issuer: string;
  /** For people. */
  readonly name: string;
}

/** An attempt to sign in, until the browser is back. */
export interface PendingSignIn {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface SignedIn {
  /** Accepted in place of a token, by this process only. */
  readonly token: string;
  /** The address at which the browser signs out at the provider. */
  readonly endSession?: string | undefined;
}

export interface SignInPort {
  providers(): readonly SignInProvider[];
  /**
   * @param callbackPath where the provider sends the browser
   * @throws SkillwireError if the provider is unknown or does not answer
   */
  begin(issuer: string, callbackPath: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /**
   * @param callback the address that the provider sent the browser to
   * @throws SkillwireError NOT_AUTHORIZED if the person is not signed in; another code if the provider fails
   */
  finish(pending: PendingSignIn, callback: URL): Promise<SignedIn>;
}

export interface PageSignInOptions {
  providers(): readonly IdentityProvider[];
  /** The public address of this server. */
  url(): string;
  clients(): ProviderClients;
  /** Keeps the person, and returns the text that stands for them. */
  remember(identity: Identity): string;
  readonly now?: () => number;
}

export function createPageSignIn({ providers, url, clients, remember, now = Date.now }: PageSignInOptions): SignInPort {
  function found(issuer: string): IdentityProvider & { readonly signIn: SignIn } {
    const provider = providers().find((one) => one.issuer === issuer);
    if (provider?.signIn !== undefined) return { ...provider, signIn: provider.signIn };
    throw new SkillwireError(
      'USAGE',
      `This server has no sign-in with ${quoteText(issuer)}. Reload the page for the current ones.`,
      { data: { issuer } },
    );
  }

  const client = (issuer: string): Promise<OpenedClient> => {
    const { clientId, clientSecret } = found(issuer).signIn;
    return clients()({ issuer, clientId, clientSecret });
  };

  return {
    providers: () =>
      providers().flatMap(({ issuer, signIn }) =>
        signIn === undefined ? [] : [{ issuer, name: signIn.name ?? new URL(issuer).host }],
      ),

    async begin(issuer, callbackPath) {
      const { signIn } = found(issuer);
      const { oidc, config } = await client(issuer);
      const pending = {
        issuer,
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        redirectUri: new URL(callbackPath, url()).href,
      };
      const address = oidc.buildAuthorizationUrl(config, {
        redirect_uri: pending.redirectUri,
        scope: ['openid', ...signIn.scopes].join(' '),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      return { url: address.href, pending };
    },

    async finish({ issuer, state, nonce, verifier, redirectUri }, callback) {
      const provider = found(issuer);
      const { oidc, config, published } = await client(issuer);
      // Behind a proxy the request names another host than the provider knows.
      const answered = new URL(redirectUri);
      answered.search = callback.search;
      const tokens = await oidc
        .authorizationCodeGrant(config, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw refusal(issuer, error);
        });
      const idClaims = tokens.claims();
      if (idClaims === undefined) throw refusal(issuer, undefined);
      const claims: Claims = { scope: tokens.scope, ...idClaims };
      const more = await moreClaims();
      const identity = identityOf(
        { ...more, ...claims, exp: Math.floor((now() + limits.page.sessionMs) / 1000) },
        provider,
      );
      if (identity === undefined) throw refusal(issuer, undefined);
      const endSession =
        published.end_session_endpoint === undefined || tokens.id_token === undefined
          ? undefined
          : oidc.buildEndSessionUrl(config, {
              id_token_hint: tokens.id_token,
              post_logout_redirect_uri: new URL('/', url()).href,
            }).href;
      return { token: remember(identity), endSession };

      /** Many providers put groups into the answer about the person only. */
      async function moreClaims(): Promise<Claims> {
        const wanted = provider.rules.flatMap(({ match }) => Object.keys(match));
        const complete = wanted.every((name) => Object.hasOwn(claims, name.split('.')[0] ?? ''));
        if (complete || published['userinfo_endpoint'] === undefined) return {};
        try {
          return await oidc.fetchUserInfo(config, tokens.access_token, idClaims?.sub ?? '');
        } catch (error) {
          throw providerFailed(issuer, 'read the claims of a person', error);
        }
      }
    },
  };
}

/** A message for people. The provider's own words may hold codes and tokens, so they are left out. */
function refusal(issuer: string, error: unknown): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const { error: code } = (error ?? {}) as { readonly error?: unknown };
  const denied = code === 'access_denied' || code === 'consent_required';
  return new SkillwireError(
    'NOT_AUTHORIZED',
    denied
      ? `Sign-in was refused at ${quoteText(issuer)}. Try again, or ask your administrator.`
      : `The answer of ${quoteText(issuer)} was not accepted. Sign in again.`,
    { data: { issuer, ...(typeof code === 'string' ? { error: code } : {}) } },
  );
}
