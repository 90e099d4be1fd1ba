/**
 * Which runtimes are connected and what they expose, as the reference's tools tell it: the same fields, the same search and the
 * same depth. Pages are ours: a cursor is a place in the order of registrations, good also when runtimes come and go.
 */
import type { ClientDescriptor, PathDescriptor } from '../../dialects/mdp/messages.ts';
import type { PathKind } from '../../dialects/mdp/path-grammar.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { RuntimeClient } from '../../runtimes/runtime-registry.ts';

export type ListedClient = ClientDescriptor & {
  readonly status: 'online';
  readonly connectedAt: string;
  readonly lastSeenAt: string;
  readonly lastCallAt?: string;
  readonly connection: RuntimeClient['connection'];
};

export type ListedPath = { readonly clientId: string; readonly clientName: string } & PathDescriptor;

export interface ClientFilter {
  readonly search?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface PathFilter extends ClientFilter {
  readonly clientId?: string | undefined;
  /** Absent means 1, or any where something is searched for. */
  readonly depth?: number | undefined;
  readonly type?: PathKind | undefined;
}

export interface ListingPage<R> {
  readonly rows: readonly R[];
  readonly nextCursor?: string;
}

/** A place in the order: after this path of this registration. */
interface Place {
  readonly serial: number;
  readonly index: number;
}

function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { serial: 0, index: 0 };
  const [, serial, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (serial === undefined || index === undefined)
    throw new SkillwireError(
      'INVALID_CURSOR',
      'cannot continue the list: the cursor was not issued by this server; start again without a cursor',
    );
  return { serial: Number(serial), index: Number(index) };
}

function isAfter(at: Place, place: Place): boolean {
  return at.serial > place.serial || (at.serial === place.serial && at.index > place.index);
}

function pageOf<R>(rows: Iterable<readonly [Place, R]>, cursor: string | undefined): ListingPage<R> {
  const start = placeOf(cursor);
  const page: R[] = [];
  let last = start;
  for (const [place, row] of rows) {
    if (!isAfter(place, start)) continue;
    if (page.length === limits.runtimes.listed) return { rows: page, nextCursor: `${last.serial}.${last.index}` };
    page.push(row);
    last = place;
  }
  return { rows: page };
}

/** How deep a path lies: the first two levels are one. */
export function pathDepth(path: string): number {
  return Math.max(1, path.split('/').length - 3);
}

function searched(search: string | undefined): string | undefined {
  const text = search?.trim().toLowerCase();
  return text === '' ? undefined : text;
}

function has(text: string, values: readonly unknown[]): boolean {
  return values.some((value) => {
    if (value === undefined) return false;
    return (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase().includes(text);
  });
}

function termsOf(descriptor: PathDescriptor): readonly unknown[] {
  const { type, path, description } = descriptor;
  const terms: unknown[] = [type, path, description];
  if ('contentType' in descriptor) terms.push(descriptor.contentType);
  if ('inputSchema' in descriptor) terms.push(descriptor.inputSchema);
  if ('outputSchema' in descriptor) terms.push(descriptor.outputSchema);
  if ('method' in descriptor) terms.push(descriptor.method);
  return terms;
}

function listed({ serial: _, connectedAt, lastSeenAt, lastCallAt, ...client }: RuntimeClient): ListedClient {
  return {
    ...client,
    status: 'online',
    connectedAt: connectedAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    lastCallAt: lastCallAt?.toISOString(),
  };
}

export function listClients(clients: readonly RuntimeClient[], filter: ClientFilter = {}): ListingPage<ListedClient> {
  const text = searched(filter.search);
  function* rows(): Generator<readonly [Place, ListedClient]> {
    for (const client of clients) {
      const row = listed(client);
      const { paths, connection, ...own } = row;
      const terms = [...Object.values(own), connection.mode, connection.authSource, ...paths.flatMap(termsOf)];
      if (text === undefined || has(text, terms)) yield [{ serial: client.serial, index: 1 }, row];
    }
  }
  return pageOf(rows(), filter.cursor);
}

export function listPaths(clients: readonly RuntimeClient[], filter: PathFilter = {}): ListingPage<ListedPath> {
  const { clientId, type, cursor } = filter;
  const text = searched(filter.search);
  const depth = filter.depth ?? (text === undefined ? 1 : Number.POSITIVE_INFINITY);
  function* rows(): Generator<readonly [Place, ListedPath]> {
    for (const { id, name, serial, paths } of clients) {
      if (clientId !== undefined && clientId !== id) continue;
      for (const [at, descriptor] of paths.entries()) {
        if (pathDepth(descriptor.path) > depth || (type !== undefined && descriptor.type !== type)) continue;
        if (text !== undefined && !has(text, [id, name, ...termsOf(descriptor)])) continue;
        yield [
          { serial, index: at + 1 },
          { clientId: id, clientName: name, ...descriptor },
        ];
      }
    }
  }
  return pageOf(rows(), cursor);
}
