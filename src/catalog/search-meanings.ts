/**
 * Meanings for a search index, made by an embedder in the background. A search never waits for the vectors of texts, and only a moment for
 * that of its query. Equal texts are embedded once. After a failure the embedder pauses, and search continues by words.
 */
import { createBoundedCache } from '../async/bounded-cache.ts';
import { limits } from '../limits.ts';
import { assertSameLength, type Embedder, embeddedQuery, embeddedText, embeddedTexts } from '../search/embedder.ts';
import type { Meaning } from '../search/meaning.ts';
import type { SearchDocument } from '../search/search-document.ts';
import type { SearchIndex } from '../search/search-index.ts';

export function createSearchMeanings(index: SearchIndex, embedder: Embedder) {
  const wanted = new Map<string, string>();
  const queries = createBoundedCache<string, Meaning>(limits.search.rememberedQueries);
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  let pausedUntil = 0;
  let length: number | undefined;

  const deadline = (): AbortSignal => AbortSignal.any([stop.signal, AbortSignal.timeout(limits.search.embedMs)]);

  function comparable(meaning: Meaning): Meaning {
    length ??= meaning.bytes.length;
    assertSameLength(meaning.bytes.length, length);
    return meaning;
  }

  function failed(error: unknown): void {
    if (stop.signal.aborted) return;
    pausedUntil = performance.now() + limits.search.embedPauseMs;
    embedder.onFailure?.(error);
  }

  async function embedWanted(): Promise<void> {
    while (wanted.size > 0 && !stop.signal.aborted) {
      const batch = [...wanted].slice(0, limits.search.embeddedAtOnce);
      const texts = batch.map(([, text]) => text);
      const meanings = (await embeddedTexts(embedder, texts, deadline())).map(comparable);
      for (const [at, [key]] of batch.entries()) {
        wanted.delete(key);
        const meaning = meanings[at];
        if (meaning !== undefined) index.setMeaning(key, meaning);
      }
    }
  }

  return {
    /** Queues this text for embedding. */
    want(document: SearchDocument): void {
      if (!index.hasMeaning(document.key)) wanted.set(document.key, embeddedText(document));
    },
    /** Embeds the queued texts, unless it is already running or paused. Resolves when that is done or has failed. */
    work(): Promise<void> {
      if (working !== undefined) return working;
      if (wanted.size === 0 || performance.now() < pausedUntil) return Promise.resolve();
      working = embedWanted()
        .catch(failed)
        .finally(() => {
          working = undefined;
        });
      return working;
    },
    /** The meaning of a query; `undefined` if it is not known in time. */
    async ofQuery(query: string): Promise<Meaning | undefined> {
      const text = query.slice(0, limits.search.embeddedCharacters);
      const known = queries.get(text);
      if (known !== undefined || performance.now() < pausedUntil) return known;
      const embedding = embeddedQuery(embedder, text, deadline()).then((meaning) => {
        queries.put(text, comparable(meaning), 1);
        return meaning;
      });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, limits.search.queryVectorMs, undefined);
      });
      const safe = embedding.catch((error: unknown) => {
        failed(error);
        return undefined;
      });
      return Promise.race([safe, late]).finally(() => clearTimeout(timer));
    },
    close: (): void => stop.abort(),
  };
}
