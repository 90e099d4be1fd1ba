/**
 * A real authorization server (oidc-provider) on loopback, in the place of a company's. It has sign-in and consent with or without
 * a page, JWT access tokens for named resources, rotating refresh tokens, and every kind of registration.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type ClientMetadata, type Configuration, errors } from 'oidc-provider';

export interface AuthorizationServerOptions {
  /** Identifiers of the resources that tokens can be for. */
  readonly resources: () => readonly string[];
  readonly clients?: readonly ClientMetadata[];
  /** Groups of people, by their login name. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** The person who signs in without a question; `undefined` shows a form. */
  login?: string | undefined;
  /** True: the person refuses. */
  refuses?: boolean;
  readonly scopes?: string;
  readonly accessTokenSeconds?: number;
  /** True: public metadata do not say that PKCE is supported. */
  readonly hidesPkce?: boolean;
  readonly more?: Configuration;
  /** Delays answers of the token endpoint: before the request is handled, or after, when the client waits for the answer. */
  hold?: ((request: IncomingMessage) => Promise<void>) | undefined;
  holdAnswer?: (() => Promise<void>) | undefined;
}

export interface AuthorizationServer {
  readonly issuer: string;
  /** Paths that were requested, with the method. */
  readonly requests: string[];
  /** Successful and failed answers of the token endpoint. */
  readonly grants: { readonly grant: string; readonly status: number }[];
  close(): Promise<void>;
}

export async function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const { scopes = 'skills skills:write', accessTokenSeconds = 300 } = options;
  const requests: string[] = [];
  const grants: { grant: string; status: number }[] = [];

  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    cookies: { keys: ['test'] },
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', ...scopes.split(' ')],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    conformIdTokenClaims: false,
    clients: [...(options.clients ?? [])],
    findAccount: async (_, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: id, groups: [...(options.groups?.[id] ?? [])] }),
    }),
    extraTokenClaims: async (_, token) => {
      const id = 'accountId' in token ? token.accountId : undefined;
      return { groups: [...(options.groups?.[id ?? token.clientId ?? ''] ?? [])] };
    },
    issueRefreshToken: async (_, client, code) =>
      client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    rotateRefreshToken: true,
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: async (ctx) => {
      const id = ctx.oidc.result?.consent?.grantId ?? ctx.oidc.session?.grantIdFor(ctx.oidc.client?.clientId ?? '');
      return id === undefined ? undefined : ctx.oidc.provider.Grant.find(id);
    },
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true },
      registration: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      userinfo: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => {
          if (!options.resources().includes(resource)) throw new errors.InvalidTarget();
          return {
            scope: scopes,
            audience: resource,
            accessTokenTTL: accessTokenSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          };
        },
      },
    },
    ttl: { AccessToken: accessTokenSeconds, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
    ...options.more,
  });
  provider.on('server_error', (_, error) => process.stderr.write(`authorization server: ${error.stack}\n`));

  const handle = provider.callback();
  server.on('request', async (request, answer) => {
    requests.push(`${request.method} ${request.url}`);
    try {
      const { pathname } = new URL(request.url ?? '', issuer);
      if (pathname.startsWith('/interaction/')) return await interact(request, answer);
      if (options.hidesPkce === true && pathname.startsWith('/.well-known/')) {
        const write = answer.end.bind(answer);
        answer.end = ((body: Buffer) => {
          const { code_challenge_methods_supported: _, ...rest } = JSON.parse(String(body)) as Record<string, unknown>;
          answer.removeHeader('content-length');
          return write(JSON.stringify(rest));
        }) as typeof answer.end;
      }
      if (pathname === '/token') {
        if (options.hold !== undefined) {
          await options.hold(request);
          // A client that is gone by now never sent its request.
          if (request.destroyed) return undefined;
        }
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        answer.on('finish', () => {
          grants.push({ grant: new URLSearchParams(body).get('grant_type') ?? '', status: answer.statusCode });
        });
        if (options.holdAnswer !== undefined) {
          const end = answer.end.bind(answer);
          const { holdAnswer } = options;
          answer.end = ((data: Buffer) => {
            void holdAnswer().then(() => end(data));
            return answer;
          }) as typeof answer.end;
        }
      }
      return await handle(request, answer);
    } catch (error) {
      answer.writeHead(500).end(String(error));
      return undefined;
    }
  });

  async function interact(...[request, answer]: Parameters<typeof handle>): Promise<unknown> {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, answer);
    if (options.refuses === true)
      return provider.interactionFinished(request, answer, {
        error: 'access_denied',
        error_description: 'the person refused secret-code-1',
      });
    if (prompt.name === 'login') {
      const login = options.login ?? (await posted(request));
      if (login === undefined)
        return answer
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<form method="post"><label>Login <input name="login"></label><button>Continue</button></form>');
      return provider.interactionFinished(request, answer, { login: { accountId: login } });
    }
    const details = prompt.details as {
      missingOIDCScope?: string[];
      missingOIDCClaims?: string[];
      missingResourceScopes?: Record<string, string[]>;
    };
    const accountId = session?.accountId;
    const clientId = String(params['client_id']);
    const grant =
      (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
      new provider.Grant({ accountId: accountId ?? '', clientId });
    for (const scope of details.missingOIDCScope ?? []) grant.addOIDCScope(scope);
    grant.addOIDCClaims(details.missingOIDCClaims ?? []);
    for (const [resource, missing] of Object.entries(details.missingResourceScopes ?? {}))
      grant.addResourceScope(resource, missing.join(' '));
    return provider.interactionFinished(
      request,
      answer,
      { consent: { grantId: await grant.save() } },
      { mergeWithLastSubmission: true },
    );
  }

  return {
    issuer,
    requests,
    grants,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function posted(request: AsyncIterable<Buffer> & { readonly method?: string }): Promise<string | undefined> {
  if (request.method !== 'POST') return undefined;
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return new URLSearchParams(body).get('login') ?? undefined;
}

/** Follows redirects as a browser does, with cookies, until one leads to another host. Returns where. */
export async function browse(start: string | URL, own = new URL(start).origin): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hops = 0; hops < 20; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    await answer.body?.cancel();
    if (location === null) throw new Error(`${url.href} answered ${answer.status}`);
    url = new URL(location, url);
    if (url.origin !== own) return url;
  }
  throw new Error('too many redirects');
}
