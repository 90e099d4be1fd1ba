/** The surfaces of one profile: a view of the catalog and of the live runtimes, shown as everything is shown. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogSearch } from '../../catalog/catalog-search.ts';
import { catalogView } from '../../catalog/catalog-view.ts';
import { type ReadableRegistry, registryView } from '../../runtimes/registry-view.ts';
import { withinBudget } from '../../serving/access/listing-budget.ts';
import type { Profile } from '../../serving/access/profile.ts';
import { runtimeSkillPath } from '../../sources/mdp-runtime/runtime-skills.ts';
import type { ServerTools } from '../../surfaces/mcp/server-options.ts';
import { createReaderRoutes } from '../../surfaces/mdp/reader-routes.ts';
import { isLocalReader, senderOf } from '../../surfaces/sender.ts';
import type { PageDoor } from '../page/page-door.ts';
import type { Runtimes } from '../serve-mdp.ts';
import { type HttpSurfaces, type HttpSurfacesOptions, httpSurfaces } from './http-surfaces.ts';

export interface ProfileSurfacesOptions
  extends Pick<HttpSurfacesOptions, 'archiveFormat' | 'dialects' | 'recallable' | 'onerror' | 'publish' | 'page'> {
  readonly catalog: Catalog;
  readonly search: CatalogSearch;
  /** Where live runtimes are taken. */
  readonly runtimes: Runtimes | undefined;
  /** Whether callers have shown a token. */
  readonly known: boolean;
  /** Gets one line per skill that the profile hides for one inside it. */
  readonly log?: ((line: string) => void) | undefined;
  /** The page; absent where there is none. */
  readonly door?: Pick<PageDoor, 'within'> | undefined;
  makeTools(registry: ReadableRegistry | undefined, catalog: Catalog): ServerTools | undefined;
}

export function openProfile(profile: Profile, options: ProfileSurfacesOptions): HttpSurfaces {
  const { runtimes, known, makeTools, archiveFormat, dialects, recallable, onerror, publish, page } = options;
  const { listing } = profile;
  const { excludes } = profile;
  const seen = {
    allows: (path: string) => profile.allows(path),
    excludes: excludes === undefined ? undefined : (path: string) => excludes.call(profile, path),
  };
  const catalog = catalogView(options.catalog, {
    ...seen,
    onCarried: (outer, inner) =>
      options.log?.(`the profile "${profile.name}" does not show "${outer}": it contains "${inner}", which is hidden`),
    listing: listing === undefined ? undefined : (listed) => withinBudget(listed, listing),
  });
  const registry = runtimes === undefined ? undefined : runtimesOf(profile, runtimes);
  const readers =
    registry === undefined
      ? undefined
      : createReaderRoutes(registry, catalog, {
          ...runtimes?.options,
          maySeeClients: (request) => known || isLocalReader(senderOf(request)),
        });
  const surfaces = httpSurfaces(catalog, {
    archiveFormat,
    dialects,
    recallable,
    onerror,
    publish,
    page,
    showFindings: () => false,
    mdp: readers,
    tools: makeTools(registry, catalog),
    search: options.search.within(catalog),
    private: known,
    log: undefined,
  });
  const shown = options.door?.within({
    catalog,
    runtimes: registry,
    view: (whole) => catalogView(whole, seen),
    allowsLabel: (label) => profile.allows(`${label}/any`),
  });
  return {
    ...surfaces,
    ...(shown === undefined ? {} : { answerPage: shown.answer }),
    async close() {
      await shown?.close();
      await surfaces.close();
      await catalog.close();
    },
  };
}

function runtimesOf(profile: Profile, { readable, label }: Runtimes): ReadableRegistry {
  return registryView(readable, (clientId, path) => {
    const place = runtimeSkillPath(label, clientId, path);
    return place !== undefined && profile.allows(place);
  });
}
