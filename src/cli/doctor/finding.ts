/** What `doctor` tells: facts about this machine, and findings that each say what to do. */
import { SkillwireError } from '../../errors.ts';
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
  /** Problem: something does not work. Warning: something may not be what is wanted. Note: good to know. */
  readonly level: 'problem' | 'warning' | 'note';
  readonly check: DoctorCheck;
  readonly message: string;
  readonly remedy: string;
  readonly path?: string;
  /** Present where the remedy is safe to do at once. Gives what was done. */
  fix?(): Promise<string>;
  /** What was done about it. */
  readonly fixed?: string;
}

/** A folder in which an agent looks for skills. */
export interface AgentFolderFacts {
  readonly path: string;
  readonly exists: boolean;
  readonly skills: number;
}

export interface AgentFacts {
  readonly id: string;
  readonly name: string;
  readonly reads: readonly AgentFolderFacts[];
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
  /** Absent where they were not asked. */
  readonly origins?: readonly OriginFacts[];
  /** Files of the cache that were hashed. */
  readonly cached: number;
  readonly findings: readonly DoctorFinding[];
}

/** The findings of a check, or the failure of the check as a problem: one broken part hides no other. */
export async function asFindings(
  check: DoctorCheck,
  remedy: string,
  work: () => Promise<readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'INTERRUPTED') throw error;
    const message = error instanceof Error ? error.message : String(error);
    return [{ level: 'problem', check, message, remedy }];
  }
}
