/** A catalog whose work for a request is a part of its trace. Made only if tracing is on. */
import type { InSpan } from '../async/in-span.ts';
import { type Catalog, deriveCatalog } from './catalog.ts';

export function tracedCatalog(catalog: Catalog, inSpan: InSpan): Catalog {
  const traced = <Value>(name: string, work: () => Value): Value =>
    inSpan({ name: `catalog ${name}`, kind: 'catalog', attributes: {} }, work);
  return deriveCatalog(catalog, {
    watched: 'pass',
    subscribe: 'pass',
    subscribeReads: 'pass',
    freshUntil: 'pass',
    close: () => catalog.close(),
    snapshot: (waiting) => traced('snapshot', () => catalog.snapshot(waiting)),
    refresh: (waiting) => traced('refresh', () => catalog.refresh(waiting)),
    find: (uri, context) => traced('find', () => catalog.find(uri, context)),
    templates: (context) => traced('templates', () => catalog.templates(context)),
    read: (uri, context) => traced('read', () => catalog.read(uri, context)),
  });
}
