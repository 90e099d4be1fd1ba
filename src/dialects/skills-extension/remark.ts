/**
 * Tolerable deviations from the specification. Sources show them as findings, verifiers count each as a failed
 * requirement; the id says which rule it is.
 */

export interface Remark {
  /** Id of the broken requirement, for example `S-30`. */
  readonly requirement: string;
  /** The observation, in one sentence without a final period. */
  readonly message: string;
  /** The skill or file; absent if it concerns the whole answer. */
  readonly uri?: string;
}

/** Required fields of an answer, which depend on the revision and on client libraries that remove some. */
export interface AnswerRules {
  /** `ttlMs` and `cacheScope`: from revision 2026-07-28 on. */
  readonly cacheFields: boolean;
  /** `resultType`: the same, unless a client library removed it. */
  readonly resultType: boolean;
}

export function remark(requirement: string, message: string, uri?: string): Remark {
  return uri === undefined ? { requirement, message } : { requirement, message, uri };
}
