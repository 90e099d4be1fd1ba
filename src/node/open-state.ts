/** Opens the user's state for a command or a server. */
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { skillFolders } from '../agents/agent-table.ts';
import { SkillwireError } from '../errors.ts';
import { isJsonObject } from '../skill/json.ts';
import { type EmbeddedStore, openStore } from '../store/embedded/open-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import { requireWhole } from '../store/move-state.ts';
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
    const { env } = surroundings;
    const create = options.createCluster === true;
    const store = setting === undefined ? local : await openSharedState(setting, local, { create, env, warn });
    return await whole(store);
  } catch (error) {
    await local.close();
    throw error;
  }
}

async function whole(store: Store): Promise<Store> {
  try {
    await requireWhole(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Both states of `skillwire state move`: the folder, and the database of the configuration. */
export async function openBothStates(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<{ readonly embedded: Store; readonly postgres: Store }> {
  const embedded = await openLocalState(options, surroundings, warn);
  try {
    const [{ configuredStore, openDatabase }, { noCache }] = await Promise.all([
      import('./configured-store.ts'),
      import('../store/shared/no-cache.ts'),
    ]);
    const setting = await configuredStore(options, surroundings, embedded);
    if (setting === undefined)
      throw new SkillwireError(
        'USAGE',
        'The configuration names no database. Add "store" to it, or name another file with --config.',
      );
    const { env } = surroundings;
    const create = options.createCluster === true;
    return { embedded, postgres: await openDatabase(setting, noCache(), { create, env, warn }) };
  } catch (error) {
    await embedded.close();
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
