/** The report of `doctor`: facts about this machine, and findings with a remedy each. */
import { reasonOf, SkillwireError } from '../../errors.ts';
import type { InstalledReport } from '../../sync/installed.ts';

export type DoctorCheck =
  | 'node'
  | 'folders'
  | 'configuration'
  | 'agents'
  | 'links'
  | 'shadowing'
  | 'listing'
  | 'installed'
  | 'origins'
  | 'trust'
  | 'state'
  | 'cache';

export interface DoctorFinding {
  /** Problem: something does not work. Warning: something may be unwanted. Note: good to know. */
  readonly level: 'problem' | 'warning' | 'note';
  readonly check: DoctorCheck;
  readonly message: string;
  readonly remedy: string;
  readonly path?: string;
  /** Present if the remedy is safe. Returns what was done. */
  fix?(): Promise<string>;
  /** The result of `fix`. */
  readonly fixed?: string;
}

export interface AgentFacts {
  readonly id: string;
  readonly name: string;
  /** The folders in which it looks for skills. */
  readonly reads: readonly { readonly path: string; readonly exists: boolean; readonly skills: number }[];
}

export interface OriginFacts {
  readonly origin: string;
  readonly state: string;
  readonly skills: number;
}

export interface DoctorReport {
  readonly node: string;
  readonly platform: string;
  readonly folders: { readonly state: string; readonly cache: string; readonly configuration?: string };
  readonly agents: readonly AgentFacts[];
  readonly installed: readonly InstalledReport[];
  /** Absent if they were not contacted. */
  readonly origins?: readonly OriginFacts[];
  /** Files of the cache that were hashed. */
  readonly cached: number;
  readonly findings: readonly DoctorFinding[];
}

/** The findings of a check. A check that fails is itself a problem, so one broken part does not hide others. */
export async function asFindings(
  check: DoctorCheck,
  remedy: string,
  work: () => Promise<readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'INTERRUPTED') throw error;
    const message = reasonOf(error);
    return [{ level: 'problem', check, message, remedy }];
  }
}
