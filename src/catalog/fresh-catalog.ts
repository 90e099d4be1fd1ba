/**
 * A catalog that asks before each answer whether anything was decided meanwhile, and waits for it. So what another process decides counts
 * from the next request on, whatever surface is asked. Where that cannot be found out, nothing is answered. So nothing
 * is given at once.
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
    async snapshot(waiting) {
      await fresh();
      return catalog.snapshot(waiting);
    },
    async refresh(waiting) {
      await fresh();
      return catalog.refresh(waiting);
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
  });
}
