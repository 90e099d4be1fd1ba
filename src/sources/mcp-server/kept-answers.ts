/**
 * What a server answers to a question that is asked often is mostly what it answered before. It is asked each time; where its answer is
 * the same to the letter, but for the number of the request, the result need not be parsed and checked once more. What is kept
 * is frozen as a whole, so that it still is what came.
 */
import { createBoundedCache } from '../../async/bounded-cache.ts';
import { isSmallJson } from '../../dialects/json-bounds.ts';
import { limits } from '../../limits.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';

export interface KeptAnswers {
  /** The result that this answer has, where the last one to the same question is kept and was the same. */
  find(question: string, id: number, text: string): { readonly result: unknown } | undefined;
  /** After an answer was parsed. Keeps few, and none that is large or written in an unusual order. */
  keep(question: string, id: number, text: string, result: unknown): void;
}

interface Kept {
  readonly tail: boolean;
  /** The result as it was written. */
  readonly json: string;
  readonly result: unknown;
}

/** What stands around a result: the number of the request before it, or, as the official SDK writes it, behind. */
const before = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":`;
const behind = (id: number): string => `,"jsonrpc":"2.0","id":${id}}`;
const plain = '{"result":';

export function keptAnswers(): KeptAnswers {
  const kept = createBoundedCache<string, Kept>(limits.origin.cachedAnswers);

  return {
    find(question, id, text) {
      const last = kept.get(question);
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
    keep(question, id, text, result) {
      kept.delete(question);
      const tail = text.startsWith(plain);
      const head = tail ? plain : before(id);
      const end = tail ? behind(id) : '}';
      if (text.length > limits.origin.cachedCharacters || !text.startsWith(head) || !text.endsWith(end)) return;
      if (!isSmallJson(result, limits.http.jsonDepth, limits.origin.cachedCharacters)) return;
      const json = text.slice(head.length, text.length - end.length);
      kept.put(question, { tail, json, result: deepFreeze(result) }, 1);
    },
  };
}
