/** The page at work: its files, its data and its events, for all readers or for those of a profile. Loaded on the first visit. */
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { overlaidCatalog } from '../../catalog/overlaid-catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { ReadableRegistry } from '../../runtimes/registry-view.ts';
import type { RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { defaultServerInfo } from '../../surfaces/mcp/server-options.ts';
import { runtimeRows } from '../../surfaces/page/page-live.ts';
import type { PageSessions } from '../../surfaces/page/page-sessions.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';
import { pageAssets } from '../page-assets.ts';
import { markdownRenderer } from './markdown-renderer.ts';
import { isDataPath, type ServePageOptions } from './page-options.ts';
import { servedOrigins } from './page-origins.ts';
import { type OpenPageReview, pageReview } from './page-review.ts';
import { pageTrial } from './page-trial.ts';
import { type PageView, pageView } from './page-view.ts';
import { addresses } from './skill-address.ts';

/** The page at work. */
export interface ServedPage {
  /** For all readers alike. Undefined where there is no such file. */
  answer(request: Request, url: URL): Promise<Response | undefined>;
  /** The files of the page, which hold no data. */
  file(request: Request, path: string): Promise<Response | undefined>;
  /** The data for some readers. */
  view(within: ProfileView): PageView;
  /** URIs of skills that agents do not get: disabled, or denied as they are. */
  switchedOff(snapshot: Snapshot): Promise<ReadonlySet<string>>;
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
  readonly catalog: Catalog;
  /** What waits for approval, where a policy asks for one, and what an origin has at a URI of its own now. */
  readonly waiting?: SkillSource | undefined;
  readonly liveEntry?: ((label: string, uri: string) => SkillEntry | undefined) | undefined;
  readonly sessions: PageSessions;
  readonly runtimes: RuntimeRegistry | undefined;
  /** How the origins of a gateway do. */
  readonly reports?: (() => readonly UpstreamReport[]) | undefined;
  readonly onerror: (error: Error) => void;
  /** Told after each decision. */
  readonly onDecision: () => void;
  /** Where the built page and the built thread are. Default: those of this build. */
  readonly built?: { readonly assets: URL; readonly worker: URL };
}

export function servePage(options: ServePageOptions, surroundings: PageSurroundings): ServedPage {
  const { catalog, waiting, sessions, runtimes, onerror } = surroundings;
  const built = surroundings.built ?? {
    assets: new URL('../../web/', import.meta.url),
    // Said from the root of the build, since the command has this module at another place of the same depth.
    worker: new URL('../../node/page/markdown-worker.js', import.meta.url),
  };
  const origins = options.originStates ?? servedOrigins(options.origins ?? [], () => review, surroundings.reports);
  const above = waiting === undefined ? undefined : createCatalog(waiting);
  const reviewed = above === undefined ? catalog : overlaidCatalog(catalog, above);
  const review: OpenPageReview = pageReview({
    store: options.store ?? (async () => memoryStore()),
    catalog: reviewed,
    served: catalog,
    addressOf: addresses(origins, surroundings.liveEntry),
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
    onDecision() {
      surroundings.onDecision();
      for (const view of views) view.tellReview();
    },
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
      trial: pageTrial({ catalog, labelOf, isServed: served }),
      runtimes,
      watchRuntimes: runtimes === undefined ? undefined : (listener) => runtimes.watch(listener),
    }),
  );

  async function served(snapshot: Snapshot): Promise<(skill: SkillRecord) => boolean> {
    const standingOf = await review.standings(snapshot);
    return (skill) => {
      const { enabled, review: state } = standingOf(skill);
      return enabled && state !== 'denied';
    };
  }

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
    async answer(request, url) {
      if (!isDataPath(url.pathname)) return this.file(request, url.pathname);
      if (url.pathname === '/api/skills') review.follow();
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
          trial: pageTrial({ catalog: within.catalog, labelOf, isServed: served, tokenEnv: 'SKILLWIRE_TOKEN' }),
          runtimes: within.runtimes,
          watchRuntimes: watched(within.runtimes),
        }),
      );
      return {
        ...view,
        async answer(request, url, visitor) {
          if (url.pathname === '/api/skills') review.follow();
          return view.answer(request, url, visitor);
        },
        close() {
          view.close();
          void own.close();
          void waits.close();
        },
      };
    },
    async switchedOff(snapshot) {
      const isOn = await served(snapshot);
      return new Set(snapshot.skills.filter((skill) => !isOn(skill)).map(({ entry }) => entry.uri));
    },
    async close() {
      for (const view of [...views]) view.close();
      await renderer.close();
      await review.close();
      await above?.close();
    },
  };
}
