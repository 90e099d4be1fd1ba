/** JSON-RPC over HTTP written by hand, so that tests see exactly what is on the wire, in both eras. */

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const modernVersion = '2026-07-28';
export const legacyVersion = '2025-11-25';

async function parse(response: Response): Promise<RawAnswer> {
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const json = type.startsWith('text/event-stream')
    ? (text
        .split('\n')
        .filter((line) => line.startsWith('data: ') && line.length > 6)
        .map((line) => line.slice(6))
        .at(-1) ?? '{}')
    : text;
  return { status: response.status, headers: response.headers, ...(json === '' ? {} : JSON.parse(json)) };
}

/** One request of the stateless revision. */
export async function modern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const name: Record<string, string> =
    method === 'resources/read' ? { 'Mcp-Name': encodeHeader(String(params['uri'])) } : {};
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': modernVersion,
      'Mcp-Method': method,
      ...name,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': modernVersion,
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        },
      },
    }),
  });
  return parse(response);
}

function encodeHeader(value: string): string {
  return /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

export interface LegacySession {
  readonly initialized: RawAnswer;
  readonly headers: Record<string, string>;
  call(method: string, params?: Record<string, unknown>): Promise<RawAnswer>;
}

/** A session of an older revision. */
export async function legacySession(
  url: string,
  protocolVersion: string = legacyVersion,
  more: Record<string, string> = {},
): Promise<LegacySession> {
  let id = 0;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...more,
  };
  const post = async (body: object): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const initialize = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const initialized = await parse(await post({ id: ++id, method: 'initialize', params: initialize }));
  const session = initialized.headers.get('mcp-session-id');
  if (session !== null) headers['Mcp-Session-Id'] = session;
  headers['MCP-Protocol-Version'] = protocolVersion;
  await post({ method: 'notifications/initialized' });
  return {
    initialized,
    headers,
    call: async (method, params = {}) => parse(await post({ id: ++id, method, params })),
  };
}
