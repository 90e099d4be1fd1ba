/** An MCP server and its authorization server in one program, which record everything that a client sends. A test decides the answers. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedUpstream {
  /** Of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  readonly seen: SeenRequest[];
  at(path: string): readonly SeenRequest[];
  /** Fields that replace those of the metadata. */
  metadata: Record<string, unknown>;
  resource: Record<string, unknown>;
  /** The answer of the token endpoint; a status of 400 if it has an `error`. */
  token: (body: URLSearchParams, headers: IncomingHttpHeaders) => object;
  /** Answers of other paths; a status of 400 if they have an `error`. */
  answers: Record<string, object>;
  /** The challenge of a request with this token; `undefined` accepts it. */
  challenge: (authorization: string | undefined) => { readonly status: number; readonly header: string } | undefined;
  close(): Promise<void>;
}

export async function scriptedUpstream(): Promise<ScriptedUpstream> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const path = request.url ?? '';
    upstream.seen.push({ path, headers: request.headers, body });
    const json = (status: number, value: unknown): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (path === '/.well-known/oauth-protected-resource/mcp')
      return json(200, { resource: upstream.url, authorization_servers: [own], ...upstream.resource });
    if (path === '/.well-known/oauth-authorization-server')
      return json(200, {
        issuer: own,
        authorization_endpoint: `${own}/auth`,
        token_endpoint: `${own}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...upstream.metadata,
      });
    if (path === '/token') {
      const answer = upstream.token(new URLSearchParams(body), request.headers);
      return json('error' in answer ? 400 : 200, answer);
    }
    const other = upstream.answers[path];
    if (other !== undefined) return json('error' in other ? 400 : 200, other);
    if (path !== '/mcp') return json(404, {});
    const challenge = upstream.challenge(request.headers.authorization);
    if (challenge !== undefined)
      return response.writeHead(challenge.status, { 'www-authenticate': challenge.header }).end();
    return json(404, {});
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream: ScriptedUpstream = {
    url: `${own}/mcp`,
    issuer: own,
    seen: [],
    at: (path) => upstream.seen.filter((one) => one.path === path),
    metadata: {},
    resource: {},
    answers: {},
    token: () => ({ access_token: 'token-of-the-upstream', token_type: 'Bearer', expires_in: 600 }),
    challenge: (authorization) =>
      authorization === 'Bearer token-of-the-upstream' ? undefined : { status: 401, header: 'Bearer scope="skills"' },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return upstream;
}
