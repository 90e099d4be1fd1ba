/** MCP over stdio for a catalog, in every revision. The first messages are answered at once; requests for skills wait for the catalog. */
import type { Readable, Writable } from 'node:stream';
import type { Catalog } from '../../catalog/catalog.ts';
import { limits } from '../../limits.ts';
import { createServedMethods } from '../../surfaces/mcp/served-methods.ts';
import type { SkillsServerOptions } from '../../surfaces/mcp/server-options.ts';
import { createStdioShortcut } from './stdio-shortcut.ts';
import { createStdioTransport, type ParseMessage } from './stdio-transport.ts';

export interface StdioOptions extends SkillsServerOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** How long to wait for pending answers after stdin ends. */
  readonly endedMs?: number;
}

export function serveCatalogOverStdio(catalog: Catalog, options: StdioOptions = {}) {
  const { stdin = process.stdin, stdout = process.stdout, onerror, endedMs = limits.stdio.endedMs } = options;
  const methods = createServedMethods(catalog, options);
  const shortcut = createStdioShortcut(catalog, options, methods);
  const transport = createStdioTransport(stdin, stdout, { shortcut, loadSdk });
  let connection: { close(): Promise<void> } | undefined;

  /** Clients that only list and read skills in the newest revision never load the SDK. */
  async function loadSdk(): Promise<ParseMessage> {
    const [{ parseJSONRPCMessage }, { serveStdio }, { createSkillsServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
      import('../../surfaces/mcp/skills-server.ts'),
    ]);
    const makeServer = createSkillsServer(catalog, options, methods);
    const factory: typeof makeServer = (ctx) => {
      shortcut.serverMade(ctx.era);
      return makeServer(ctx);
    };
    connection = serveStdio(factory, { transport, maxSubscriptions: limits.http.streams, onerror });
    await transport.replay(shortcut.sdkLoaded().map(parseJSONRPCMessage));
    return parseJSONRPCMessage;
  }

  if (onerror !== undefined) transport.onerror = onerror;
  void transport.start();

  let finishing: Promise<void> | undefined;
  let cancelWaiting: () => void = () => {};
  const canceled = new Promise<void>((resolve) => {
    cancelWaiting = resolve;
  });

  async function finish(): Promise<void> {
    transport.stopReading();
    await Promise.race([transport.idle(), canceled]);
    await (connection ?? transport).close();
  }

  /** The shortest deadline of all callers wins. A client that neither sends nor reads is not waited for. */
  async function finishWithin(milliseconds: number): Promise<void> {
    let unread = -1;
    const stalled = setInterval(() => {
      if (stdout.writableLength > 0 && stdout.writableLength === unread) cancelWaiting();
      unread = stdout.writableLength;
    }, limits.stdio.shutdownMs / 2);
    const timer = setTimeout(cancelWaiting, milliseconds);
    finishing ??= finish();
    await finishing.finally(() => {
      clearInterval(stalled);
      clearTimeout(timer);
    });
  }

  return {
    /** Resolves when the connection has ended for any reason. */
    closed: transport.ended.then(() => finishWithin(endedMs)),
    /** Stops reading requests, waits for pending answers, and closes the connection. */
    close: (): Promise<void> => finishWithin(limits.stdio.shutdownMs),
  };
}
