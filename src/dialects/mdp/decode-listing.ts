/**
 * Listings of MDP servers: answers of the tools `listPaths` and `listClients`, and of the routes `/mdp/skills` and
 * `/mdp/clients` of our hub. Unusable rows are left out and counted.
 */
import { isJsonObject } from '../../skill/json.ts';
import type { SkillDescriptor } from './messages.ts';
import { isSkillPath } from './path-grammar.ts';
import { staticFault } from './static-declaration.ts';

export interface ListedLiveSkill extends SkillDescriptor {
  readonly clientId: string;
  readonly clientName: string;
}

export interface ListedRuntime {
  readonly id: string;
  readonly name: string;
  readonly paths: number;
  /** Skills that the policy of the hub keeps from readers. Our own hub says it to operators. */
  readonly hidden?: number;
  /** ISO 8601. */
  readonly connectedAt?: string;
  readonly lastSeenAt?: string;
  readonly lastCallAt?: string;
  readonly transport?: string;
}

export interface ListingRows<R> {
  readonly rows: readonly R[];
  readonly unusable: number;
  readonly nextCursor?: string;
  /** ISO 8601: when the hub started. Our own hub sends it. */
  readonly startedAt?: string;
}

/** `undefined` if the answer is not a listing of skills. */
export function decodeListedSkills(answer: unknown): ListingRows<ListedLiveSkill> | undefined {
  const rows = rowsOf(answer, ['skills', 'paths']);
  if (rows === undefined) return undefined;
  return decodeRows(
    answer,
    rows.filter((row) => !isJsonObject(row) || (row.type !== 'endpoint' && row.type !== 'prompt')),
    listedSkill,
  );
}

/** `undefined` if the answer is not a listing of runtimes. */
export function decodeListedRuntimes(answer: unknown): ListingRows<ListedRuntime> | undefined {
  const rows = rowsOf(answer, ['clients']);
  return rows === undefined ? undefined : decodeRows(answer, rows, listedRuntime);
}

function rowsOf(answer: unknown, names: readonly string[]): readonly unknown[] | undefined {
  if (!isJsonObject(answer)) return undefined;
  return names.map((name) => answer[name]).find((value): value is readonly unknown[] => Array.isArray(value));
}

function decodeRows<R>(
  answer: unknown,
  rows: readonly unknown[],
  read: (row: unknown) => R | undefined,
): ListingRows<R> {
  const good = rows.map(read).filter((row) => row !== undefined);
  const cursor = isJsonObject(answer) ? answer.nextCursor : undefined;
  const startedAt = isJsonObject(answer) ? answer.startedAt : undefined;
  return {
    rows: good,
    unusable: rows.length - good.length,
    ...(typeof cursor === 'string' ? { nextCursor: cursor } : {}),
    ...(typeof startedAt === 'string' ? { startedAt } : {}),
  };
}

function listedSkill(row: unknown): ListedLiveSkill | undefined {
  if (!isJsonObject(row) || row.type !== 'skill') return undefined;
  const { clientId, clientName, path, description, contentType, _meta } = row;
  if (typeof clientId !== 'string' || clientId === '' || typeof path !== 'string' || !isSkillPath(path))
    return undefined;
  if (isJsonObject(_meta) && staticFault(_meta) !== undefined) return undefined;
  return {
    type: 'skill',
    clientId,
    clientName: typeof clientName === 'string' ? clientName : clientId,
    path,
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof contentType === 'string' ? { contentType } : {}),
    ...(isJsonObject(_meta) ? { _meta } : {}),
  };
}

function listedRuntime(row: unknown): ListedRuntime | undefined {
  if (!isJsonObject(row) || typeof row.id !== 'string') return undefined;
  const { id, name, paths, hidden, connection, connectedAt, lastSeenAt, lastCallAt } = row;
  const mode = isJsonObject(connection) ? connection.mode : undefined;
  return {
    id,
    name: typeof name === 'string' ? name : id,
    paths: Array.isArray(paths) ? paths.length : 0,
    ...(Number.isSafeInteger(hidden) && Number(hidden) > 0 ? { hidden: Number(hidden) } : {}),
    ...(typeof connectedAt === 'string' ? { connectedAt } : {}),
    ...(typeof lastSeenAt === 'string' ? { lastSeenAt } : {}),
    ...(typeof lastCallAt === 'string' ? { lastCallAt } : {}),
    ...(typeof mode === 'string' ? { transport: mode } : {}),
  };
}
