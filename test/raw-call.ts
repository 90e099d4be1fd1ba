/** One MCP request by hand over HTTP, to see what a server really puts on the wire. Reads at most so many bytes. */
import { request } from 'node:http';

type Era = 'modern' | 'legacy';
type JsonObject = Readonly<Record<string, unknown>>;

export interface RawCallOptions {
  readonly era?: Era;
  /** Stop reading here; default 1 MiB. */
  readonly bytes?: number;
  /** Stop waiting here; default 10 s. */
  readonly ms?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** `whole`: it ended as it should. `cut`: the server left. `enough` and `late`: the reader stopped at its own limit. */
  readonly end: 'whole' | 'cut' | 'enough' | 'late';
}

const version = '2026-07-28';

export function rawMessage(method: string, params: JsonObject = {}, era: Era = 'modern', id = 7): JsonObject {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id, method, params: era === 'modern' ? { ...params, _meta } : params };
}

export async function rawCall(
  url: string,
  method: string,
  params: JsonObject = {},
  { era = 'modern', bytes = 1 << 20, ms = 10_000, headers = {} }: RawCallOptions = {},
): Promise<RawAnswer> {
  const modern = era === 'modern' ? { 'mcp-protocol-version': version, 'mcp-method': method } : {};
  return new Promise<RawAnswer>((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    let status = 0;
    let answered: RawAnswer['headers'] = {};
    const settle = (end: RawAnswer['end']) => {
      clearTimeout(timer);
      outgoing.destroy();
      resolve({ status, headers: answered, body: Buffer.concat(parts), end });
    };
    const timer = setTimeout(() => settle('late'), ms);
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...modern,
        ...headers,
      },
    });
    outgoing.on('error', () => settle('cut'));
    outgoing.on('response', (response) => {
      status = response.statusCode ?? 0;
      answered = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      );
      response.on('data', (part: Buffer) => {
        length += part.length;
        parts.push(part);
        if (length >= bytes) settle('enough');
      });
      response.on('error', () => settle('cut'));
      response.on('end', () => settle('whole'));
    });
    outgoing.end(JSON.stringify(rawMessage(method, params, era)));
  });
}
