/**
 * Web servers that know nothing of skills. One serves the files of a folder by their names, as any static server does. One is in
 * front of another server and hides a part of it. One is in front of another server and sends it a token.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

export interface WebServer {
  readonly url: string;
  /** Paths that were asked for and found. */
  readonly answered: readonly string[];
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.html': 'text/html',
  '.gz': 'application/gzip',
  '.zip': 'application/zip',
};

async function listening(listener: RequestListener, answered: readonly string[]): Promise<WebServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answered,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves a folder below a path; what begins with `hidden` does not exist. */
export function staticServer(
  folder: string,
  options: { readonly base?: string; readonly hidden?: string } = {},
): Promise<WebServer> {
  const { base = '', hidden } = options;
  const answered: string[] = [];
  return listening((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const inside = path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
    if (inside === undefined || (hidden !== undefined && inside.startsWith(hidden))) {
      response.writeHead(404).end();
      return;
    }
    readFile(join(folder, normalize(inside))).then(
      (bytes) => {
        answered.push(path);
        response.writeHead(200, { 'content-type': TYPES[extname(inside)] ?? 'application/octet-stream' }).end(bytes);
      },
      () => response.writeHead(404).end(),
    );
  }, answered);
}

/** Hands requests on to another server, except for paths that begin with `hidden`. */
export function hidingProxy(target: string, hidden: string): Promise<WebServer> {
  const answered: string[] = [];
  return listening((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith(hidden)) {
      response.writeHead(404).end();
      return;
    }
    fetch(`${target}${path}`).then(
      async (answer) => {
        if (answer.ok) answered.push(decodeURIComponent(path));
        const type = answer.headers.get('content-type') ?? 'text/plain';
        response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
      },
      () => response.writeHead(502).end(),
    );
  }, answered);
}

/** Hands every request on as it is, with a bearer token that the client does not know, as a gate before a service does. */
export function authorizingProxy(target: string, token: string): Promise<WebServer> {
  const answered: string[] = [];
  return listening((request, response) => {
    const path = request.url ?? '/';
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const onward = send(new URL(path, target), { method: request.method, headers }, (answer) => {
      if ((answer.statusCode ?? 500) < 400) answered.push(path);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }, answered);
}
