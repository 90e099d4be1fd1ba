/**
 * A wire over a client of the official MCP SDK that somebody has connected, 1.x or 2.x. The clients are taken by their shape, so
 * that their packages need not be the same copies. Answers come as the client hands them out: it may have checked them
 * first, and 2.x has taken `resultType` out.
 */
import { clientError } from './client-errors.ts';
import { decodeServerInfo, modernVersion } from './protocol.ts';
import { decodeInstructions, legacyRules, type Wire } from './wire.ts';

/** What is used of a connected client. */
export interface ConnectedClient {
  request(
    request: { method: string; params?: Record<string, unknown> },
    resultSchema: object,
    options?: { signal?: AbortSignal; timeout?: number; maxTotalTimeout?: number },
  ): Promise<unknown>;
  getServerCapabilities(): object | undefined;
  getServerVersion?(): object | undefined;
  getInstructions?(): string | undefined;
  getNegotiatedProtocolVersion?(): string | undefined;
  onclose?: (() => void) | undefined;
  close?(): Promise<void>;
}

/** Accepts every result: 2.x asks it as a Standard Schema, 1.x as a zod schema. */
const anything = {
  '~standard': { version: 1, vendor: 'skillwire', validate: (value: unknown) => ({ value }) },
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
  parseAsync: async (value: unknown) => value,
  safeParseAsync: async (data: unknown) => ({ success: true, data }),
} as const;

export interface ClientWireOptions {
  /** Whether closing the wire closes the client. */
  readonly closes: boolean;
}

export function clientWire(client: ConnectedClient, { closes }: ClientWireOptions): Wire {
  const version = client.getNegotiatedProtocolVersion?.();
  const modern = version !== undefined && version >= modernVersion;
  const info = decodeServerInfo(client.getServerVersion?.());
  const instructions = decodeInstructions(client.getInstructions?.());
  const listeners: (() => void)[] = [];
  const before = client.onclose;
  const onclose = (): void => {
    before?.();
    for (const listener of listeners.splice(0)) listener();
  };
  client.onclose = onclose;
  return {
    era: modern ? 'modern' : 'legacy',
    protocolVersion: version ?? '',
    capabilities: client.getServerCapabilities(),
    serverInfo: info,
    instructions,
    rules: modern ? { cacheFields: true, resultType: false } : legacyRules,
    stateless: false,
    async request(method, params, { signal, deadlineMs }) {
      const call = { method, deadlineMs, signal };
      try {
        return await client.request({ method, params: { ...params } }, anything, {
          timeout: deadlineMs,
          maxTotalTimeout: deadlineMs,
          signal,
        });
      } catch (error) {
        throw clientError(error, call);
      }
    },
    onClose: (listener) => listeners.push(listener),
    async close() {
      if (client.onclose === onclose) client.onclose = before;
      if (closes) await client.close?.();
    },
  };
}
