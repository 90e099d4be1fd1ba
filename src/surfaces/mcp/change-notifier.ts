/**
 * Notifies clients of changed skills. The protocol has no notification for skills. Every change of an entry, even of one byte, sends
 * `resources/list_changed`; each changed file sends `resources/updated` to its subscribers.
 *
 * For revisions before 2026-07-28 this module filters by subscription. For later ones the SDK does so, and gets every changed file.
 */
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChange } from '../../catalog/catalog.ts';
import type { ReportError } from './method-errors.ts';

/** Clients do not see findings, so a change of findings alone is ignored. */
function changesEntries({ added, removed, changed }: CatalogChange): boolean {
  return added.length + removed.length + changed.length > 0;
}

/** Returns the dialect addresses that a change affects. They are sent after the files. */
export type ChangedAliases = (change: CatalogChange) => Promise<readonly string[]>;

export interface PublishOptions {
  readonly aliases?: ChangedAliases;
  /** Other lists that change with the skills. */
  readonly lists?: readonly ('tools_list_changed' | 'prompts_list_changed')[];
  readonly onerror?: ReportError | undefined;
}

/** Publishes the changes of a catalog to the `subscriptions/listen` streams of an HTTP handler. */
export function publishChanges(catalog: Catalog, bus: ServerEventBus, options: PublishOptions = {}): () => void {
  return catalog.subscribe((change) => {
    if (!changesEntries(change)) return;
    bus.publish({ kind: 'resources_list_changed' });
    for (const kind of options.lists ?? []) bus.publish({ kind });
    for (const uri of change.files) bus.publish({ kind: 'resource_updated', uri });
    options
      .aliases?.(change)
      .then((aliases) => {
        for (const uri of aliases) bus.publish({ kind: 'resource_updated', uri });
      })
      .catch((error: unknown) => options.onerror?.(asError(error)));
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The part of a server that sends notifications, the same in SDK 1.x and 2.x. */
export interface NotifyingServer {
  readonly transport?: unknown;
  sendResourceListChanged(): Promise<void>;
  sendResourceUpdated(params: { uri: string }): Promise<void>;
}

export interface NotifyOptions {
  /** False until the client has sent its revision: nothing may be sent before. */
  readonly ready: () => boolean;
  /** Maps the canonical URIs of changed files to the URIs to send to this client. */
  readonly wanted: (changed: readonly string[]) => readonly string[];
  readonly aliases?: ChangedAliases;
  /** Further notifications to send with a change of skills. */
  readonly also?: readonly (() => Promise<void>)[];
  readonly onerror?: ReportError | undefined;
}

/** Sends the changes of a catalog through one connected server. */
export function notifyServer(catalog: Catalog, server: NotifyingServer, options: NotifyOptions): () => void {
  const sent = (sending: Promise<void>): void => {
    // If the connection closed while sending, the error is expected.
    sending.catch((error: unknown) => {
      if (server.transport !== undefined) options.onerror?.(asError(error));
    });
  };
  const sendUpdates = (changed: readonly string[]): void => {
    for (const uri of options.wanted(changed)) sent(server.sendResourceUpdated({ uri }));
  };
  return catalog.subscribe((change) => {
    if (server.transport === undefined || !options.ready() || !changesEntries(change)) return;
    sent(server.sendResourceListChanged());
    for (const send of options.also ?? []) sent(send());
    sendUpdates(change.files);
    if (options.aliases !== undefined)
      sent(
        options.aliases(change).then((aliases) => {
          if (server.transport !== undefined) sendUpdates(aliases);
        }),
      );
  });
}

/**
 * Work that lasts as long as a server is connected. It begins with `connect` and ends with the transport, also if that closes
 * while connecting; a server that connects again begins again. The owner's own `onclose` is not touched.
 */
interface ClosableTransport {
  onclose?: (() => void) | undefined;
}

interface ConnectableServer<T extends ClosableTransport> {
  connect(transport: T): Promise<void>;
}

/**
 * Calls `begin` at each connect, and the function it returned when that connection ends, even if it closes while connecting. The owner's
 * `onclose` still runs.
 */
export function whileConnected<T extends ClosableTransport>(
  server: ConnectableServer<T>,
  begin: (transport: T) => () => void,
): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    let end: (() => void) | undefined = begin(transport);
    const stop = (): void => {
      end?.();
      end = undefined;
    };
    const previous = transport.onclose;
    transport.onclose = () => {
      stop();
      previous?.();
    };
    try {
      await connect(transport);
    } catch (error) {
      stop();
      throw error;
    }
  };
}
