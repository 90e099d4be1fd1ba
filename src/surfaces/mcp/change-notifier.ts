/**
 * Tells clients that skills changed. There is no notification of its own for skills: every change of an entry, be it only of
 * a file's bytes, is `resources/list_changed`, and each changed file is `resources/updated` for those who asked for it.
 *
 * Sessions of revisions before 2026-07-28 get `resources/updated` only for what they subscribed to. From then on the SDK
 * holds what each stream asked for and drops the rest, so every changed file is handed to it.
 */
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChange } from '../../catalog/catalog.ts';
import type { ReportError } from './method-errors.ts';

/** Findings may change alone; that is nothing that a client sees. */
function changesEntries({ added, removed, changed }: CatalogChange): boolean {
  return added.length + removed.length + changed.length > 0;
}

/** Publishes the changes of a catalog to the `subscriptions/listen` streams of an HTTP handler. */
export function publishChanges(catalog: Catalog, bus: ServerEventBus): () => void {
  return catalog.subscribe((change) => {
    if (!changesEntries(change)) return;
    bus.publish({ kind: 'resources_list_changed' });
    for (const uri of change.files) bus.publish({ kind: 'resource_updated', uri });
  });
}

/** The part of a server that carries notifications, as SDK 1.x and 2.x both have it. */
export interface NotifyingServer {
  readonly transport?: unknown;
  sendResourceListChanged(): Promise<void>;
  sendResourceUpdated(params: { uri: string }): Promise<void>;
}

export interface NotifyOptions {
  /** False as long as the client has not said which revision it speaks: nothing may be sent before. */
  readonly ready: () => boolean;
  /** Picks, from the canonical URIs of the changed files, the URIs to name to this client. */
  readonly wanted: (changed: readonly string[]) => readonly string[];
  readonly onerror?: ReportError | undefined;
}

/** Sends the changes of a catalog through one connected server. */
export function notifyServer(catalog: Catalog, server: NotifyingServer, options: NotifyOptions): () => void {
  const sent = (sending: Promise<void>): void => {
    // The connection may end while something is being sent; that it ended is known without this.
    sending.catch((error: unknown) => {
      if (server.transport !== undefined) options.onerror?.(error instanceof Error ? error : new Error(String(error)));
    });
  };
  return catalog.subscribe((change) => {
    if (server.transport === undefined || !options.ready() || !changesEntries(change)) return;
    sent(server.sendResourceListChanged());
    for (const uri of options.wanted(change.files)) sent(server.sendResourceUpdated({ uri }));
  });
}
