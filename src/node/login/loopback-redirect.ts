/**
 * The address on this machine to which an authorization server sends the browser back (RFC 8252, section 7.3). It listens on 127.0.0.1 only,
 * on one path, and takes one answer: the first GET with the right state. Everything else is answered and ignored.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SkillwireError } from '../../errors.ts';

const path = '/callback';

const pages = {
  done: 'You can close this page and return to the terminal.',
  other: 'This answer belongs to another login. Return to the terminal.',
} as const;

/** @param port 0 for any free one @throws SkillwireError ADDRESS_IN_USE */
export async function loopbackRedirect(port: number) {
  const server = createServer();
  await listening(server, port);
  let expected: { readonly state: string; take(answer: URLSearchParams): void } | undefined;
  let answered: ServerResponse | undefined;
  server.on('request', (request, response) => {
    const url =
      request.url === undefined || !URL.canParse(request.url, 'http://127.0.0.1')
        ? undefined
        : new URL(request.url, 'http://127.0.0.1');
    if (request.method !== 'GET' || url?.pathname !== path) return reply(request, response, 404, '');
    if (expected === undefined || url.searchParams.get('state') !== expected.state)
      return reply(request, response, 400, pages.other);
    const { take } = expected;
    expected = undefined;
    answered = response;
    reply(request, response, 200, pages.done);
    return take(url.searchParams);
  });
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    /** The parameters of the redirect with this state. @throws the reason of the signal */
    answer: (state: string, signal: AbortSignal): Promise<URLSearchParams> =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        expected = {
          state,
          take(answer) {
            signal.removeEventListener('abort', onAbort);
            resolve(answer);
          },
        };
      }),
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Browsers keep silent connections in reserve, which Node never counts as idle. Only the page of the answer is still sent.
        const end = (): void => server.closeAllConnections();
        if (answered === undefined || answered.writableFinished || answered.destroyed) end();
        else answered.once('close', end);
      }),
  };
}

function reply(_: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
  });
  response.end(text);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const why = taken ? 'is already in use' : `cannot be used (${cause.code})`;
      const message = `Port ${port} ${why}. Choose another one with --callback-port, or leave it out.`;
      reject(new SkillwireError(taken ? 'ADDRESS_IN_USE' : 'ADDRESS_REFUSED', message, { data: { port }, cause }));
    });
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
