/** What verifying an origin yields. Counts and failures only, so that its size does not grow with the bytes that were read. */
import type { SourceStatus } from '../sources/skill-source.ts';

export type Era = 'modern' | 'legacy';

/** A requirement that is not kept. */
export interface Failure {
  /** Id of `requirements.ts`. */
  readonly requirement: string;
  /** What is there and what should be, in one sentence without a final period. */
  readonly message: string;
  /** The skill, file or directory; absent where it is about the origin as a whole. */
  readonly uri?: string;
  /** The protocol in which it was seen; absent where it is the same in all of them. */
  readonly era?: Era;
}

/**
 * `verified`: every byte is as promised. `failed`: a failure that obliges. `unverifiable`: no promise about the bytes, which
 * are dynamic. `unchecked`: not everything could be read. `skipped`: verified earlier and not changed since.
 */
export type SkillStatus = 'verified' | 'failed' | 'unverifiable' | 'unchecked' | 'skipped';

export interface SkillReport {
  readonly uri: string;
  readonly name: string;
  readonly status: SkillStatus;
  readonly files: number;
  readonly bytes: number;
  readonly failures: readonly Failure[];
  /** Failures beyond those, where there are more than are kept. */
  readonly untold?: number;
  /** Why it is `unverifiable` or `unchecked`, or what of a failed skill could not be read. */
  readonly reason?: string;
}

export interface EraReport {
  readonly era: Era;
  /** `absent`: the server does not speak it, which no rule demands. */
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
  /** Entries that no host can use; they are among the others. */
  readonly refused: number;
  readonly files: number;
  readonly bytes: number;
}

export interface VerifyReport {
  readonly counts: VerifyCounts;
  readonly status?: SourceStatus;
  /** Empty for origins that are no MCP servers. */
  readonly eras: readonly EraReport[];
  /** Failures that belong to no skill in particular. */
  readonly failures: readonly Failure[];
  /** Failures of each requirement, those of skills included. */
  readonly requirements: ReadonlyMap<string, number>;
  /** Why not everything was checked; empty if everything was. */
  readonly incomplete: readonly string[];
}
