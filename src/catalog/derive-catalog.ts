/** Makes a catalog from a catalog; a decorator says of every member what becomes of it. */
import { type Changes, derive } from '../derive.ts';
import type { Catalog } from './catalog.ts';

export function deriveCatalog(catalog: Catalog, changes: Omit<Changes<Catalog>, typeof Symbol.asyncDispose>): Catalog {
  const derived: Catalog = derive(() => catalog, { ...changes, [Symbol.asyncDispose]: () => derived.close() });
  return derived;
}
