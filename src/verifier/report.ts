/** The result of verifying an origin: counts and failures only, so its size does not depend on the bytes read. */
import type { Era } from '../dialects/era.ts';
import type { SourceStatus } from '../sources/skill-source.ts';

/** A broken requirement. */
export interface Failure {
  /** Id of `requirements.ts`. */
  readonly requirement: string;
  /** The actual and the expected state, in one sentence without a final period. */
  readonly message: string;
  /** The skill, file or directory; absent if it concerns the whole origin. */
  readonly uri?: string;
  /** The protocol era; absent if it is the same in all of them. */
  readonly era?: Era;
}

/**
 * - `verified`: every byte matches
 * - `failed`: a `must` is broken
 * - `unverifiable`: dynamic, so no bytes are promised
 * - `unchecked`: not everything could be read
 * - `skipped`: verified earlier and unchanged
 */
export type SkillStatus = 'verified' | 'failed' | 'unverifiable' | 'unchecked' | 'skipped';

export interface SkillReport {
  readonly uri: string;
  readonly name: string;
  readonly status: SkillStatus;
  readonly files: number;
  readonly bytes: number;
  readonly failures: readonly Failure[];
  /** The number of further failures. */
  readonly moreFailures?: number;
  /** Why it is `unverifiable` or `unchecked`, or which part of a failed skill could not be read. */
  readonly reason?: string;
}

export interface EraReport {
  readonly era: Era;
  /** `absent`: the server does not speak it, which is allowed. */
  readonly state: 'checked' | 'absent' | 'failed';
  readonly message: string;
  readonly protocolVersion?: string;
  readonly skills: number;
}

export interface VerifyCounts {
  readonly skills: number;
  readonly verified: number;
  readonly failed: number;
  readonly unverifiable: number;
  readonly unchecked: number;
  readonly skipped: number;
  /** Entries that no client can use; they are included in the other counts. */
  readonly refused: number;
  readonly files: number;
  readonly bytes: number;
}

export interface VerifyReport {
  readonly counts: VerifyCounts;
  readonly status?: SourceStatus;
  /** Empty if the origin is not an MCP server. */
  readonly eras: readonly EraReport[];
  /** Failures that do not belong to one skill. */
  readonly failures: readonly Failure[];
  /** The number of failures of each requirement, including those of skills. */
  readonly requirements: ReadonlyMap<string, number>;
  /** Why not everything was checked; empty if everything was. */
  readonly incomplete: readonly string[];
}
