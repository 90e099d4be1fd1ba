/** An issuer of tokens whose keys, answers and failures a test decides. Real keys, real sockets. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

interface SigningKey {
  readonly kid: string | undefined;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface ScriptedIssuer {
  readonly issuer: string;
  /** Paths that were requested. */
  readonly requests: string[];
  /** Published keys. */
  keys: JWK[];
  /** How the key endpoint behaves. */
  mode: 'answers' | 'fails' | 'hangs' | 'page';
  /** Fields that replace those of the metadata. */
  metadata: Record<string, unknown>;
  /** Answers about tokens, by token; `undefined` fails. */
  introspect: ((token: string, authorization: string) => unknown) | undefined;
  /** A new key, which is published too unless the test says otherwise. */
  addKey(kid?: string, alg?: string, publish?: boolean): Promise<SigningKey>;
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>;
  close(): Promise<void>;
}

export interface SignOptions {
  readonly key?: SigningKey;
  readonly header?: Partial<JWTHeaderParameters>;
}

export const seconds = (fromNow: number): number => Math.floor(Date.now() / 1000) + fromNow;

export async function scriptedIssuer(path = ''): Promise<ScriptedIssuer> {
  const requests: string[] = [];
  const server = createServer((request, answer) => {
    requests.push(request.url ?? '');
    const send = (status: number, body: unknown): ServerResponse =>
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { url = '' } = request;
    if (url.includes('/.well-known/'))
      return url === `${path}/.well-known/openid-configuration`
        ? send(200, {
            issuer: self.issuer,
            jwks_uri: `${origin}/keys`,
            introspection_endpoint: `${origin}/introspect`,
            ...self.metadata,
          })
        : send(404, {});
    if (url === '/introspect') {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const introspected = self.introspect?.(
          new URLSearchParams(body).get('token') ?? '',
          request.headers.authorization ?? '',
        );
        return introspected === undefined ? send(500, {}) : send(200, introspected);
      });
      return undefined;
    }
    if (self.mode === 'hangs') return undefined;
    if (self.mode === 'page') return answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    return self.mode === 'fails' ? send(500, {}) : send(200, { keys: self.keys });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let first: SigningKey | undefined;
  const self: ScriptedIssuer = {
    issuer: `${origin}${path}`,
    requests,
    keys: [],
    mode: 'answers',
    metadata: {},
    introspect: undefined,
    async addKey(kid, alg = 'RS256', publish = true) {
      const pair = await generateKeyPair(alg, { extractable: true });
      const jwk = { ...(await exportJWK(pair.publicKey)), alg, use: 'sig', ...(kid === undefined ? {} : { kid }) };
      const key = { kid, privateKey: pair.privateKey, jwk };
      if (publish) self.keys.push(jwk);
      first ??= key;
      return key;
    },
    async sign(claims, { key = first, header = {} } = {}) {
      if (key === undefined) throw new Error('the issuer has no key');
      const { kid } = key;
      return new SignJWT({ iss: self.issuer, exp: seconds(300), ...claims })
        .setProtectedHeader({ alg: key.jwk.alg ?? 'RS256', ...(kid === undefined ? {} : { kid }), ...header })
        .sign(key.privateKey);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  await self.addKey('first');
  return self;
}
