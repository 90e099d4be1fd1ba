/**
 * The port for search by meaning: texts in, one vector for each out, all of one length. Optional: without it, and until vectors are there,
 * search ranks by words alone. Names and descriptions of skills and the queries of readers are what it is given.
 */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly ArrayLike<number>[]>;
  /** Is called if it fails or gives something else than vectors; search goes on by words. */
  onFailure?(error: unknown): void;
}
