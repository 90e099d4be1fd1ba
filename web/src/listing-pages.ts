/** The lines of the listing, loaded page by page as they come into view. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListedSkill, SkillListing } from '../../src/surfaces/page/page-data.ts';
import { get, useRetries } from './api.ts';

const pageSize = 100;

interface Pages {
  /** The query that these pages answer. */
  readonly search: string;
  readonly first: SkillListing;
  readonly rows: ReadonlyMap<number, ListedSkill>;
}

export interface ListingPages {
  /** Totals and filters of the most recent first page. */
  readonly listing?: SkillListing;
  readonly error?: Error;
  /** `undefined` while the line is loading. */
  rowAt(index: number): ListedSkill | undefined;
  /** Loads the lines that are in view. */
  show(start: number, end: number): void;
}

const pathOf = (search: string, page: number): string =>
  `api/skills?${new URLSearchParams([...new URLSearchParams(search), ['offset', String(page * pageSize)], ['limit', String(pageSize)]])}`;

const rowsOf = ({ offset, skills }: SkillListing): readonly (readonly [number, ListedSkill])[] =>
  skills.map((row, place) => [offset + place, row]);

/** @param search the filters, as a query; a new `version` requests everything in view again */
export function useListing(search: string, version: string): ListingPages {
  const [pages, setPages] = useState<Pages>();
  const [error, setError] = useState<Error>();
  const retries = useRetries(error !== undefined);
  const view = useRef<readonly [number, number]>([0, 0]);
  const requested = useRef(new Set<number>());
  const running = useRef(new AbortController());

  useEffect(() => {
    const aborted = new AbortController();
    running.current = aborted;
    const isSame = pages?.search === search;
    const inView = isSame ? pagesIn(view.current) : [];
    const wanted = [...new Set([0, ...inView])];
    requested.current = new Set(wanted);
    Promise.all(wanted.map((page) => get<SkillListing>(pathOf(search, page), aborted.signal))).then(
      ([first, ...others]) => {
        if (first === undefined) return;
        setError(undefined);
        setPages({ search, first, rows: new Map([first, ...others].flatMap(rowsOf)) });
      },
      (failed: Error) => {
        if (!aborted.signal.aborted) setError(failed);
      },
    );
    return () => aborted.abort();
  }, [search, version, retries]);

  const load = (page: number): void => {
    requested.current.add(page);
    const { signal } = running.current;
    get<SkillListing>(pathOf(search, page), signal).then(
      (more) =>
        setPages((now) =>
          now === undefined || signal.aborted ? now : { ...now, rows: new Map([...now.rows, ...rowsOf(more)]) },
        ),
      (failed: Error) => {
        requested.current.delete(page);
        if (!signal.aborted) setError(failed);
      },
    );
  };

  return {
    ...(pages === undefined ? {} : { listing: pages.first }),
    ...(error === undefined ? {} : { error }),
    rowAt: (index) => pages?.rows.get(index),
    show(start, end) {
      view.current = [start, end];
      if (pages?.search !== search) return;
      for (const page of pagesIn([start, end])) if (!requested.current.has(page)) load(page);
    },
  };
}

function pagesIn([start, end]: readonly [number, number]): readonly number[] {
  const [first, last] = [Math.floor(start / pageSize), Math.floor(Math.max(start, end - 1) / pageSize)];
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}
