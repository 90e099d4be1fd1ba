import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Meaning, meaningOf } from './meaning.ts';
import type { SearchDocument } from './search-document.ts';

/**
 * The port for search by meaning: it turns texts into vectors of one length. It receives names and descriptions of skills, and queries.
 * Without it, and until vectors are ready, search ranks by words alone.
 */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly ArrayLike<number>[]>;
  /** The vector of a query. By default, queries are embedded like other texts. */
  embedQuery?(query: string, signal: AbortSignal): Promise<ArrayLike<number>>;
  /** Called if the embedder fails or returns something other than vectors. Search continues by words. */
  onFailure?(error: unknown): void;
}

/** The part of a skill that is embedded. */
export function embeddedText({ name, description }: Pick<SearchDocument, 'name' | 'description'>): string {
  return `${name.replaceAll('-', ' ')}: ${description}`.slice(0, limits.search.embeddedCharacters);
}

/** One vector for each text, all of one length. @throws SkillwireError BAD_ANSWER if the embedder returned something else */
export async function embeddedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Meaning[]> {
  const vectors = await embedder.embed(texts, signal);
  const meanings = Array.from(vectors, (vector) => meaningOf(vector));
  if (meanings.length !== texts.length || !meanings.every((one) => one !== undefined))
    throw badVectors(`it did not return a vector of numbers for each of ${texts.length} texts`, {
      texts: texts.length,
      vectors: vectors.length,
    });
  const [first] = meanings;
  for (const { bytes } of meanings) if (first !== undefined) assertSameLength(bytes.length, first.bytes.length);
  return meanings;
}

/** @throws SkillwireError BAD_ANSWER if the embedder did not return a vector */
export async function embeddedQuery(embedder: Embedder, query: string, signal: AbortSignal): Promise<Meaning> {
  if (embedder.embedQuery === undefined) {
    const [meaning] = await embeddedTexts(embedder, [query], signal);
    if (meaning !== undefined) return meaning;
  }
  const meaning = meaningOf((await embedder.embedQuery?.(query, signal)) ?? []);
  if (meaning !== undefined) return meaning;
  throw badVectors('it did not return a vector of numbers for a query', {});
}

/** Vectors of two models cannot be compared. @throws SkillwireError BAD_ANSWER */
export function assertSameLength(length: number, known: number): void {
  if (length === known) return;
  throw badVectors(
    `its vectors now have ${length} numbers instead of ${known}, so the model has changed. Restart to embed all texts again`,
    { length, known },
  );
}

function badVectors(fault: string, data: Readonly<Record<string, number>>): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use the embedder: ${fault}.`, { data });
}
