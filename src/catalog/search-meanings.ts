/**
 * Meanings for a search index, made by an embedder beside the searches: they never wait for the texts, and for a query only a moment.
 * Equal texts are embedded once. After a failure the embedder rests, and search goes on by words.
 */
import { createBoundedCache } from '../async/bounded-cache.ts';
import { limits } from '../limits.ts';
import { assertSameLength, type Embedder, embeddedQuery, embeddedText, embeddedTexts } from '../search/embedder.ts';
import type { Meaning } from '../search/meaning.ts';
import type { SearchDocument } from '../search/search-document.ts';
import type { SearchIndex } from '../search/search-index.ts';

export interface SearchMeanings {
  /** Notes that this text has to be embedded. */
  want(document: SearchDocument): void;
  /** Embeds what is wanted, unless it is doing so already or rests. Resolves when that is done or has failed. */
  work(): Promise<void>;
  /** What a query means; undefined if that is not known soon enough. */
  ofQuery(query: string): Promise<Meaning | undefined>;
  close(): void;
}

export function createSearchMeanings(index: SearchIndex, embedder: Embedder): SearchMeanings {
  const wanted = new Map<string, string>();
  const queries = createBoundedCache<string, Meaning>(limits.search.rememberedQueries);
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  let restsUntil = 0;
  let length: number | undefined;

  const deadline = (): AbortSignal => AbortSignal.any([stop.signal, AbortSignal.timeout(limits.search.embedMs)]);

  function comparable(meaning: Meaning): Meaning {
    length ??= meaning.bytes.length;
    assertSameLength(meaning.bytes.length, length);
    return meaning;
  }

  function failed(error: unknown): void {
    if (stop.signal.aborted) return;
    restsUntil = performance.now() + limits.search.embedRestMs;
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
    want(document) {
      if (!index.hasMeaning(document.key)) wanted.set(document.key, embeddedText(document));
    },
    work() {
      if (working !== undefined) return working;
      if (wanted.size === 0 || performance.now() < restsUntil) return Promise.resolve();
      working = embedWanted()
        .catch(failed)
        .finally(() => {
          working = undefined;
        });
      return working;
    },
    async ofQuery(query) {
      const text = query.slice(0, limits.search.embeddedCharacters);
      const known = queries.get(text);
      if (known !== undefined || performance.now() < restsUntil) return known;
      const asked = embeddedQuery(embedder, text, deadline()).then((meaning) => {
        queries.put(text, comparable(meaning), 1);
        return meaning;
      });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, limits.search.queryVectorMs, undefined);
      });
      const safe = asked.catch((error: unknown) => {
        failed(error);
        return undefined;
      });
      return Promise.race([safe, late]).finally(() => clearTimeout(timer));
    },
    close: () => stop.abort(),
  };
}
