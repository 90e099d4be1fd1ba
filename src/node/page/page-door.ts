/**
 * The entry to the page. The page itself is loaded on its first request, so a server whose page is never opened starts as fast as one
 * without a page.
 */
import { loadOnce } from '../../async/load-once.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Serving } from '../../serving/serving.ts';
import { createSessions, type PageSessions } from '../../surfaces/page/page-sessions.ts';
import { isLocalReader } from '../../surfaces/sender.ts';
import { isLoopback } from '../http/host-names.ts';
import type { PageView, Visitor } from './page-view.ts';
import type { PageSurroundings, ProfileView, ServedPage, ServePageOptions } from './serve-page.ts';

export type { ServePageOptions } from './serve-page.ts';

export interface ProfilePage {
  answer(request: Request, url: URL, visitor: Visitor): Promise<Response>;
  /** Closes event streams. */
  close(): Promise<void>;
}

export interface DoorSurroundings extends Omit<PageSurroundings, 'sessions' | 'serving'> {
  readonly serving: () => Promise<Serving>;
  /** The catalog that agents get. */
  readonly catalog: Catalog;
  /** The address that the server listens on. */
  readonly host: string;
}

export function openPage(options: ServePageOptions, surroundings: DoorSurroundings) {
  const sessions = sessionsFor(options, surroundings.host);
  const page = loadOnce(async (): Promise<ServedPage> => {
    const [{ servePage }, serving] = await Promise.all([import('./serve-page.ts'), surroundings.serving()]);
    return servePage(options, { ...surroundings, serving, sessions });
  });
  let closed = false;
  let closing: Promise<void> | undefined;

  return {
    /** The one-time key of a sign-in link; `undefined` without links. */
    linkKey: (): string | undefined => sessions.linkKey(),
    /** The data of the page for readers of a profile, loaded on the first request. */
    within(view: ProfileView): ProfilePage {
      const opened = loadOnce(async (): Promise<PageView> => (await page.get()).view(view));
      return {
        answer: async (request, url, visitor) => (await opened.get()).answer(request, url, visitor),
        close: async () => (await opened.started())?.close(),
      };
    },
    /** The files of the page. They are public, because they contain no data. `undefined` if the file is missing or the page is not built. */
    async file(request: Request, url: URL): Promise<Response | undefined> {
      return closed ? undefined : (await page.get()).file(request, url.pathname);
    },
    /** The data of the page; `undefined` after `close()`. */
    async data(request: Request, url: URL): Promise<Response | undefined> {
      return closed ? undefined : (await page.get()).data(request, url);
    },
    /** Closes event streams. Later requests get no answer. */
    close(): Promise<void> {
      closed = true;
      closing ??= page.started()?.then((opened) => opened.close()) ?? Promise.resolve();
      return closing;
    },
  };
}

export type PageDoor = ReturnType<typeof openPage>;

/** Sign-in links need a loopback address, because they are printed on this machine. Only local readers are trusted. */
function sessionsFor({ token, onLinkUsed }: ServePageOptions, host: string): PageSessions {
  return createSessions({ links: isLoopback(host), trusts: ({ sender }) => isLocalReader(sender), token, onLinkUsed });
}
