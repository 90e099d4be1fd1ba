/**
 * The tables of a cluster, in a schema of its own. They are created and migrated in one transaction under a lock, so several servers may
 * start at once. `readable` is the oldest version that can still work with the tables. A migration that only adds something leaves it unchanged. So
 * servers of two neighboring versions can run together during an upgrade.
 */
import type { ClientBase } from 'pg';
import { SkillwireError } from '../../errors.ts';

export const schemaVersion = 1;
/** The smallest version of PostgreSQL that is supported. */
export const smallestServer = 13;

/** The schema of a cluster, quoted. `clusterPattern` keeps it safe. */
export function schemaOf(cluster: string): string {
  return `"skillwire_${cluster}"`;
}

const tables = (schema: string): string => `
  create schema if not exists ${schema};
  create table ${schema}.meta (version integer not null, readable integer not null);
  insert into ${schema}.meta values (${schemaVersion}, ${schemaVersion});
  create table ${schema}.head (
    only_row boolean primary key default true check (only_row),
    epoch uuid not null default gen_random_uuid(),
    last bigint not null default 0,
    audited bigint not null default 0
  );
  insert into ${schema}.head default values;
  create table ${schema}.log (
    sequence bigint primary key,
    id text not null unique,
    version integer not null,
    at timestamptz not null default clock_timestamp(),
    entry json not null
  );
  create table ${schema}.audit (
    position bigint primary key,
    id text not null unique,
    record json not null
  );
  create table ${schema}.blobs (
    digest text primary key,
    size integer not null,
    used_at timestamptz not null default clock_timestamp(),
    bytes bytea not null
  );
  alter table ${schema}.blobs alter column bytes set storage external;
  create table ${schema}.members (
    instance text primary key,
    id text not null,
    version text not null,
    applied bigint not null,
    serves_ms bigint not null,
    heard timestamptz not null
  );
`;

export interface SchemaOptions {
  readonly cluster: string;
  readonly place: string;
  /** `false`: a cluster that does not exist is an error, because its name may be misspelled. */
  readonly create: boolean;
  readonly warn: (message: string) => void;
}

/** @throws SkillwireError STATE_UNUSABLE with a remedy */
export async function prepareSchema(client: Pick<ClientBase, 'query'>, options: SchemaOptions): Promise<void> {
  const { cluster, place, create, warn } = options;
  const schema = schemaOf(cluster);
  const { isSynced } = await requireServer(client, place);
  // A server says it once; commands would say it each time.
  if (create && !isSynced)
    warn(`PostgreSQL at ${place}: fsync is off, so a power failure can lose acknowledged decisions. Set it to "on".`);
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock(hashtext($1))', [`skillwire ${cluster}`]);
    const { rows: known } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'skillwire\\_%' order by 1`,
    );
    const names = known.map(({ name }) => name.slice('skillwire_'.length));
    if (names.includes(cluster)) await requireReadable(client, schema, place);
    else if (create) await client.query(tables(schema));
    else throw unknownCluster(cluster, names, place);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function requireServer(
  client: Pick<ClientBase, 'query'>,
  place: string,
): Promise<{ readonly isSynced: boolean }> {
  const { rows } = await client.query<{ version: number; standby: boolean; commit: string; sync: string }>(
    `select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby,
     current_setting('synchronous_commit') as commit, current_setting('fsync') as sync`,
  );
  const [{ version, standby, commit, sync } = { version: 0, standby: false, commit: '', sync: '' }] = rows;
  if (version < smallestServer * 10_000)
    throw refused(place, `it is version ${Math.floor(version / 10_000)}`, `Use PostgreSQL ${smallestServer} or newer.`);
  if (standby) throw refused(place, 'it is a read-only standby', 'Use the address of the primary server.');
  requireDurable(commit, place);
  return { isSynced: sync === 'on' };
}

/** @param commit the setting `synchronous_commit` */
export function requireDurable(commit: string, place: string): void {
  if (commit !== 'off') return;
  throw refused(
    place,
    'synchronous_commit is off, so acknowledged decisions could be lost',
    'Set it to "on" for this user or database.',
  );
}

async function requireReadable(client: Pick<ClientBase, 'query'>, schema: string, place: string): Promise<void> {
  const { rows } = await client.query<{ version: number; readable: number }>(
    `select version, readable from ${schema}.meta`,
  );
  const [{ version, readable } = { version: 0, readable: Number.POSITIVE_INFINITY }] = rows;
  if (readable > schemaVersion)
    throw refused(place, `the tables have version ${version} of a newer Skillwire`, 'Upgrade this Skillwire.');
}

function unknownCluster(cluster: string, known: readonly string[], place: string): SkillwireError {
  const others = known.length === 0 ? 'It has none.' : `It has: ${known.map((name) => `"${name}"`).join(', ')}.`;
  return refused(
    place,
    `there is no cluster "${cluster}". ${others.slice(0, -1)}`,
    'Correct "cluster" in "store", or start "skillwire serve" first, which creates it.',
  );
}

function refused(place: string, what: string, remedy: string): SkillwireError {
  return new SkillwireError('STATE_UNUSABLE', `PostgreSQL at ${place}: ${what}. ${remedy}`, { data: { place } });
}
