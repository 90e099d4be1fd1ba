/** Serves the page: files, data and events, for all readers or for those of a profile. Loaded on the first visit. */
import { tokenVariable } from '../../agents/client-config.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { type CatalogSearch, createCatalogSearch } from '../../catalog/catalog-search.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { overlaidCatalog } from '../../catalog/overlaid-catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import type { OperatedRuntime, ReadableRegistry } from '../../runtimes/registry-view.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { Serving } from '../../serving/serving.ts';
import { addresses } from '../../serving/skill-address.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import type { Store } from '../../store/store.ts';
import { defaultServerInfo } from '../../surfaces/mcp/server-options.ts';
import { runtimeRows } from '../../surfaces/page/page-live.ts';
import type { PageOrigins } from '../../surfaces/page/page-ports.ts';
import type { PageSessions } from '../../surfaces/page/page-sessions.ts';
import { dataAt } from '../../surfaces/routes.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';
import type { SkillOrigins } from '../skill-origins.ts';
import { markdownRenderer } from './markdown-renderer.ts';
import { pageAssets } from './page-assets.ts';
import { pageOrigins } from './page-origins.ts';
import { type PagePinsOptions, pagePins } from './page-pins.ts';
import { type OpenPageReview, pageReview } from './page-review.ts';
import { pageSearch } from './page-search.ts';
import { pageTrial } from './page-trial.ts';
import { type PageView, pageView } from './page-view.ts';

/** The view of readers of a profile. */
export interface ProfileView {
  /** The catalog that agents of the profile get. */
  readonly catalog: Catalog;
  readonly runtimes: ReadableRegistry | undefined;
  /** The part of a catalog that the profile shows. */
  view(catalog: Catalog): Catalog;
  /** True if the profile shows skills directly below this first segment. */
  allowsLabel(label: string): boolean;
}

export interface PageSurroundings {
  /** All skills, including those that are not served, except skills that a policy excludes: those are in `waiting`. */
  readonly all: Catalog;
  /** The catalog that agents get. */
  readonly catalog: Catalog;
  readonly serving: Serving;
  readonly origins: SkillOrigins;
  /** The store of decisions. The page does not close it. */
  readonly store: () => Promise<Store>;
  /** Skills that a policy excludes and a person may approve. */
  readonly waiting?: SkillSource | undefined;
  /** The search that agents have. The page does not close it. */
  readonly search: CatalogSearch;
  /** Live skills that can be pinned, and where the pins are stored. */
  readonly pinnable?: Pick<PagePinsOptions, 'live' | 'pinned'> | undefined;
  readonly sessions: PageSessions;
  readonly runtimes: RuntimeRegistry | undefined;
  /** All connected runtimes, for operators. */
  readonly operated?: (() => readonly OperatedRuntime[]) | undefined;
  /** The health of the origins of a gateway. */
  readonly reports?: (() => readonly UpstreamReport[]) | undefined;
  readonly onerror: (error: Error) => void;
  /** Folder of the built page, and script of the built worker. Default: those of this build. */
  readonly built?: { readonly assets: URL; readonly worker: URL };
}

/** The labels under which decisions about this server's skills are stored. */
function ownLabels({ origins, pinnable }: PageSurroundings): ReadonlySet<string> {
  return new Set([...origins.current().map(({ label }) => label), ...(pinnable?.pinned.labels?.() ?? [])]);
}

export function servePage(options: ServePageOptions, surroundings: PageSurroundings) {
  const { all, catalog, serving, store, waiting, sessions, runtimes, onerror } = surroundings;
  const built = surroundings.built ?? {
    assets: new URL('../../web/', import.meta.url),
    // Relative to the root of the build: the bundled command has this module in another folder of the same depth.
    worker: new URL('../../node/page/markdown-worker.js', import.meta.url),
  };
  const origins =
    options.originStates ??
    pageOrigins(surroundings.origins, (label) => serving.isOriginDisabled(label), surroundings.reports);
  const above = waiting === undefined ? undefined : createCatalog(waiting);
  const reviewed = above === undefined ? all : overlaidCatalog(all, above);
  const review: OpenPageReview = pageReview({
    store,
    catalog: reviewed,
    served: catalog,
    serving,
    addressOf: addresses(origins, (label, uri) => serving.liveEntry(label, uri)),
    labels: () => ownLabels(surroundings),
    keepsBytes: waiting !== undefined,
    onerror,
  });
  const waitingSearch = above === undefined ? undefined : createCatalogSearch(above);
  const assets = pageAssets(built.assets);
  const renderer = markdownRenderer(built.worker);
  const views = new Set<PageView>();

  const pins =
    surroundings.pinnable === undefined
      ? undefined
      : pagePins({
          ...surroundings.pinnable,
          isLive: (skill) => origins.kindOf(origins.labelOf(skill)) === 'runtimes',
        });

  const shared = {
    pins,
    version: defaultServerInfo.version,
    operated: surroundings.operated,
    origins,
    review,
    sessions,
    render: (text: string, base: string, signal: AbortSignal) => renderer.render(text, base, signal),
    onerror,
  };

  function opened(view: PageView): PageView {
    views.add(view);
    return {
      ...view,
      close() {
        views.delete(view);
        view.close();
      },
    };
  }

  const labelOf = (skill: SkillRecord): string => origins.labelOf(skill);
  const everybody = opened(
    pageView({
      ...shared,
      catalog,
      served: catalog,
      reviewed,
      trial: pageTrial({ catalog, labelOf }),
      search: pageSearch(surroundings.search, waitingSearch),
      runtimes,
      watchRuntimes: runtimes === undefined ? undefined : (listener) => runtimes.watch(listener),
    }),
  );

  /** Notifies listeners only of changes that the view shows. */
  function watched(view: ReadableRegistry | undefined): ((listener: () => void) => () => void) | undefined {
    if (runtimes === undefined || view === undefined) return undefined;
    const shown = (): string => JSON.stringify(runtimeRows(view.clients()).map(({ lastSeenAt: _, ...row }) => row));
    return (listener) => {
      let before = shown();
      return runtimes.watch(() => {
        const now = shown();
        if (now === before) return;
        before = now;
        listener();
      });
    };
  }

  return {
    /** The data for readers without a profile. */
    async data(request: Request, url: URL): Promise<Response> {
      if (url.pathname === dataAt('skills')) review.follow();
      return everybody.answer(request, url);
    },
    /** The files of the page, which contain no data. */
    async file(request: Request, path: string): Promise<Response | undefined> {
      return request.method === 'GET' || request.method === 'HEAD' ? assets.answer(request, path) : undefined;
    },
    /** The data for readers of a profile. */
    view(within: ProfileView): PageView {
      const [own, ownReviewed] = [within.view(catalog), within.view(reviewed)];
      const view = opened(
        pageView({
          ...shared,
          catalog: within.catalog,
          served: own,
          reviewed: ownReviewed,
          within: (label) => within.allowsLabel(label),
          trial: pageTrial({ catalog: within.catalog, labelOf, tokenEnv: tokenVariable }),
          tokenEnv: tokenVariable,
          search: pageSearch(surroundings.search.within(within.catalog), waitingSearch?.within(ownReviewed)),
          runtimes: within.runtimes,
          watchRuntimes: watched(within.runtimes),
        }),
      );
      return {
        ...view,
        async answer(request, url, visitor) {
          if (url.pathname === dataAt('skills')) review.follow();
          return view.answer(request, url, visitor);
        },
        close() {
          view.close();
          void own.close();
          void ownReviewed.close();
        },
      };
    },
    /** Closes event streams. */
    async close(): Promise<void> {
      for (const view of [...views]) view.close();
      await renderer.close();
      await review.close();
      waitingSearch?.close();
      await above?.close();
    },
  };
}

export type ServedPage = ReturnType<typeof servePage>;

export interface ServePageOptions {
  /** The origins and their states. Default: what the server itself knows. */
  readonly originStates?: PageOrigins;
  /** Lets browsers sign in with this token. Approving from another machine needs it. */
  readonly token?: string;
  /** Called after a sign-in link was used. */
  readonly onLinkUsed?: () => void;
}
