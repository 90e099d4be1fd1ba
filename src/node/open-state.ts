/** The state of the user, as a command or a server opens it. */
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { skillFolders } from '../agents/agent-table.ts';
import { isJsonObject } from '../skill/json.ts';
import { openStore } from '../store/embedded/open-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import type { AuditRecord, Store } from '../store/store.ts';

export interface StateOptions {
  /** A folder with state and cache of its own. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string | undefined;
}

export interface StateSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @param warn told of what is damaged in it */
export async function openState(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
): Promise<Store> {
  const store = await openPlainState(options, surroundings, warn);
  return { ...store, audit: { ...store.audit, append: (record) => store.audit.append(withUser(record)) } };
}

/** The same without a word about who uses it in what is recorded. */
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
    // A cached remote skill in such a folder would be found as a local one (SEP-2640: H-67).
    forbiddenFolders: skillFolders({ home: homedir(), cwd, env }),
    onCorrupt: ({ file, line, reason, copy }) =>
      warn(
        `"${file}"${line === undefined ? '' : `:${line}`}: ${reason}${copy === undefined ? '' : ` (kept as "${copy}")`}`,
      ),
  });
}

/** What a person decides at a command is recorded with the name under which the system knows them, unless they are known otherwise. */
function withUser(record: AuditRecord): AuditRecord {
  const { by, data = {} } = record;
  if (by !== 'person' || !isJsonObject(data)) return record;
  return { ...record, data: { user: userName(), ...data } };
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // The system need not know a name for every number.
    if (error instanceof Error && 'code' in error) return `uid ${process.getuid?.() ?? 'unknown'}`;
    throw error;
  }
}
