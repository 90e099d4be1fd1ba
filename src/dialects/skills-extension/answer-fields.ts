/** The fields that all answers of the extension share: `resultType`, `ttlMs`, `cacheScope`, `nextCursor`. */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { isJsonObject, type JsonObject } from '../../skill/json.ts';
import { type AnswerRules, type Remark, remark } from './remark.ts';

export interface CacheFields {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** The error for an answer that is unusable as a whole. */
export function badAnswer(method: string, fault: string, data: Readonly<Record<string, unknown>> = {}): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use the answer to ${quoteText(method)}: ${fault}.`, {
    data: { method, ...data },
  });
}

/** Returns the answer if it is a complete object. `requirement` is the rule that requires `resultType`. */
export function completeResult(
  method: string,
  result: unknown,
  rules: AnswerRules,
  requirement: string | undefined,
  remarks: Remark[],
): JsonObject {
  if (!isJsonObject(result)) throw badAnswer(method, 'it is not an object');
  const { resultType } = result;
  if (resultType === undefined) {
    if (rules.resultType && requirement !== undefined)
      remarks.push(remark(requirement, `the answer to "${method}" has no resultType`));
  } else if (resultType !== 'complete') {
    throw badAnswer(method, `its resultType is ${shortText(JSON.stringify(resultType))}, not "complete"`);
  }
  return result;
}

/** How long and for whom an answer may be cached. A missing or wrong field means "not at all". */
export function decodeCacheFields(
  method: string,
  result: JsonObject,
  rules: AnswerRules,
  requirement: string,
  remarks: Remark[],
): CacheFields {
  const { ttlMs, cacheScope } = result;
  const goodTtl = Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0;
  const goodScope = cacheScope === 'public' || cacheScope === 'private';
  if (rules.cacheFields || ttlMs !== undefined) {
    if (ttlMs === undefined) remarks.push(remark(requirement, `the answer to "${method}" has no ttlMs`));
    else if (!goodTtl)
      remarks.push(remark(requirement, `ttlMs of the answer to "${method}" is not a whole number from 0 to 2^53 - 1`));
  }
  if (rules.cacheFields || cacheScope !== undefined) {
    if (cacheScope === undefined) remarks.push(remark(requirement, `the answer to "${method}" has no cacheScope`));
    else if (!goodScope)
      remarks.push(remark(requirement, `cacheScope of the answer to "${method}" is neither "public" nor "private"`));
  }
  return {
    ttlMs: goodTtl ? Math.min(Number(ttlMs), limits.origin.ttlMs) : 0,
    cacheScope: goodScope && cacheScope === 'public' ? 'public' : 'private',
  };
}

export interface NextCursor {
  /** Absent on the last page. An empty text is a cursor. */
  readonly nextCursor?: string;
  /** Why the next page cannot be requested, as a phrase. This page is still usable. */
  readonly cursorFault?: string;
}

export function decodeNextCursor({ nextCursor }: JsonObject): NextCursor {
  if (nextCursor === undefined || nextCursor === null) return {};
  if (typeof nextCursor !== 'string') return { cursorFault: 'its nextCursor is not text' };
  const most = limits.origin.cursorCharacters;
  if (nextCursor.length > most)
    return { cursorFault: `its nextCursor has ${nextCursor.length} characters; at most ${most} are allowed` };
  return { nextCursor };
}
