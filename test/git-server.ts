/** Git repositories over HTTP on a real socket, with redirects and passwords. Closed when the test ends. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

export interface GitRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

export interface GitServer {
  readonly origin: string;
  readonly port: number;
  /** Every request so far. */
  readonly requests: readonly GitRequest[];
}

export interface GitServerOptions {
  /** Folders of repositories, by the path below which they are served. */
  readonly repositories?: Readonly<Record<string, string>>;
  /** The address to which the first request of a fetch is redirected; `undefined`: none. */
  readonly redirect?: (path: string) => string | undefined;
  /** Asks for this "user:password" first. */
  readonly password?: string;
}

/** A repository with one commit of these files. Gives its folder and the id of the commit. */
export function gitRepository(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'a version');
  return git('rev-parse', 'HEAD');
}

export async function gitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const requests: GitRequest[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const { host = '', authorization } = headers;
    requests.push({ method, path: url, host, authorization, headers });
    answer(options, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, requests };
}

function answer(options: GitServerOptions, request: IncomingMessage, response: ServerResponse): void {
  const { repositories = {}, redirect, password } = options;
  // A proxy is asked for whole addresses.
  const { pathname, search } = new URL(request.url ?? '/', 'http://git.invalid');
  const location = redirect?.(`${pathname}${search}`);
  const expected = password === undefined ? undefined : `Basic ${Buffer.from(password).toString('base64')}`;
  const [, base = '', service] = /^(.*?)\/(info\/refs|git-upload-pack)$/.exec(pathname) ?? [];
  const folder = repositories[base];
  if (expected !== undefined && request.headers.authorization !== expected)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="skills"' }).end();
  else if (location !== undefined) response.writeHead(301, { location }).end();
  else if (folder === undefined) response.writeHead(404).end();
  else uploadPack(folder, service === 'info/refs', request, response);
}

function uploadPack(folder: string, advertise: boolean, request: IncomingMessage, response: ServerResponse): void {
  const kind = advertise ? 'advertisement' : 'result';
  response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` });
  if (advertise) response.write('001e# service=git-upload-pack\n0000');
  const args = ['upload-pack', '--stateless-rpc', ...(advertise ? ['--advertise-refs'] : []), folder];
  const protocol = request.headers['git-protocol'];
  const env = { ...process.env, ...(typeof protocol === 'string' ? { GIT_PROTOCOL: protocol } : {}) };
  const child = spawn('git', args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdout.pipe(response);
  // An advertisement is written without reading what was sent.
  child.stdin.on('error', () => undefined);
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    child.stdin.end(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
  });
}
