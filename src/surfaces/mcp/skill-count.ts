/** The number of listed skills as far as it is known without waiting: a server must be able to introduce itself at once. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { ReportError } from './method-errors.ts';

interface Count {
  value?: number;
  loading?: boolean;
}

const counts = new WeakMap<Catalog, Count>();

/** A function that gives the number, or undefined while the catalog loads; its first call begins that. */
export function skillCount(catalog: Catalog, report: ReportError | undefined): () => number | undefined {
  let count = counts.get(catalog);
  if (count === undefined) {
    const created: Count = {};
    catalog.subscribe(({ snapshot }) => {
      created.value = snapshot.listed.length;
    });
    counts.set(catalog, created);
    count = created;
  }
  const known = count;
  return () => {
    if (known.value === undefined && known.loading !== true) void load(catalog, known, report);
    return known.value;
  };
}

async function load(catalog: Catalog, count: Count, report: ReportError | undefined): Promise<void> {
  count.loading = true;
  try {
    count.value = (await catalog.snapshot()).listed.length;
  } catch (error) {
    report?.(error instanceof Error ? error : new Error(String(error)));
  } finally {
    count.loading = false;
  }
}
