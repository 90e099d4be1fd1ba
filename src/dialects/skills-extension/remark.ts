/**
 * Deviations from the specification that a reader can live with. A source shows them as findings, a verifier counts each as a
 * failed requirement; nobody has to read the message to know which rule it is about.
 */

export interface Remark {
  /** Id of the requirement that is not kept, for example `S-30`. */
  readonly requirement: string;
  /** What is there, in one sentence without a final period. */
  readonly message: string;
  /** The skill or file that it is about; absent where it is about the answer as a whole. */
  readonly uri?: string;
}

/** What an answer must have, which depends on the revision and on who has already taken something out of it. */
export interface AnswerRules {
  /** `ttlMs` and `cacheScope`: from revision 2026-07-28 on. */
  readonly cacheFields: boolean;
  /** `resultType`: the same, unless a client library has removed it. */
  readonly resultType: boolean;
}

export function remark(requirement: string, message: string, uri?: string): Remark {
  return uri === undefined ? { requirement, message } : { requirement, message, uri };
}
