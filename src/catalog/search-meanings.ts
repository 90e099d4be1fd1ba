/**
 * Meanings for a search index, made by an embedder beside the searches: they never wait for the texts, and for a query only a moment.
 * Equal texts are embedded once. After a failure the embedder rests, and search goes on by words.
 */
import { createBoundedCache } from '../async/bounded-cache.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Embedder } from '../search/embedder.ts';
import { type Meaning, meaningOf } from '../search/meaning.ts';
import type { SearchDocument } from '../search/search-document.ts';
import type { SearchIndex } from '../search/search-index.ts';

export interface SearchMeanings {
  /** Notes that this text has to be embedded. */
  want(document: SearchDocument): void;
  /** Embeds what is wanted, unless it is doing so already or rests. */
  work(): void;
  /** What a query means; undefined if that is not known soon enough. */
  ofQuery(query: string): Promise<Meaning | undefined>;
  close(): void;
}

export function createSearchMeanings(index: SearchIndex, embedder: Embedder): SearchMeanings {
  const wanted = new Map<string, string>();
  const queries = createBoundedCache<string, Meaning>(limits.search.rememberedQueries);
  const stop = new AbortController();
  let working = false;
  let restsUntil = 0;

  async function embed(texts: readonly string[]): Promise<readonly Meaning[]> {
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(limits.search.embedMs)]);
    const vectors = await embedder.embed(texts, signal);
    const meanings = Array.from(vectors, (vector) => meaningOf(vector));
    if (meanings.length === texts.length && meanings.every((one) => one !== undefined)) return meanings;
    throw new SkillwireError(
      'BAD_ANSWER',
      `cannot search by meaning: the embedder was given ${texts.length} texts and did not answer with a vector of numbers for each`,
      { data: { texts: texts.length, vectors: vectors.length } },
    );
  }

  function failed(error: unknown): void {
    if (stop.signal.aborted) return;
    restsUntil = performance.now() + limits.search.embedRestMs;
    embedder.onFailure?.(error);
  }

  async function embedWanted(): Promise<void> {
    while (wanted.size > 0 && !stop.signal.aborted) {
      const batch = [...wanted].slice(0, limits.search.embeddedAtOnce);
      const meanings = await embed(batch.map(([, text]) => text));
      for (const [at, [key]] of batch.entries()) {
        wanted.delete(key);
        const meaning = meanings[at];
        if (meaning !== undefined) index.setMeaning(key, meaning);
      }
    }
  }

  return {
    want({ key, name, description }) {
      if (!index.hasMeaning(key))
        wanted.set(key, `${name.replaceAll('-', ' ')}: ${description}`.slice(0, limits.search.embeddedCharacters));
    },
    work() {
      if (working || wanted.size === 0 || performance.now() < restsUntil) return;
      working = true;
      embedWanted()
        .catch(failed)
        .finally(() => {
          working = false;
        });
    },
    async ofQuery(query) {
      const text = query.slice(0, limits.search.embeddedCharacters);
      const known = queries.get(text);
      if (known !== undefined || performance.now() < restsUntil) return known;
      const asked = embed([text]).then(([meaning]) => {
        if (meaning !== undefined) queries.put(text, meaning, 1);
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
