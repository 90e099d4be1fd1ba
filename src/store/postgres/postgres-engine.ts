/**
 * The engine on PostgreSQL. One row, `head`, has the last sequence number. An append updates that row and inserts the entry, its audit
 * records and a notification in one statement. So entries are gapless and in the order of their commits. A notification only wakes readers;
 * entries are read by sequence number, so a lost notification delays and never loses anything.
 */
import type { Client, Pool, QueryConfig } from 'pg';
import { limits } from '../../limits.ts';
import type { LogEngine, LogEntry } from '../shared/log-engine.ts';
import type { Member } from '../store.ts';
import { postgresBlobs } from './postgres-blobs.ts';
import { codeIn, postgresFailure } from './postgres-failure.ts';
import { replaceablePool } from './postgres-pool.ts';
import type { Query } from './postgres-query.ts';
import { requireDurable, requireReadable, schemaOf } from './postgres-schema.ts';
import { newestSnapshot, postgresSnapshots } from './postgres-snapshots.ts';
import { postgresTemporary } from './postgres-temporary.ts';

export interface PostgresEngineOptions {
  readonly makePool: () => Pool;
  /** A client for notifications, not connected yet. */
  readonly listener: () => Client;
  readonly cluster: string;
  readonly place: string;
  readonly onDamaged: (digest: string) => void;
}

interface HeadRow {
  readonly epoch: string;
  readonly last: string;
  readonly commit: string;
  /** It may lack the last entries. */
  readonly standby: boolean;
  readonly first: string;
  readonly tables: number;
  readonly readable: number;
  readonly snapshot: string | null;
  readonly taken: string;
  readonly entry: string;
  readonly format: number;
  readonly parts: number;
}

/** SQLSTATE of a server that cannot be written to. */
const readOnly = '25006';

interface EntryRow extends HeadRow {
  readonly sequence: string | null;
  readonly id: string;
  readonly version: number;
  readonly payload: string | null;
}

export function postgresEngine({ makePool, listener, cluster, place, onDamaged }: PostgresEngineOptions): LogEngine {
  const schema = schemaOf(cluster);
  const query: Query = async (text, values = [], { timeoutMs = limits.store.statementMs } = {}) => {
    const config: QueryConfig & { query_timeout: number } = { text, values: [...values], query_timeout: timeoutMs };
    const used = pool.current();
    try {
      return await used.query(config);
    } catch (error) {
      throw failed(used, error);
    }
  };
  let reconnect = (): void => undefined;
  const pool = replaceablePool(makePool, () => reconnect());

  function failed(used: Pool, error: unknown): unknown {
    const code = codeIn(error);
    pool.failed(used, code);
    return postgresFailure(error, place, code === readOnly ? 'STORE_AWAY' : undefined);
  }

  return {
    async read(from) {
      // The limits tell the planner that these tables have one row. It would compile the statement otherwise, which takes longer than to run it.
      const used = pool.current();
      const { rows } = await query<EntryRow>(
        `select h.epoch, h.last, h.first, m.version as tables, m.readable, pg_is_in_recovery() as standby,
                current_setting('synchronous_commit') as commit,
                s.id as snapshot, s.sequence as taken, s.entry, s.version as format, s.parts,
                l.sequence, l.id, l.version, case when l.sequence > $1 then l.entry::text end as payload
         from (select * from ${schema}.head limit 1) h
         cross join (select * from ${schema}.meta limit 1) m
         left join lateral (${newestSnapshot(schema)}) s on true
         left join lateral (
           select * from ${schema}.log where sequence >= $1 order by sequence limit $2
         ) l on true order by l.sequence`,
        [from, limits.store.pageEntries],
      );
      const [head] = rows;
      if (head === undefined) throw postgresFailure(Object.assign(new Error('no head'), { code: '42P01' }), place);
      if (head.standby) throw failed(used, Object.assign(new Error('a standby'), { code: readOnly }));
      requireDurable(head.commit, place);
      requireReadable({ version: head.tables, readable: head.readable }, place);
      const entries = rows.flatMap(({ sequence, id, version, payload }): LogEntry[] =>
        sequence === null ? [] : [{ sequence: Number(sequence), id, version, payload: payload ?? '' }],
      );
      const { epoch, last, first, snapshot: id, taken, entry, format, parts } = head;
      const snapshot = id === null ? undefined : { id, sequence: Number(taken), entry, version: format, parts };
      return { epoch, last: Number(last), first: Number(first), snapshot, entries };
    },

    async append({ epoch, sequence, id: lastId }, { id, version, payload, audit }) {
      const { rows } = await query<{ sequence: string }>(
        `with h as (
           update ${schema}.head set last = last + 1, audited = audited + $6
           where last = $1 and epoch = $2::uuid
             and ($1::bigint = 0 or exists (select 1 from ${schema}.log where sequence = $1 and id = $9))
           returning last, audited
         ), l as (
           insert into ${schema}.log (sequence, id, version, entry) select last, $3, $4, $5::json from h returning sequence
         ), a as (
           insert into ${schema}.audit (position, id, record)
           select h.audited - $6 + r.number, $3 || '/' || r.number, r.record::json
           from h, unnest($7::text[]) with ordinality as r(record, number)
         ), n as (
           select pg_notify($8, last::text)::text as sent from h
         )
         select l.sequence, n.sent from l, n`,
        [sequence, epoch, id, version, payload, audit.length, audit, `skillwire_${cluster}`, lastId],
      );
      return rows[0] === undefined ? undefined : Number(rows[0].sequence);
    },

    async find(id) {
      const { rows } = await query<{ sequence: string }>(`select sequence from ${schema}.log where id = $1`, [id]);
      return rows[0] === undefined ? undefined : Number(rows[0].sequence);
    },

    async appendAudit(id, record) {
      await query(
        `with h as (
           update ${schema}.head set audited = audited + 1
           where not exists (select 1 from ${schema}.audit where id = $1) returning audited
         )
         insert into ${schema}.audit (position, id, record) select audited, $1, $2::json from h`,
        [id, record],
      );
    },

    async readAudit(after) {
      const { rows } = await query<{ position: string; record: string }>(
        `select position, record::text from ${schema}.audit where position > $1 order by position limit $2`,
        [after, limits.store.pageEntries],
      );
      return rows.map(({ position, record }) => ({ position: Number(position), record }));
    },

    blobs: postgresBlobs(query, schema, onDamaged),
    temporary: postgresTemporary(query, schema),
    ...postgresSnapshots(query, schema),

    async lease(name, holder, ms) {
      const { rowCount } = await query(
        `insert into ${schema}.leases as l (name, holder, until)
         values ($1, $2, clock_timestamp() + make_interval(secs => $3::float8 / 1000))
         on conflict (name) do update set holder = excluded.holder, until = excluded.until
         where l.holder = excluded.holder or l.until <= clock_timestamp()`,
        [name, holder, ms],
      );
      return rowCount === 1;
    },

    async now() {
      const { rows } = await query<{ now: number }>(
        `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      );
      return Number(rows[0]?.now);
    },

    async renew({ instance, id, version, applied, servesMs }) {
      await query(
        `with gone as (
           delete from ${schema}.members
           where instance <> $1 and heard < clock_timestamp() - make_interval(secs => (serves_ms + $6::bigint) / 1000.0)
         )
         insert into ${schema}.members (instance, id, version, applied, serves_ms, heard)
         values ($1, $2, $3, $4, $5, clock_timestamp())
         on conflict (instance) do update set applied = excluded.applied, heard = clock_timestamp()`,
        [instance, id, version, applied, servesMs, limits.store.goneMemberMs],
      );
    },

    async leave(instance) {
      await query(
        `with l as (delete from ${schema}.leases where holder = $1) delete from ${schema}.members where instance = $1`,
        [instance],
      );
    },

    async members() {
      // A server that restarted under its id replaces the silent one.
      const { rows } = await query<{ id: string; version: string; applied: string; silent: number }>(
        `select id, version, applied, silent from (
           select *, (extract(epoch from clock_timestamp() - heard) * 1000)::float8 as silent,
                  row_number() over (partition by id order by heard desc) as turn
           from ${schema}.members
         ) m where silent <= serves_ms and (turn = 1 or silent <= $1) order by id, silent`,
        [limits.store.leaseMs],
      );
      return rows.map(({ id, version, applied, silent }): Member => {
        const silentMs = Math.max(0, Math.round(Number(silent)));
        return { id, version, applied: Number(applied), silentMs, live: silentMs <= limits.store.leaseMs };
      });
    },

    listen(onWake) {
      const listening = listenForWakes(listener, `skillwire_${cluster}`, onWake);
      reconnect = listening.reconnect;
      return listening.stop;
    },

    async close() {
      await pool.end();
    },
  };
}

/** One connection at a time, replaced after a pause when it ends. Readers also poll, so a failure here only delays them. */
function listenForWakes(make: () => Client, channel: string, onWake: () => void) {
  let client: Client | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  function connect(): void {
    if (isEnded) return;
    const own = make();
    client = own;
    let isOver = false;
    const again = (): void => {
      if (isOver) return;
      isOver = true;
      own.end().catch(() => undefined);
      if (isEnded) return;
      timer = setTimeout(connect, limits.store.renewMs);
      (timer as { unref?: () => void }).unref?.();
    };
    own.on('notification', onWake);
    own.on('error', again);
    own.on('end', again);
    own
      .connect()
      .then(() => own.query(`listen "${channel}"`))
      .then(onWake, again);
  }

  connect();
  return {
    /** The address may lead to another server now. Ending the connection opens another one. */
    reconnect(): void {
      client?.end().catch(() => undefined);
    },
    stop(): void {
      isEnded = true;
      clearTimeout(timer);
      client?.end().catch(() => undefined);
    },
  };
}
