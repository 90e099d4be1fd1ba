/**
 * The tables of a cluster, in a schema of its own. They are created and migrated in one transaction under a lock, so several servers may
 * start at once. `readable` is the oldest version that can still work with the tables. A migration that only adds something leaves it unchanged. So
 * servers of two neighboring versions can run together during an upgrade. Servers check it with every page of the log.
 */
import type { ClientBase } from 'pg';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

/** The smallest version of PostgreSQL that is supported. */
export const smallestServer = 13;

/** The schema of a cluster, quoted. `clusterPattern` keeps it safe. */
export function schemaOf(cluster: string): string {
  return `"skillwire_${cluster}"`;
}

interface Migration {
  readonly version: number;
  /** The oldest version of Skillwire's tables whose servers can still run after it. */
  readonly readable: number;
  readonly statements: (schema: string) => string;
}

/** Each one starts from the tables of the version before. They stay here forever, and none is ever edited. */
const migrations: readonly Migration[] = [
  {
    version: 1,
    readable: 1,
    statements: (schema) => `
  create schema if not exists ${schema};
  create table ${schema}.meta (version integer not null, readable integer not null);
  insert into ${schema}.meta values (1, 1);
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
`,
  },
  {
    // Servers of version 1 run beside it until the first entries are removed from the log (`postgres-snapshots.ts`).
    version: 2,
    readable: 1,
    statements: (schema) => `
  alter table ${schema}.head add column first bigint not null default 1;
  create table ${schema}.snapshots (
    id uuid primary key,
    sequence bigint not null,
    entry text not null,
    version integer not null,
    parts integer not null,
    complete boolean not null default false,
    created timestamptz not null default clock_timestamp()
  );
  create table ${schema}.snapshot_parts (
    id uuid not null references ${schema}.snapshots on delete cascade,
    part integer not null,
    payload json not null,
    primary key (id, part)
  );
  create table ${schema}.temporary (
    name text primary key,
    value json not null,
    until timestamptz not null
  );
  create table ${schema}.leases (
    name text primary key,
    holder text not null,
    until timestamptz not null
  );
`,
  },
];

export const schemaVersion = migrations.length;

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
    await client.query(`set local lock_timeout = ${limits.store.statementMs}`);
    await client.query('select pg_advisory_xact_lock(hashtext($1))', [`skillwire ${cluster}`]);
    const { rows: known } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'skillwire\\_%' order by 1`,
    );
    const names = known.map(({ name }) => name.slice('skillwire_'.length));
    const isThere = names.includes(cluster);
    if (!isThere && !create) throw unknownCluster(cluster, names, place);
    await migrate(client, schema, isThere ? await versionOf(client, schema, place) : 0);
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

async function versionOf(client: Pick<ClientBase, 'query'>, schema: string, place: string): Promise<number> {
  const { rows } = await client.query<TablesVersion>(`select version, readable from ${schema}.meta`);
  const [found = { version: 0, readable: Number.POSITIVE_INFINITY }] = rows;
  requireReadable(found, place);
  return found.version;
}

async function migrate(client: Pick<ClientBase, 'query'>, schema: string, from: number): Promise<void> {
  for (const { version, readable, statements } of migrations) {
    if (version <= from) continue;
    await client.query(statements(schema));
    await client.query(`update ${schema}.meta set version = $1, readable = greatest(readable, $2)`, [
      version,
      readable,
    ]);
  }
}

export interface TablesVersion {
  readonly version: number;
  /** The oldest version that can work with the tables. */
  readonly readable: number;
}

/** @throws SkillwireError STATE_UNUSABLE if only a newer Skillwire can work with the tables */
export function requireReadable({ version, readable }: TablesVersion, place: string): void {
  if (readable <= schemaVersion) return;
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
