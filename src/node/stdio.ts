/**
 * MCP over stdio for a catalog, on every revision. The catalog need not be loaded: the first messages are answered at once,
 * and what needs skills waits for them.
 */
import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Catalog } from '../catalog/catalog.ts';
import { limits } from '../limits.ts';
import type { SkillsServerOptions } from '../surfaces/mcp/server-options.ts';
import { createSkillsServer } from '../surfaces/mcp/skills-server.ts';
import { createStdioShortcut } from './stdio-shortcut.ts';
import { createStdioTransport } from './stdio-transport.ts';

export interface StdioOptions extends SkillsServerOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

export interface StdioHandle {
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
  /** Takes no further requests, lets those be answered that are under way, and ends the connection. */
  close(): Promise<void>;
}

export function serveCatalogOverStdio(catalog: Catalog, options: StdioOptions = {}): StdioHandle {
  const { stdin = process.stdin, stdout = process.stdout, onerror } = options;
  const shortcut = createStdioShortcut(catalog, options);
  const transport = createStdioTransport(stdin, stdout, { shortcut });
  const makeServer = createSkillsServer(catalog, options);
  const factory: typeof makeServer = (ctx) => {
    shortcut.serverMade(ctx.era);
    return makeServer(ctx);
  };
  const connection = serveStdio(factory, {
    transport,
    maxSubscriptions: limits.http.subscriptions,
    ...(onerror === undefined ? {} : { onerror }),
  });

  async function finish(): Promise<void> {
    transport.stopReading();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limits.stdio.shutdownMs);
    });
    await Promise.race([transport.idle(), deadline]);
    clearTimeout(timer);
    await connection.close();
  }

  let finishing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    finishing ??= finish();
    return finishing;
  };
  return { closed: transport.ended.then(close), close };
}
