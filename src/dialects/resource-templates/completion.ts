/**
 * Values for template variables over `completion/complete`: the request while a person types, and the answer. The
 * protocol allows at most 100 values; more are cut.
 */
import { limits } from '../../limits.ts';
import { isJsonObject } from '../../skill/json.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';

export interface TemplateCompletionParams {
  readonly ref: { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments: Readonly<Record<string, string>> };
}

export interface CompletionAnswer {
  readonly values: readonly string[];
  readonly hasMore: boolean;
  readonly total?: number;
}

/** The request for a variable with `value` typed so far; `chosen` are the settled variables. */
export function encodeCompletionParams(
  uriTemplate: string,
  variable: string,
  value: string,
  chosen: Readonly<Record<string, string>> = {},
): TemplateCompletionParams {
  return {
    ref: { type: 'ref/resource', uri: uriTemplate },
    argument: { name: variable, value },
    ...(Object.keys(chosen).length === 0 ? {} : { context: { arguments: chosen } }),
  };
}

/** The values that start with the typed text, ignoring case; sorted, without duplicates. */
export function encodeCompletion(values: Iterable<string>, typed: string): CompletionAnswer {
  const begin = typed.toLowerCase();
  const fitting = [...new Set(values)].filter((value) => value.toLowerCase().startsWith(begin)).sort();
  const most = limits.pages.completions;
  return { values: fitting.slice(0, most), hasMore: fitting.length > most, total: fitting.length };
}

/**
 * Reads the answer to `completion/complete`. Values that are not text are left out.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list of values
 */
export function decodeCompletion(result: unknown): CompletionAnswer {
  const completion = isJsonObject(result) ? result['completion'] : undefined;
  const values = isJsonObject(completion) ? completion['values'] : undefined;
  if (!isJsonObject(completion) || !Array.isArray(values))
    throw badAnswer('completion/complete', 'it has no list "completion.values"');
  const texts = values.filter(
    (value): value is string => typeof value === 'string' && value.length <= limits.uri.characters,
  );
  const most = limits.pages.completions;
  const { total, hasMore } = completion;
  return {
    values: texts.slice(0, most),
    hasMore: hasMore === true || texts.length > most,
    ...(Number.isSafeInteger(total) && Number(total) >= 0 ? { total: Number(total) } : {}),
  };
}
