/** Opens the user's state for a command or a server. */
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { skillFolders } from '../agents/agent-table.ts';
import { isJsonObject } from '../skill/json.ts';
import { openStore } from '../store/embedded/open-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import type { AuditRecord, Store } from '../store/store.ts';

export interface StateOptions {
  /** A separate folder for state and cache. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string | undefined;
}

export interface StateSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @param warn gets a line for each damaged record */
export async function openState(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<Store> {
  const store = await openPlainState(options, surroundings, warn);
  return { ...store, audit: { ...store.audit, append: (record) => store.audit.append(withUser(record)) } };
}

/** Opens the state without adding the user's name to audit records. */
export function openPlainState(
  { state }: StateOptions,
  { cwd, env }: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<Store> {
  const own = state === undefined ? undefined : resolve(cwd, state);
  const folders = stateFolders({ env, home: homedir(), platform: process.platform, state: own });
  return openStore({
    stateFolder: folders.state,
    cacheFolder: folders.cache,
    // Agents would take a cached remote skill in such a folder for a local one (SEP-2640: H-67).
    forbiddenFolders: skillFolders({ home: homedir(), cwd, env }),
    onCorrupt: ({ file, line, reason, copy }) =>
      warn(
        `"${file}"${line === undefined ? '' : `:${line}`}: ${reason}${copy === undefined ? '' : ` (copied to "${copy}")`}`,
      ),
  });
}

/** Adds the system user name to decisions of a person, unless another name is already recorded. */
function withUser(record: AuditRecord): AuditRecord {
  const { by, data = {} } = record;
  if (by !== 'person' || !isJsonObject(data)) return record;
  return { ...record, data: { user: userName(), ...data } };
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // A user id may have no name.
    if (error instanceof Error && 'code' in error) return `uid ${process.getuid?.() ?? 'unknown'}`;
    throw error;
  }
}
