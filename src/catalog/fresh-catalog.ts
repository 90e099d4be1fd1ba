/**
 * A catalog that waits for new decisions before each answer. So a decision of another process counts on every surface, from the next
 * request on. If decisions cannot be read, there is no answer. If there are no new ones, answers are as
 * synchronous as those of the catalog.
 */
import { andThen, type MaybePromise } from '../async/maybe-promise.ts';
import { type Catalog, deriveCatalog } from './catalog.ts';

/** @param onClose called before the catalog is closed */
export function freshCatalog(catalog: Catalog, fresh: () => MaybePromise<void>, onClose?: () => void): Catalog {
  return deriveCatalog(catalog, {
    watched: 'pass',
    subscribe: 'pass',
    subscribeReads: 'pass',
    freshUntil: 'pass',
    close() {
      onClose?.();
      return catalog.close();
    },
    snapshot: (waiting) => andThen(fresh(), () => catalog.snapshot(waiting)),
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
    read: (uri, context) => andThen(fresh(), () => catalog.read(uri, context)),
  });
}
