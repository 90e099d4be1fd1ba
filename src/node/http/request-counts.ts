/** How many requests were answered how, for the metrics: by what was asked and the status. Never by address, so that it stays small. */

export interface RequestCount {
  readonly surface: 'mcp' | 'site' | 'runtimes' | 'other';
  readonly status: number;
  readonly count: number;
  readonly seconds: number;
}

export interface RequestCounts {
  /** @param target path and query as they were sent */
  answered(target: string, status: number, ms: number): void;
  read(): readonly RequestCount[];
}

export function createRequestCounts(): RequestCounts {
  const rows: { surface: RequestCount['surface']; status: number; count: number; seconds: number }[] = [];
  return {
    answered(target, status, ms) {
      const surface = surfaceOf(target);
      // There are few.
      let row = rows.find((known) => known.status === status && known.surface === surface);
      if (row === undefined) {
        row = { surface, status, count: 0, seconds: 0 };
        rows.push(row);
      }
      row.count++;
      row.seconds += ms / 1_000;
    },
    read: () => [...rows],
  };
}

function surfaceOf(target: string): RequestCount['surface'] {
  if (target.startsWith('/mcp')) return 'mcp';
  if (target.startsWith('/.well-known/')) return 'site';
  return /^\/(?:mdp|skills)\b/.test(target) ? 'runtimes' : 'other';
}
