/**
 * A catalog that asks before each answer whether anything was decided meanwhile, and waits for it. So what another process decides counts
 * from the next request on, whatever surface is asked. Where that cannot be found out, nothing is answered. Nothing is given at once
 * (`now()`, `readNow()`), since each answer has to be waited for.
 */
import type { Catalog } from './catalog.ts';
import { deriveCatalog } from './derive-catalog.ts';

/** @param onClose called before the catalog is closed */
export function freshCatalog(catalog: Catalog, fresh: () => Promise<void>, onClose?: () => void): Catalog {
  return deriveCatalog(catalog, {
    watched: 'pass',
    subscribe: 'pass',
    subscribeReads: 'pass',
    freshUntil: 'pass',
    close() {
      onClose?.();
      return catalog.close();
    },
    now: 'drop',
    readNow: 'drop',
    async snapshot(signal) {
      await fresh();
      return catalog.snapshot(signal);
    },
    async refresh(signal) {
      await fresh();
      return catalog.refresh(signal);
    },
    async find(uri, context) {
      await fresh();
      return catalog.find(uri, context);
    },
    async templates(context) {
      await fresh();
      return catalog.templates(context);
    },
    async read(uri, context) {
      await fresh();
      return catalog.read(uri, context);
    },
    async peek(uri, signal) {
      await fresh();
      return catalog.peek(uri, signal);
    },
  });
}
