/**
 * Lists connected runtimes and their paths with the fields, search and depth of the reference tools. Pages are our addition: a cursor is a
 * position in the order of registrations, so it stays valid when runtimes come and go.
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
  /** Default 1, or unlimited with a search. */
  readonly depth?: number | undefined;
  readonly type?: PathKind | undefined;
}

export interface RowPage<R> {
  readonly rows: readonly R[];
  readonly nextCursor?: string;
}

/** A position in the list: after this path of this registration. */
interface Position {
  readonly serial: number;
  readonly index: number;
}

function positionOf(cursor: string | undefined): Position {
  if (cursor === undefined) return { serial: 0, index: 0 };
  const [, serial, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (serial === undefined || index === undefined)
    throw new SkillwireError('INVALID_CURSOR', 'This server did not issue the cursor. Start again without a cursor.');
  return { serial: Number(serial), index: Number(index) };
}

function isAfter(at: Position, start: Position): boolean {
  return at.serial > start.serial || (at.serial === start.serial && at.index > start.index);
}

function pageOf<R>(rows: Iterable<readonly [Position, R]>, cursor: string | undefined): RowPage<R> {
  const start = positionOf(cursor);
  const page: R[] = [];
  let last = start;
  for (const [position, row] of rows) {
    if (!isAfter(position, start)) continue;
    if (page.length === limits.runtimes.listed) return { rows: page, nextCursor: `${last.serial}.${last.index}` };
    page.push(row);
    last = position;
  }
  return { rows: page };
}

/** The depth of a path. The first two levels count as one. */
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

export function listClients(clients: readonly RuntimeClient[], filter: ClientFilter = {}): RowPage<ListedClient> {
  const text = searched(filter.search);
  function* rows(): Generator<readonly [Position, ListedClient]> {
    for (const client of clients) {
      const row = listed(client);
      const { paths, connection, ...own } = row;
      const terms = [...Object.values(own), connection.mode, connection.authSource, ...paths.flatMap(termsOf)];
      if (text === undefined || has(text, terms)) yield [{ serial: client.serial, index: 1 }, row];
    }
  }
  return pageOf(rows(), filter.cursor);
}

export function listPaths(clients: readonly RuntimeClient[], filter: PathFilter = {}): RowPage<ListedPath> {
  const { clientId, type, cursor } = filter;
  const text = searched(filter.search);
  const depth = filter.depth ?? (text === undefined ? 1 : Number.POSITIVE_INFINITY);
  function* rows(): Generator<readonly [Position, ListedPath]> {
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
