/** Opens the user's state for a command or a server. */
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { skillFolders } from '../agents/agent-table.ts';
import { isJsonObject } from '../skill/json.ts';
import { type EmbeddedStore, openStore } from '../store/embedded/open-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import { withStampedAudit } from '../store/stamped-audit.ts';
import type { AuditRecord, Store } from '../store/store.ts';
import type { StateOptions, StateSurroundings } from './state-options.ts';

/** @param warn gets a line for each damaged record */
export async function openState(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<Store> {
  const store = await openPlainState(options, surroundings, warn);
  return withStampedAudit(store, withUser);
}

/** Opens the state without adding the user's name to audit records. */
export async function openPlainState(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<Store> {
  const local = await openLocalState(options, surroundings, warn);
  try {
    const { configuredStore, openSharedState } = await import('./configured-store.ts');
    const setting = await configuredStore(options, surroundings, local);
    if (setting === undefined) return local;
    const { env } = surroundings;
    return await openSharedState(setting, local, { create: options.createCluster === true, env, warn });
  } catch (error) {
    await local.close();
    throw error;
  }
}

/** The state in a folder of this machine. */
function openLocalState(
  { state }: StateOptions,
  { cwd, env }: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<EmbeddedStore> {
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
