/**
 * Connections to the server. After a failover, the address may lead to another server. Connections to the old one would read an old state,
 * or could never write. So one sign of it replaces them all.
 */
import type { Pool } from 'pg';

/** Read-only, shut down, or broken off, by SQLSTATE. */
const signs = /^(?:25006|57P0|08)/;

export function replaceablePool(make: () => Pool, onReplaced: () => void) {
  const opened = (): Pool => {
    const pool = make();
    // An idle connection broke; the next query opens another one.
    pool.on('error', () => undefined);
    return pool;
  };
  let pool = opened();
  return {
    current: (): Pool => pool,
    /** @param code SQLSTATE of a failure on a connection of `used` */
    failed(used: Pool, code: string): void {
      if (used !== pool || !signs.test(code)) return;
      pool = opened();
      // Running statements end first.
      used.end().catch(() => undefined);
      onReplaced();
    },
    end: (): Promise<void> => pool.end(),
  };
}
