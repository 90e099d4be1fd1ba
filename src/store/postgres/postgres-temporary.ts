/** Temporary values in a table of their own, by the clock of the server. Expired rows are never read; `trim()` removes them. */
import type { TemporaryValues } from '../store.ts';
import type { Query } from './postgres-query.ts';

export function postgresTemporary(query: Query, schema: string): TemporaryValues {
  return {
    async set(key, value, ms) {
      await query(
        `insert into ${schema}.temporary (name, value, until)
         values ($1, $2::json, clock_timestamp() + make_interval(secs => $3::float8 / 1000))
         on conflict (name) do update set value = excluded.value, until = excluded.until`,
        [JSON.stringify(key), JSON.stringify(value), ms],
      );
    },
    async get(key) {
      const { rows } = await query<{ text: string }>(
        `select value::text as text from ${schema}.temporary where name = $1 and until > clock_timestamp()`,
        [JSON.stringify(key)],
      );
      return rows[0] === undefined ? undefined : JSON.parse(rows[0].text);
    },
    async delete(key) {
      const { rows } = await query(
        `delete from ${schema}.temporary where name = $1 returning until > clock_timestamp() as valid`,
        [JSON.stringify(key)],
      );
      return (rows[0] as { readonly valid: boolean } | undefined)?.valid === true;
    },
  };
}
