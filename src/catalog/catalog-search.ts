/**
 * Search over the skills of a catalog. The first search builds the index; each later one reads only what changed. It covers all skills
 * that their source lists, also those beyond the bounds of a listing.
 *
 * Nothing is fetched for the index. Names and descriptions are in the snapshot. A body is indexed if it is on this machine, or once it was
 * read. Bodies of dynamic skills are never indexed, because they may be made for one reader. Every hit is a skill of the current snapshot.
 */

import { isDoneWithin } from '../async/deadline.ts';
import { createSlices } from '../async/slices.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Embedder } from '../search/embedder.ts';
import type { SearchDocument } from '../search/search-document.ts';
import { documentOf } from '../search/search-document.ts';
import { createSearchIndex, hitsAs, type SearchHit, type SearchResult } from '../search/search-index.ts';
import { searchedFile } from '../search/searched-text.ts';
import type { Catalog, FileContent } from './catalog.ts';
import { createSearchMeanings } from './search-meanings.ts';
import type { SkillRecord, Snapshot } from './snapshot.ts';

export type SkillHit = SearchHit<SkillRecord>;

export interface SkillSearchAnswer extends SearchResult<SkillRecord> {
  /** False while local bodies are still being read: a later search may find more. */
  readonly complete: boolean;
}

export interface SkillSearchOptions {
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SkillSearch {
  search(query: string, options?: SkillSearchOptions): Promise<SkillSearchAnswer>;
}

export interface CatalogSearch extends SkillSearch {
  /** Searches the same index for callers who see only this view of the catalog. */
  within(view: Pick<Catalog, 'snapshot'>): SkillSearch;
  close(): void;
}

export interface CatalogSearchOptions {
  /** How long a search waits for bodies that are being read. */
  readonly waitMs?: number;
  /** Also search by meaning. */
  readonly embedder?: Embedder | undefined;
}

export function createCatalogSearch(
  catalog: Catalog,
  { waitMs = limits.search.waitMs, embedder }: CatalogSearchOptions = {},
): CatalogSearch {
  const index = createSearchIndex();
  const meanings = embedder === undefined ? undefined : createSearchMeanings(index, embedder);
  const changed = new Set<string>();
  const bodies = new Set<string>();
  const stops: (() => void)[] = [];
  const scopes = new WeakMap<Snapshot, (uri: string) => boolean>();
  /** Reads and look-ups often need no waiting, so only these pauses let other requests in while the index is built. */
  const slices = createSlices(limits.search.sliceMs);
  let beginning: Promise<void> | undefined;
  let reading: Promise<void> | undefined;
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new SkillwireError('CLOSED', 'Cannot search: the catalog is closed. Create a new one.');
  }

  /** Begins to follow the catalog. It subscribes before it takes the snapshot, so that no change is missed. */
  async function begin(): Promise<void> {
    stops.push(
      catalog.subscribe((change) => {
        for (const uri of [...change.added, ...change.removed, ...change.changed]) changed.add(uri);
      }),
      catalog.subscribeReads(join),
    );
    try {
      for (const { entry } of (await catalog.snapshot()).skills) changed.add(entry.uri);
    } catch (error) {
      // The next search retries.
      stopFollowing();
      throw error;
    }
  }

  function stopFollowing(): void {
    for (const stop of stops.splice(0)) stop();
    beginning = undefined;
  }

  /** Indexes names and descriptions of changed skills, in slices, and collects the bodies to read. */
  async function follow(signal: AbortSignal | undefined): Promise<void> {
    while (changed.size > 0) {
      const snapshot = await catalog.snapshot({ signal });
      assertOpen();
      for (const uri of changed) {
        changed.delete(uri);
        take(uri, snapshot.skill(uri));
        const pause = slices.pause();
        if (pause === undefined) continue;
        await pause;
        break;
      }
    }
  }

  function put(document: SearchDocument): void {
    index.put(document);
    meanings?.want(document);
  }

  function take(uri: string, skill: SkillRecord | undefined): void {
    bodies.delete(uri);
    if (skill?.listed !== true) {
      index.remove(uri);
      return;
    }
    const document = documentOf(skill.entry);
    const wanted = skill.entry.resources !== 'dynamic' && !index.hasBody(document.key);
    if (wanted) bodies.add(uri);
    // A body that is read in a moment is indexed together with its description.
    if (wanted && skill.source.isLocal === true) index.remove(uri);
    else put(document);
  }

  function join({ file, bytes }: FileContent): void {
    const { skill, resource } = file;
    if (resource === undefined || !skill.listed) return;
    const document = documentOf(skill.entry);
    bodies.delete(skill.entry.uri);
    put(index.hasBody(document.key) ? document : { ...document, ...searchedFile(bytes) });
  }

  /** Reads the local bodies. Others are not requested again. */
  async function readBodies(): Promise<void> {
    const uris = bodies.values();
    const read = async (): Promise<void> => {
      for (const uri of uris) {
        bodies.delete(uri);
        const content = await readLocal(uri);
        if (closed) return;
        if (content === undefined) await putBare(uri);
        else join(content);
        await slices.pause();
      }
    };
    await Promise.all(Array.from({ length: limits.search.parallelReads }, read));
  }

  async function putBare(uri: string): Promise<void> {
    const skill = (await catalog.snapshot()).skill(uri);
    if (skill?.listed === true) put(documentOf(skill.entry));
  }

  /** A skill whose file cannot be read now is found by its description. The catalog reports the error to its reader. */
  async function readLocal(uri: string): Promise<FileContent | undefined> {
    try {
      return await catalog.read(uri, { localOnly: true });
    } catch (error) {
      if (error instanceof SkillwireError) return undefined;
      throw error;
    }
  }

  async function bringUpToDate(signal: AbortSignal | undefined): Promise<boolean> {
    beginning ??= begin();
    await beginning;
    signal?.throwIfAborted();
    await follow(signal);
    if (bodies.size > 0 && reading === undefined) {
      reading = readBodies().finally(() => {
        reading = undefined;
      });
      // A search that still waits gets the error; after a timeout it must not become an unhandled rejection.
      reading.catch(() => undefined);
    }
    if (reading === undefined || (await isDoneWithin(unlessAborted(reading, signal), waitMs))) return true;
    for (const uri of bodies) {
      await putBare(uri);
      await slices.pause();
    }
    return false;
  }

  /** Whether a skill is in this view: one function per snapshot, because the index caches by function. */
  function scopeOf(snapshot: Snapshot): (uri: string) => boolean {
    let scope = scopes.get(snapshot);
    if (scope === undefined) {
      const uris = new Set(snapshot.skills.map(({ entry }) => entry.uri));
      scope = (uri) => uris.has(uri);
      scopes.set(snapshot, scope);
    }
    return scope;
  }

  async function searchIn(
    view: Pick<Catalog, 'snapshot'>,
    query: string,
    { limit, signal }: SkillSearchOptions,
  ): Promise<SkillSearchAnswer> {
    assertOpen();
    const complete = await bringUpToDate(signal);
    void meanings?.work();
    const [snapshot, meaning] = await Promise.all([view.snapshot({ signal }), meanings?.ofQuery(query)]);
    assertOpen();
    const { hits, total } = index.search(query, {
      limit,
      meaning,
      ...(view === catalog ? {} : { allows: scopeOf(snapshot) }),
    });
    return { hits: hitsAs(hits, (uri) => snapshot.skill(uri)), total, complete };
  }

  return {
    search: (query, options = {}) => searchIn(catalog, query, options),
    within: (view) => ({ search: (query, options = {}) => searchIn(view, query, options) }),
    close() {
      closed = true;
      meanings?.close();
      stopFollowing();
    },
  };
}
