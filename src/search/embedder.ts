import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Meaning, meaningOf } from './meaning.ts';
import type { SearchDocument } from './search-document.ts';

/**
 * The port for search by meaning: texts in, one vector for each out, all of one length. Optional: without it, and until vectors are there,
 * search ranks by words alone. Names and descriptions of skills and the queries of readers are what it is given.
 */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly ArrayLike<number>[]>;
  /** The vector of a query. Default: as that of any other text. */
  embedQuery?(query: string, signal: AbortSignal): Promise<ArrayLike<number>>;
  /** Is called if it fails or gives something else than vectors; search goes on by words. */
  onFailure?(error: unknown): void;
}

/** What is embedded of a skill. */
export function embeddedText({ name, description }: Pick<SearchDocument, 'name' | 'description'>): string {
  return `${name.replaceAll('-', ' ')}: ${description}`.slice(0, limits.search.embeddedCharacters);
}

/** One meaning for each text, all of one length. @throws SkillwireError BAD_ANSWER if the embedder gave something else */
export async function embeddedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Meaning[]> {
  const vectors = await embedder.embed(texts, signal);
  const meanings = Array.from(vectors, (vector) => meaningOf(vector));
  if (meanings.length !== texts.length || !meanings.every((one) => one !== undefined))
    throw badVectors(`it was given ${texts.length} texts and did not answer with a vector of numbers for each`, {
      texts: texts.length,
      vectors: vectors.length,
    });
  const [first] = meanings;
  for (const { bytes } of meanings) if (first !== undefined) assertSameLength(bytes.length, first.bytes.length);
  return meanings;
}

/** @throws SkillwireError BAD_ANSWER if the embedder gave something else than a vector */
export async function embeddedQuery(embedder: Embedder, query: string, signal: AbortSignal): Promise<Meaning> {
  if (embedder.embedQuery === undefined) {
    const [meaning] = await embeddedTexts(embedder, [query], signal);
    if (meaning !== undefined) return meaning;
  }
  const meaning = meaningOf((await embedder.embedQuery?.(query, signal)) ?? []);
  if (meaning !== undefined) return meaning;
  throw badVectors('it did not answer a query with a vector of numbers', {});
}

/** Vectors of two models cannot be compared. @throws SkillwireError BAD_ANSWER */
export function assertSameLength(length: number, known: number): void {
  if (length === known) return;
  throw badVectors(
    `it gave vectors of ${length} numbers after some of ${known}, as if the model had been replaced; start again to embed all texts anew`,
    { length, known },
  );
}

function badVectors(fault: string, data: Readonly<Record<string, number>>): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `cannot use the embedder: ${fault}`, { data });
}
