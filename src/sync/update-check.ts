/** Compares installed skills with their origins, by digests alone: no file is read. */
import type { WorkProgress } from '../async/work-progress.ts';
import { SkillwireError } from '../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import { captureListed, manifestOf } from './fetch-skill.ts';
import type { LockedSkill } from './install-lock.ts';
import type { LockedByName } from './restore-skills.ts';

/** `gone`: its origin answers, but no longer has it. */
export type UpdateState = 'current' | 'changed' | 'gone' | 'failed';

export interface UpdateRow extends LockedByName {
  readonly state: UpdateState;
  /** Of the origin's current version. */
  readonly setDigest?: string;
  /** Paths. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly error?: SkillwireError;
}

export async function checkUpdates(
  host: Host,
  skills: readonly (LockedByName & { readonly address: SkillAddress | DiscoveredSkill })[],
  signal?: AbortSignal,
  onProgress?: (work: WorkProgress) => void,
): Promise<readonly UpdateRow[]> {
  const rows: UpdateRow[] = [];
  for (const { name, locked, address } of skills) {
    try {
      const { label, uri } = address;
      const captured = (await captureListed(host, address)) ?? (await host.capture({ label, uri }, { signal }));
      const { setDigest, files } = manifestOf(captured);
      rows.push({ name, locked, setDigest, ...differences(locked, files) });
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
      const state = error.code === 'SKILL_NOT_FOUND' ? 'gone' : 'failed';
      rows.push({ name, locked, state, changed: [], added: [], removed: [], error });
    }
    onProgress?.({ done: rows.length, of: skills.length });
  }
  return rows;
}

function differences(
  { files: before }: LockedSkill,
  after: readonly { readonly path: string; readonly digest: string; readonly executable: boolean }[],
): Pick<UpdateRow, 'state' | 'changed' | 'added' | 'removed'> {
  const added: string[] = [];
  const changed: string[] = [];
  const gone = new Set(Object.keys(before));
  for (const { path, digest, executable } of after) {
    const old = Object.hasOwn(before, path) ? before[path] : undefined;
    gone.delete(path);
    if (old === undefined) added.push(path);
    else if (old.digest !== digest || (old.executable === true) !== executable) changed.push(path);
  }
  const same = added.length + changed.length + gone.size === 0;
  return { state: same ? 'current' : 'changed', added, changed, removed: [...gone] };
}
