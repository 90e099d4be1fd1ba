/**
 * A catalog that waits for new decisions before each answer. So a decision of another process counts on every surface, from the next
 * request on. If decisions cannot be read, there is no answer. Nothing is answered synchronously.
 */
import { type Catalog, deriveCatalog } from './catalog.ts';

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
