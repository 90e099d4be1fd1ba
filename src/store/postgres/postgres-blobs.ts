/**
 * Blobs in a table. They are sent as binary parameters and read as base64. The driver decodes every column of an answer as UTF-8 text,
 * which would damage binary answers. Every read hashes the bytes again.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import type { EngineBlobs } from '../shared/log-engine.ts';
import { checkBlob, checkDigest } from '../store-checks.ts';
import type { Query } from './postgres-query.ts';

/** @param onDamaged called with the digest of a damaged blob that was removed */
export function postgresBlobs(query: Query, schema: string, onDamaged: (digest: string) => void): EngineBlobs {
  const slow = limits.store.blobStatementMs;

  /** Marks blobs as used. @returns the size of each one that is there */
  async function touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await query<{ digest: string; size: number }>(
      `update ${schema}.blobs set used_at = clock_timestamp() where digest = any($1::text[]) returning digest, size`,
      [digests],
    );
    return new Map(rows.map(({ digest, size }) => [digest, size]));
  }

  return {
    async put(digest, bytes) {
      checkDigest(digest);
      const own = bytes.slice();
      checkBlob(digest, own, await sha256Digest(own));
      if ((await touch([digest])).get(digest) === own.length) return;
      const value = { buffer: own.buffer, byteOffset: own.byteOffset, byteLength: own.byteLength };
      await query(
        `insert into ${schema}.blobs (digest, size, bytes) values ($1, $2, $3)
         on conflict (digest) do update set size = excluded.size, bytes = excluded.bytes, used_at = clock_timestamp()`,
        [digest, own.length, new DataView(value.buffer, value.byteOffset, value.byteLength)],
        { timeoutMs: slow },
      );
    },
    async get(digest) {
      checkDigest(digest);
      const { rows } = await query<{ text: string }>(
        `select encode(bytes, 'base64') as text from ${schema}.blobs where digest = $1`,
        [digest],
        { timeoutMs: slow },
      );
      const [found] = rows;
      if (found === undefined) return undefined;
      const bytes = new Uint8Array(Buffer.from(found.text, 'base64'));
      if ((await sha256Digest(bytes)) === digest) return bytes;
      // Only the server can tell a damaged row from a damaged answer.
      const { rowCount } = await query(
        `delete from ${schema}.blobs where digest = $1 and sha256(bytes) <> decode(substr($1, 8), 'hex')`,
        [digest],
        { timeoutMs: slow },
      );
      if (rowCount === 0)
        throw new SkillwireError('STORE_AWAY', `The database sent other bytes than it has for ${digest}. Try again.`);
      onDamaged(digest);
      return undefined;
    },
    async has(digest) {
      checkDigest(digest);
      const { rows } = await query(`select 1 from ${schema}.blobs where digest = $1`, [digest]);
      return rows.length > 0;
    },
    async delete(digest, unusedSince) {
      checkDigest(digest);
      const { rowCount } = await query(
        `delete from ${schema}.blobs where digest = $1 and ($2::float8 is null or used_at <= to_timestamp($2 / 1000))`,
        [digest, unusedSince ?? null],
      );
      return (rowCount ?? 0) > 0;
    },
    async *list() {
      for (let after = ''; ; ) {
        const { rows } = await query<{ digest: string; size: number; used: number }>(
          `select digest, size, (extract(epoch from used_at) * 1000)::float8 as used from ${schema}.blobs
           where digest > $1 order by digest limit $2`,
          [after, limits.store.pageEntries * 10],
        );
        if (rows.length === 0) return;
        for (const { digest, size, used } of rows) {
          after = digest;
          yield { digest, size, usedAt: Number(used) };
        }
      }
    },
    touch,
  };
}
