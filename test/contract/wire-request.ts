/** HTTP requests written byte by byte, so that tests can send what no library would, and what came back. */
import { connect } from 'node:net';

export interface WireRequest {
  readonly method?: string;
  readonly path?: string;
  /** In order, as they go over the wire; `Host` and `Content-Length` are added unless they are here. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

function bytesOf({ method = 'POST', path = '/mcp', headers, body }: WireRequest, port: number): Buffer {
  const given = Buffer.from(body ?? '');
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const content = names.has('transfer-encoding') ? chunked(given) : given;
  const added: [string, string][] = [];
  if (!names.has('host')) added.push(['Host', `127.0.0.1:${port}`]);
  if (!names.has('content-length') && !names.has('transfer-encoding') && body !== undefined)
    added.push(['Content-Length', String(content.length)]);
  const lines = [...added, ...headers, ['Connection', 'close'] as const].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), content]);
}

function chunked(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function parse(received: Buffer): WireAnswer {
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no answer, but ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`);
    const [line = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(line.split(' ')[1]);
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    const headers = new Map(
      lines.map((text) => {
        const colon = text.indexOf(':');
        return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
      }),
    );
    return { status, headers, body: headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : rest };
  }
}

/** Sends a request over a connection of its own. */
export function ask(url: string, request: WireRequest): Promise<WireAnswer> {
  const port = Number(new URL(url).port);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      try {
        resolve(parse(Buffer.concat(chunks)));
      } catch (error) {
        reject(error as Error);
      }
    });
    socket.write(bytesOf(request, port));
  });
}
