/**
 * Reuses decoded results of frequent requests. The server is still asked each time. If its answer is identical, except
 * for the request id, the result is not parsed and checked again. Cached results are deep-frozen, so callers cannot
 * change them.
 */
import { createBoundedCache } from '../../async/bounded-cache.ts';
import { isSmallJson } from '../../dialects/json-bounds.ts';
import { limits } from '../../limits.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';

interface CachedAnswer {
  readonly tail: boolean;
  /** The result's JSON text. */
  readonly json: string;
  readonly result: unknown;
}

/** The text around a result: the request id comes before it, or after it, as the official SDK writes. */
const before = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":`;
const behind = (id: number): string => `,"jsonrpc":"2.0","id":${id}}`;
const plain = '{"result":';

export function cachedAnswers() {
  const cache = createBoundedCache<string, CachedAnswer>(limits.origin.cachedAnswers);

  return {
    /** The result of this answer, if the last answer to the same request is cached and identical. */
    find(question: string, id: number, text: string): { readonly result: unknown } | undefined {
      const last = cache.get(question);
      if (last === undefined) return undefined;
      const head = last.tail ? plain : before(id);
      const end = last.tail ? behind(id) : '}';
      const { json } = last;
      const same =
        text.length === head.length + json.length + end.length &&
        text.startsWith(head) &&
        text.endsWith(end) &&
        text.startsWith(json, head.length);
      return same ? last : undefined;
    },
    /** Stores a parsed answer. Limited in number; large answers and those with unusual key order are not stored. */
    store(question: string, id: number, text: string, result: unknown): void {
      cache.delete(question);
      const tail = text.startsWith(plain);
      const head = tail ? plain : before(id);
      const end = tail ? behind(id) : '}';
      if (text.length > limits.origin.cachedCharacters || !text.startsWith(head) || !text.endsWith(end)) return;
      if (!isSmallJson(result, limits.http.jsonDepth, limits.origin.cachedCharacters)) return;
      const json = text.slice(head.length, text.length - end.length);
      cache.put(question, { tail, json, result: deepFreeze(result) }, 1);
    },
  };
}
