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

/** Addresses of older dialects that a change concerns; they are told after the files. */
export type ChangedAliases = (change: CatalogChange) => Promise<readonly string[]>;

export interface PublishOptions {
  readonly aliases?: ChangedAliases;
  /** Lists that change with the skills, beside that of resources. */
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
  readonly aliases?: ChangedAliases;
  /** Sends what else a change of the skills changes. */
  readonly also?: readonly (() => Promise<void>)[];
  readonly onerror?: ReportError | undefined;
}

/** Sends the changes of a catalog through one connected server. */
export function notifyServer(catalog: Catalog, server: NotifyingServer, options: NotifyOptions): () => void {
  const sent = (sending: Promise<void>): void => {
    // The connection may end while something is being sent; that it ended is known without this.
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
