/**
 * The door of the page. The page itself is loaded with the first request for it, so that a server at which nobody looks starts as fast as
 * one without a page.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Serving } from '../../serving/serving.ts';
import { createSessions, type PageSessions } from '../../surfaces/page/page-sessions.ts';
import { isLocalReader } from '../../surfaces/sender.ts';
import { isLoopback } from '../http/host-names.ts';
import type { PageView, Visitor } from './page-view.ts';
import type { PageSurroundings, ProfileView, ServedPage, ServePageOptions } from './serve-page.ts';

export type { ServePageOptions } from './serve-page.ts';

export interface PageDoor {
  /** The data of the page; undefined once it is closed. */
  data(request: Request, url: URL): Promise<Response | undefined>;
  /** The data of the page for readers of a profile, loaded when one of them asks. */
  within(view: ProfileView): ProfilePage;
  /** The files of the page, for everybody: they hold no data. Undefined if there is no such file, or the page was not built. */
  file(request: Request, url: URL): Promise<Response | undefined>;
  /** What follows the address of the page in a link that signs a browser in, once; undefined where there are no links. */
  linkKey(): string | undefined;
  /** Ends streams of events; nothing is answered any more. */
  close(): Promise<void>;
}

export interface ProfilePage {
  answer(request: Request, url: URL, visitor: Visitor): Promise<Response>;
  /** Ends streams of events. */
  close(): Promise<void>;
}

export interface DoorSurroundings extends Omit<PageSurroundings, 'sessions' | 'serving'> {
  readonly serving: () => Promise<Serving>;
  /** What agents get. */
  readonly catalog: Catalog;
  /** The address that is listened on. */
  readonly host: string;
}

export function openPage(options: ServePageOptions, surroundings: DoorSurroundings): PageDoor {
  const sessions = sessionsFor(options, surroundings.host);
  let loading: Promise<ServedPage> | undefined;
  let closed = false;
  let ending: Promise<void> | undefined;

  function load(): Promise<ServedPage> {
    loading ??= Promise.all([import('./serve-page.ts'), surroundings.serving()]).then(([{ servePage }, serving]) =>
      servePage(options, { ...surroundings, serving, sessions }),
    );
    return loading;
  }

  return {
    linkKey: () => sessions.linkKey(),
    within(view) {
      let opened: Promise<PageView> | undefined;
      return {
        async answer(request, url, visitor) {
          opened ??= load().then((page) => page.view(view));
          return (await opened).answer(request, url, visitor);
        },
        close: async () => (await opened)?.close(),
      };
    },
    async file(request, url) {
      return closed ? undefined : (await load()).file(request, url.pathname);
    },
    async data(request, url) {
      return closed ? undefined : (await load()).data(request, url);
    },
    close() {
      closed = true;
      ending ??= loading?.then((page) => page.close()) ?? Promise.resolve();
      return ending;
    },
  };
}

/** Links are printed where the server runs, and trust is for readers of this machine. */
function sessionsFor({ token, onLinkUsed }: ServePageOptions, host: string): PageSessions {
  return createSessions({ links: isLoopback(host), trusts: ({ sender }) => isLocalReader(sender), token, onLinkUsed });
}
