/** The number of listed skills as far as it is known without waiting: a server must be able to introduce itself at once. */
import type { Catalog } from '../../catalog/catalog.ts';
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { ReportError } from './method-errors.ts';

interface Count {
  snapshot?: Snapshot;
  loading?: boolean;
}

const counts = new WeakMap<Catalog, Count>();

/** A function that gives the number, or undefined while the catalog loads; its first call begins that. */
export function skillCount(catalog: Catalog, report: ReportError | undefined): () => number | undefined {
  let count = counts.get(catalog);
  if (count === undefined) {
    const created: Count = {};
    catalog.subscribe(({ snapshot }) => {
      created.snapshot = snapshot;
    });
    counts.set(catalog, created);
    count = created;
  }
  const known = count;
  return () => {
    if (known.snapshot === undefined && known.loading !== true) void load(catalog, known, report);
    return known.snapshot === undefined ? undefined : offeredSkills(known.snapshot).length;
  };
}

async function load(catalog: Catalog, count: Count, report: ReportError | undefined): Promise<void> {
  count.loading = true;
  try {
    count.snapshot = await catalog.snapshot();
  } catch (error) {
    report?.(error instanceof Error ? error : new Error(String(error)));
  } finally {
    count.loading = false;
  }
}
