/** Counts answered requests for the metrics, by surface and status. Never by address, so the table stays small. */
import { type CountedAs, countedAs } from '../../surfaces/routes.ts';

export interface RequestCount {
  readonly surface: CountedAs;
  readonly status: number;
  readonly count: number;
  readonly seconds: number;
}

export function createRequestCounts() {
  const rows: { surface: CountedAs; status: number; count: number; seconds: number }[] = [];
  return {
    /** @param target path and query as sent */
    answered(target: string, status: number, ms: number): void {
      const surface = countedAs(target);
      // There are few rows.
      let row = rows.find((known) => known.status === status && known.surface === surface);
      if (row === undefined) {
        row = { surface, status, count: 0, seconds: 0 };
        rows.push(row);
      }
      row.count++;
      row.seconds += ms / 1_000;
    },
    read: (): readonly RequestCount[] => [...rows],
  };
}

export type RequestCounts = ReturnType<typeof createRequestCounts>;
