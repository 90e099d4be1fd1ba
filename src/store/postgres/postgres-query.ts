/** One statement, on a connection of the pool. Failures are errors of Skillwire. */
import type { QueryResult } from 'pg';

interface QueryOptions {
  readonly timeoutMs?: number;
}

export type Query = <Row extends object>(
  text: string,
  values?: readonly unknown[],
  options?: QueryOptions,
) => Promise<QueryResult<Row>>;
