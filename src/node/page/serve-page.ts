/** The page at work: its files, its data and its events, for all readers or for those of a profile. Loaded on the first visit. */
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { overlaidCatalog } from '../../catalog/overlaid-catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import type { ReadableRegistry } from '../../runtimes/registry-view.ts';
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
import { type OpenPageReview, pageReview } from './page-review.ts';
import { pageTrial } from './page-trial.ts';
import { type PageView, pageView } from './page-view.ts';

/** The page at work. */
export interface ServedPage {
  /** The data, for all readers alike. */
  data(request: Request, url: URL): Promise<Response>;
  /** The files of the page, which hold no data. */
  file(request: Request, path: string): Promise<Response | undefined>;
  /** The data for some readers. */
  view(within: ProfileView): PageView;
  /** Ends streams of events. */
  close(): Promise<void>;
}

/** What readers of a profile see. */
export interface ProfileView {
  /** What agents of the profile get. */
  readonly catalog: Catalog;
  readonly runtimes: ReadableRegistry | undefined;
  /** The part of a catalog that the profile shows. */
  view(catalog: Catalog): Catalog;
  /** Whether the profile shows what lies directly below this first segment. */
  allowsLabel(label: string): boolean;
}

export interface PageSurroundings {
  /** Everything, also skills that are not served, unless a policy keeps them out; then `waiting` has them. */
  readonly all: Catalog;
  /** What agents get. */
  readonly catalog: Catalog;
  readonly serving: Serving;
  readonly origins: SkillOrigins;
  /** Where decisions are stored. The page does not close it. */
  readonly store: () => Promise<Store>;
  /** Skills that a person may decide about, if a policy keeps them from agents. */
  readonly waiting?: SkillSource | undefined;
  readonly sessions: PageSessions;
  readonly runtimes: RuntimeRegistry | undefined;
  /** How the origins of a gateway do. */
  readonly reports?: (() => readonly UpstreamReport[]) | undefined;
  readonly onerror: (error: Error) => void;
  /** Where the built page and the built thread are. Default: those of this build. */
  readonly built?: { readonly assets: URL; readonly worker: URL };
}

export function servePage(options: ServePageOptions, surroundings: PageSurroundings): ServedPage {
  const { all, catalog, serving, store, waiting, sessions, runtimes, onerror } = surroundings;
  const built = surroundings.built ?? {
    assets: new URL('../../web/', import.meta.url),
    // Said from the root of the build, since the command has this module at another place of the same depth.
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
    keepsBytes: waiting !== undefined,
    onerror,
  });
  const assets = pageAssets(built.assets);
  const renderer = markdownRenderer(built.worker);
  const views = new Set<PageView>();

  const shared = {
    version: defaultServerInfo.version,
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
      runtimes,
      watchRuntimes: runtimes === undefined ? undefined : (listener) => runtimes.watch(listener),
    }),
  );

  /** Tells of nothing that the view does not show. */
  function watched(view: ReadableRegistry | undefined): ((listener: () => void) => () => void) | undefined {
    if (runtimes === undefined || view === undefined) return undefined;
    const shown = (): string => JSON.stringify(runtimeRows(view).map(({ lastSeenAt: _, ...row }) => row));
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
    async data(request, url) {
      if (url.pathname === dataAt('skills')) review.follow();
      return everybody.answer(request, url);
    },
    async file(request, path) {
      return request.method === 'GET' || request.method === 'HEAD' ? assets.answer(request, path) : undefined;
    },
    view(within) {
      const [own, waits] = [within.view(catalog), within.view(reviewed)];
      const view = opened(
        pageView({
          ...shared,
          catalog: within.catalog,
          served: own,
          reviewed: waits,
          within: (label) => within.allowsLabel(label),
          trial: pageTrial({ catalog: within.catalog, labelOf, tokenEnv: 'SKILLWIRE_TOKEN' }),
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
          void waits.close();
        },
      };
    },
    async close() {
      for (const view of [...views]) view.close();
      await renderer.close();
      await review.close();
      await above?.close();
    },
  };
}

export interface ServePageOptions {
  /** What is known about the origins. Default: what the server itself knows. */
  readonly originStates?: PageOrigins;
  /** Lets browsers sign in that know it; needed to decide beyond loopback. */
  readonly token?: string;
  /** Called after a link was used that signs a browser in. */
  readonly onLinkUsed?: () => void;
}
