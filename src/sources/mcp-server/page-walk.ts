/**
 * Walks the pages of a server's list and always terminates (sec: ). It stops at too many pages, entries or
 * bytes, after too much time, at a repeated cursor, and at pages without anything new. Earlier pages stay valid and the
 * reason is reported; a walk fails only if it got nothing.
 */
import { reasonOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { shortText } from '../../skill/display-text.ts';
import { RpcError } from './wire.ts';

export interface WalkedPage {
  readonly nextCursor?: string;
  /** Why the cursor is unusable. */
  readonly cursorFault?: string;
}

export interface PageFetch {
  readonly cursor: string | undefined;
  /** Remaining bytes. */
  readonly maxBytes: number;
  /** Remaining time for the whole walk. */
  readonly deadlineMs: number;
  readonly onBytes: (bytes: number) => void;
}

export interface PageWalk<P extends WalkedPage> {
  fetch(fetch: PageFetch): Promise<P>;
  /** Returns how many entries of the page are new. */
  take(page: P): number;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** `undefined` at the end of the list; else why the walk stopped early, as a phrase that follows "because". */
export async function walkPages<P extends WalkedPage>(walk: PageWalk<P>): Promise<string | undefined> {
  const { pages, entries, idlePages, pageBytes, listingBytes, listingMs } = limits.origin;
  const endsAt = performance.now() + listingMs;
  const seen = new Set<string>();
  let bytes = 0;
  let count = 0;
  let idle = 0;
  let cursor: string | undefined;
  for (let number = 1; ; number++) {
    const left = endsAt - performance.now();
    if (number > pages) return `it has more than ${pages} pages`;
    if (count > entries) return `it has more than ${entries} entries`;
    if (bytes >= listingBytes) return `it has more than ${listingBytes} bytes`;
    if (left <= 0) return `it did not end within ${listingMs} ms`;
    if (idle >= idlePages) return `${idlePages} pages in a row had nothing new`;
    let page: P;
    try {
      page = await walk.fetch({
        cursor,
        maxBytes: Math.min(pageBytes, listingBytes - bytes),
        deadlineMs: Math.min(left, walk.deadlineMs),
        onBytes: (size) => {
          bytes += size;
        },
      });
    } catch (error) {
      if (number === 1 || walk.signal?.aborted === true || isFinal(error)) throw error;
      return `page ${number} failed: ${shortText(reasonOf(error))}`;
    }
    const fresh = walk.take(page);
    count += fresh;
    idle = fresh === 0 ? idle + 1 : 0;
    if (page.cursorFault !== undefined) return `page ${number} cannot be followed: ${page.cursorFault}`;
    if (page.nextCursor === undefined) return undefined;
    if (seen.has(page.nextCursor)) return `page ${number} repeats an earlier cursor`;
    seen.add(page.nextCursor);
    cursor = page.nextCursor;
  }
}

/** Errors about the caller, not about the page. */
function isFinal(error: unknown): boolean {
  if (error instanceof RpcError) return false;
  return error instanceof SkillwireError && ['NOT_AUTHORIZED', 'INTERRUPTED', 'CLOSED'].includes(error.code);
}
