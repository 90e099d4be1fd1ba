/**
 * A stand-in for a skill server that others wrote. It is a small MCP server of the older way on a real socket, which answers exactly what
 * its file says. `from` names where the facts about the real one came from.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Params = Readonly<Record<string, unknown>>;

/** An error of JSON-RPC instead of a result. */
export class Fault extends Error {
  readonly code: number;

  constructor(code: number, message = 'no') {
    super(message);
    this.code = code;
  }
}

export interface StandIn {
  readonly name: string;
  readonly from: string;
  readonly capabilities: object;
  readonly instructions?: string;
  readonly methods: Readonly<Record<string, (params: Params) => unknown>>;
}

export interface RunningStandIn {
  readonly url: string;
  /** Method and, if any, URI or name of each request so far. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Params;
}

export async function startStandIn(standIn: StandIn): Promise<RunningStandIn> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(await bodyOf(request)) as Message;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const { uri, name } = message.params ?? {};
    requests.push([message.method, uri ?? name].filter((word) => word !== undefined).join(' '));
    const answer = await answerTo(standIn, message);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function answerTo(
  { name, capabilities, instructions, methods }: StandIn,
  { method, params = {} }: Message,
): Promise<object> {
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: '2025-06-18',
        capabilities,
        serverInfo: { name, version: '1.0.0' },
        ...(instructions === undefined ? {} : { instructions }),
      },
    };
  const answer = methods[method];
  try {
    if (answer === undefined) throw new Fault(-32601, 'Method not found');
    return { result: await answer(params) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

export type Content = string | Uint8Array | object;

/** `resources/read` from a table; this server's own error for anything else. */
export function reading(
  contents: Readonly<Record<string, Content>>,
  fault: (uri: string) => unknown = () => {
    throw new Fault(-32002, 'Resource not found');
  },
): (params: Params) => unknown {
  return ({ uri }) => {
    const content = contents[String(uri)];
    if (content === undefined) return fault(String(uri));
    if (typeof content === 'string') return { contents: [{ uri, mimeType: 'text/markdown', text: content }] };
    if (content instanceof Uint8Array)
      return {
        contents: [{ uri, mimeType: 'application/octet-stream', blob: Buffer.from(content).toString('base64') }],
      };
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(content) }] };
  };
}

/** `resources/list` of these rows. */
export function listing(...rows: readonly object[]): () => unknown {
  return () => ({ resources: rows });
}

export const markdown = (uri: string, name: string, description = ''): object => ({
  uri,
  name,
  description,
  mimeType: 'text/markdown',
});

/** The text of a `SKILL.md`. */
export const skillMd = (name: string, description = `About ${name}.`, body = `# ${name}\n`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;
