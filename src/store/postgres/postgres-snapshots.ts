/**
 * Snapshots of the state, and the removal of log entries that they replace. A snapshot counts only if it is complete and the log has its
 * entry. So a snapshot that was interrupted, or that belongs to a lost part of a restored log, is never read.
 */
import { limits } from '../../limits.ts';
import type { LogEngine } from '../shared/log-engine.ts';
import type { Query } from './postgres-query.ts';

/** The first version of the tables whose servers can start from a snapshot. */
const readsSnapshots = 2;

/** Selects the newest snapshot that counts. */
export function newestSnapshot(schema: string): string {
  return `select s.id, s.sequence, s.entry, s.version, s.parts from ${schema}.snapshots s
          where s.complete and exists (select 1 from ${schema}.log where sequence = s.sequence and id = s.entry)
          order by s.sequence desc limit 1`;
}

export function postgresSnapshots(
  query: Query,
  schema: string,
): Pick<LogEngine, 'readSnapshot' | 'writeSnapshot' | 'trim'> {
  const slow = { timeoutMs: limits.store.blobStatementMs };
  return {
    async readSnapshot(id, from) {
      const { rows } = await query<{ payload: string }>(
        `select payload::text from ${schema}.snapshot_parts where id = $1 and part >= $2 order by part limit $3`,
        [id, from, limits.store.snapshotParts],
        slow,
      );
      return rows.map(({ payload }) => payload);
    },

    async writeSnapshot({ id, sequence, entry, version }, parts) {
      await query(`insert into ${schema}.snapshots (id, sequence, entry, version, parts) values ($1, $2, $3, $4, 0)`, [
        id,
        sequence,
        entry,
        version,
      ]);
      let count = 0;
      for (const payload of parts) {
        await query(
          `insert into ${schema}.snapshot_parts (id, part, payload) values ($1, $2, $3::json)`,
          [id, count, payload],
          slow,
        );
        count += 1;
      }
      await query(
        `update ${schema}.snapshots s set complete = true, parts = $2
         where id = $1 and $2 = (select count(*) from ${schema}.snapshot_parts where id = s.id)`,
        [id, count],
      );
    },

    async trim(olderThanMs) {
      await query(
        `delete from ${schema}.snapshots
         where created < clock_timestamp() - make_interval(secs => $1::float8 / 1000)
           and id is distinct from (select id from (${newestSnapshot(schema)}) n)`,
        [limits.store.snapshotGraceMs],
        slow,
      );
      await query(`delete from ${schema}.temporary where until <= clock_timestamp()`, [], slow);
      // The entry of the snapshot stays: readers continue from it, and the next append names it.
      const { rows } = await query<{ removed: number }>(
        `with keep as (
           select least(n.sequence, h.first + $2, coalesce((
             select min(sequence) from ${schema}.log
             where at >= clock_timestamp() - make_interval(secs => $1::float8 / 1000)
           ), n.sequence)) as first
           from (${newestSnapshot(schema)}) n cross join (select * from ${schema}.head limit 1) h
         ), h as (
           update ${schema}.head set first = keep.first from keep where head.first < keep.first returning head.first
         ), m as (
           update ${schema}.meta set readable = greatest(readable, $3) where exists (select 1 from h)
         ), d as (
           delete from ${schema}.log l using h where l.sequence < h.first returning 1
         )
         select count(*)::int as removed from d`,
        [olderThanMs, limits.store.trimEntries, readsSnapshots],
        slow,
      );
      return rows[0]?.removed ?? 0;
    },
  };
}
