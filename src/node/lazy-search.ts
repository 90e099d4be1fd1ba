/** Search over a catalog whose code is loaded by the first search: a server that nobody searches pays nothing for it. */
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogSearch } from '../catalog/catalog-search.ts';
import type { Embedder } from '../search/embedder.ts';

export function lazySearch(catalog: Catalog, embedder?: Embedder): CatalogSearch {
  let opened: Promise<CatalogSearch> | undefined;
  let closed = false;

  async function load(): Promise<CatalogSearch> {
    const { createCatalogSearch } = await import('../catalog/catalog-search.ts');
    const search = createCatalogSearch(catalog, { embedder });
    if (closed) search.close();
    return search;
  }

  function open(): Promise<CatalogSearch> {
    opened ??= load();
    return opened;
  }

  return {
    search: async (query, options) => (await open()).search(query, options),
    within: (view) => ({ search: async (query, options) => (await open()).within(view).search(query, options) }),
    close() {
      closed = true;
      void opened?.then((search) => search.close());
    },
  };
}
