/** A reverse proxy on loopback that passes requests on as the nginx block of docs/guides/run-a-gateway.md does. */
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReverseProxy extends AsyncDisposable {
  readonly url: string;
}

/** How the proxy changes the headers of its client. */
export type PassedHeaders = (received: IncomingHttpHeaders, target: URL) => IncomingHttpHeaders;

export const keepsHost: PassedHeaders = ({ connection: _, ...headers }) => headers;

/** `Host`, `X-Forwarded-For`, `X-Forwarded-Proto` and no `Connection`, as in the documentation. */
export const asDocumented: PassedHeaders = ({ connection: _, ...headers }) => ({
  ...headers,
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
});

/** A proxy that addresses the server by its own name, and says in a header for whom it asks. */
export const saysForWhom =
  (header: string, value: string): PassedHeaders =>
  ({ connection: _, ...headers }, target) => ({ ...headers, host: target.host, [header]: value });

export async function reverseProxy(target: string, passed: PassedHeaders = asDocumented): Promise<ReverseProxy> {
  const to = new URL(target);
  const server = createServer((received, answer) => {
    const headers = passed(received.headers, to);
    const sent = request(new URL(received.url ?? '/', to), { method: received.method, headers, agent: false });
    sent.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    received.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
