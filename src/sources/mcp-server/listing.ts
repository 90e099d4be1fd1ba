/**
 * The listing of a server, fetched once for all concurrent callers. It is cached as long as the server allows: `ttlMs` of each page, from
 * its arrival. An aborted caller does not stop it for the others; the last one does. Cached pages report their remaining lifetime.
 */
import { unlessAborted } from '../../async/unless-aborted.ts';
import type { SourceContext, SourcePage } from '../skill-source.ts';

/** A page and when it expires, by `performance.now()`. */
export interface TimedPage {
  readonly page: SourcePage;
  readonly freshUntil: number;
}

export interface ListingRun {
  /** Emits each page on arrival; resolves to whether the listing is complete. */
  readonly fetch: (give: (page: TimedPage) => void, signal: AbortSignal) => Promise<boolean>;
}

interface Run {
  readonly pages: TimedPage[];
  readonly controller: AbortController;
  users: number;
  outcome: 'running' | 'complete' | 'cut' | 'failed';
  error: unknown;
  /** Resolves on the next page or at the end. */
  news: Promise<void>;
}

export interface ServerListing {
  pages(context: SourceContext): AsyncIterable<SourcePage>;
  /** Stops running listings and clears the cache. */
  clear(reason: unknown): void;
}

export function createListing({ fetch }: ListingRun): ServerListing {
  let latest: Run | undefined;

  function start(): Run {
    let resolveNews: () => void = () => {};
    const run: Run = {
      pages: [],
      controller: new AbortController(),
      users: 0,
      outcome: 'running',
      error: undefined,
      news: new Promise((resolve) => {
        resolveNews = resolve;
      }),
    };
    const announce = (): void => {
      const before = resolveNews;
      run.news = new Promise((resolve) => {
        resolveNews = resolve;
      });
      before();
    };
    fetch((page) => {
      run.pages.push(page);
      announce();
    }, run.controller.signal).then(
      (complete) => {
        run.outcome = complete ? 'complete' : 'cut';
        if (!complete) forget(run);
        announce();
      },
      (error: unknown) => {
        run.outcome = 'failed';
        run.error = error;
        forget(run);
        announce();
      },
    );
    return run;
  }

  function forget(run: Run): void {
    if (latest === run) latest = undefined;
  }

  /** A running or still fresh listing. */
  function usable(): Run | undefined {
    if (latest === undefined || latest.outcome === 'running') return latest;
    const now = performance.now();
    if (latest.pages.every(({ freshUntil }) => freshUntil > now)) return latest;
    latest = undefined;
    return undefined;
  }

  async function* follow(run: Run, signal: AbortSignal | undefined): AsyncGenerator<SourcePage> {
    run.users++;
    try {
      for (let index = 0; ; index++) {
        while (run.pages.length <= index && run.outcome === 'running')
          await unlessAborted(run.news, signal, 'list skills');
        const timed = run.pages[index];
        if (timed !== undefined) yield aged(timed);
        else if (run.outcome === 'failed') throw run.error;
        else return;
      }
    } finally {
      run.users--;
      if (run.users === 0 && run.outcome === 'running') {
        forget(run);
        run.controller.abort();
      }
    }
  }

  return {
    pages(context) {
      return {
        [Symbol.asyncIterator]() {
          const known = context.fresh === true ? undefined : usable();
          const run = known ?? start();
          if (run.outcome !== 'failed') latest = run;
          return follow(run, context.signal);
        },
      };
    },
    clear(reason) {
      latest?.controller.abort(reason);
      latest = undefined;
    },
  };
}

/** The page with its remaining lifetime. */
function aged({ page, freshUntil }: TimedPage): SourcePage {
  const ttlMs = Math.max(0, Math.floor(freshUntil - performance.now()));
  return { ...page, skills: page.skills.map((skill) => ({ ...skill, ttlMs })) };
}
