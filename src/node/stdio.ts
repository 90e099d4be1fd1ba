/**
 * MCP over stdio for a catalog, on every revision. The catalog need not be loaded: the first messages are answered at once,
 * and what needs skills waits for them.
 */
import type { Readable, Writable } from 'node:stream';
import type { Catalog } from '../catalog/catalog.ts';
import { limits } from '../limits.ts';
import type { SkillsServerOptions } from '../surfaces/mcp/server-options.ts';
import { createStdioShortcut } from './stdio-shortcut.ts';
import { createStdioTransport, type ParseMessage } from './stdio-transport.ts';

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
  const transport = createStdioTransport(stdin, stdout, { shortcut, loadSdk });
  let connection: { close(): Promise<void> } | undefined;

  /** A host that only lists and reads skills in the newest revision never waits for the SDK. */
  async function loadSdk(): Promise<ParseMessage> {
    const [{ parseJSONRPCMessage }, { serveStdio }, { createSkillsServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
      import('../surfaces/mcp/skills-server.ts'),
    ]);
    const makeServer = createSkillsServer(catalog, options);
    const factory: typeof makeServer = (ctx) => {
      shortcut.serverMade(ctx.era);
      return makeServer(ctx);
    };
    connection = serveStdio(factory, {
      transport,
      maxSubscriptions: limits.http.subscriptions,
      ...(onerror === undefined ? {} : { onerror }),
    });
    await transport.replay(shortcut.sdkLoaded().map(parseJSONRPCMessage));
    return parseJSONRPCMessage;
  }

  if (onerror !== undefined) transport.onerror = onerror;
  void transport.start();

  async function finish(): Promise<void> {
    transport.stopReading();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limits.stdio.shutdownMs);
    });
    await Promise.race([transport.idle(), deadline]);
    clearTimeout(timer);
    await (connection ?? transport).close();
  }

  let finishing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    finishing ??= finish();
    return finishing;
  };
  return { closed: transport.ended.then(close), close };
}
