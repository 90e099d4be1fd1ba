/**
 * The embedder of a configuration. If it fails, the reason is logged and search ranks by words; serving never depends on it. The caller
 * has checked that the user accepts the endpoint, which gets descriptions and queries.
 */
import { reasonOf, SkillwireError } from '../errors.ts';
import { type CachedEmbedder, cachedEmbedder } from '../gateway/cached-embedder.ts';
import type { ConfiguredEmbeddings } from '../gateway/serving-schema.ts';
import { type Environment, expandHeader, referenceTo } from '../origins/credentials.ts';
import type { Embedder } from '../search/embedder.ts';
import type { Store } from '../store/store.ts';
import { embeddingsEndpoint } from './embeddings-endpoint.ts';

export interface EmbedderSurroundings {
  readonly env: Environment;
  /** Cache of vectors; `undefined` for none. */
  readonly store: (() => Promise<Pick<Store, 'blobs' | 'index'>>) | undefined;
  /** Gets a line when the embedder fails, but not the same line repeatedly. */
  readonly warn: (message: string) => void;
}

/** `undefined` if it cannot be used at all. */
export function configuredEmbedder(
  { url, model, keyEnv, insecureHttp }: ConfiguredEmbeddings,
  { env, store, warn }: EmbedderSurroundings,
): CachedEmbedder | undefined {
  try {
    const key = keyEnv === undefined ? undefined : expandHeader(referenceTo(keyEnv), '"search.embeddings.keyEnv"', env);
    const reporting = reportingEmbedder(embeddingsEndpoint({ url, model, key, insecureHttp }), warn);
    if (store === undefined) return { ...reporting, close: async () => undefined };
    return cachedEmbedder(reporting, { model: JSON.stringify([url, model]), store, warn });
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    warn(byWords(error));
    return undefined;
  }
}

/** Reports a failure unless the previous call failed in the same way. */
function reportingEmbedder({ embed }: Embedder, warn: (message: string) => void): Embedder {
  let last: string | undefined;
  return {
    async embed(texts, signal) {
      const vectors = await embed(texts, signal);
      last = undefined;
      return vectors;
    },
    onFailure(error) {
      const line = byWords(error);
      if (line !== last) warn(line);
      last = line;
    },
  };
}

function byWords(error: unknown): string {
  return `Search ranks by words only: ${reasonOf(error)}`;
}
