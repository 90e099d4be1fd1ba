/** Streams of a server as clients of both eras open them, read as text until they end. */
import { modernVersion } from './contract/raw-mcp.ts';

export interface OpenStream {
  readonly status: number;
  /** The text received so far. */
  text(): string;
  readonly isEnded: () => boolean;
  /** Resolves when the server ends it, with the error if it was cut. */
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

async function reading(url: string, init: RequestInit): Promise<OpenStream> {
  const abort = new AbortController();
  const response = await fetch(url, { ...init, signal: abort.signal });
  const seen: string[] = [];
  let over = false;
  const ended = (async () => {
    for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk).toString());
  })()
    .catch((error: unknown) => error)
    .finally(() => {
      over = true;
    });
  return {
    status: response.status,
    text: () => seen.join(''),
    isEnded: () => over,
    ended,
    async close() {
      abort.abort();
      await ended;
    },
  };
}

/** `subscriptions/listen` of revision 2026-07-28. */
export function openListen(mcp: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const notifications = { resourcesListChanged: true, toolsListChanged: true };
  const method = 'subscriptions/listen';
  return reading(mcp, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta } }),
  });
}

/** `GET` of a session of an older revision. */
export function openSessionStream(mcp: string, headers: Readonly<Record<string, string>>): Promise<OpenStream> {
  const { Accept: _, 'Content-Type': __, ...own } = headers;
  return reading(mcp, { headers: { ...own, accept: 'text/event-stream' } });
}
