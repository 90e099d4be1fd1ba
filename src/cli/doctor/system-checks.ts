/** The ground that everything stands on: Node, and the folders that Skillwire keeps its state and cache in. */
import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createHost } from '../../host/create-host.ts';
import { openState } from '../../node/open-state.ts';
import { isAbsent } from '../../store/embedded/file-system.ts';
import type { StateFolders } from '../../store/embedded/state-folders.ts';
import type { Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';
import type { StateOptions } from '../options/connection-options.ts';
import { counted } from '../render/values.ts';
import { asFindings, type DoctorFinding } from './finding.ts';

export const oldestNode = 20;
/** The oldest that still gets corrections. */
export const maintainedNode = 22;

export function nodeFindings(version: string): readonly DoctorFinding[] {
  const major = Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);
  if (major < oldestNode)
    return [
      {
        level: 'problem',
        check: 'node',
        message: `this is Node ${version}, and Skillwire needs ${oldestNode} or newer`,
        remedy: `install Node ${maintainedNode} or newer`,
      },
    ];
  if (major >= maintainedNode) return [];
  return [
    {
      level: 'note',
      check: 'node',
      message: `Node ${version} works, but gets no corrections any more`,
      remedy: `install Node ${maintainedNode} or newer when you can`,
    },
  ];
}

export async function folderFindings({ state, cache }: StateFolders): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const [title, path] of [
    ['state', state],
    ['cache', cache],
  ] as const) {
    const there = await nearestThere(path);
    try {
      await access(there, constants.W_OK | constants.X_OK);
    } catch (error) {
      findings.push({
        level: 'problem',
        check: 'folders',
        message: `the folder of the ${title} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        remedy: `give yourself the right to write "${there}", or choose another folder with SKILLWIRE_HOME`,
        path,
      });
    }
  }
  return findings;
}

/** The folder itself, or the nearest one above that there is. */
async function nearestThere(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      await lstat(folder);
      return folder;
    } catch (error) {
      if (!isAbsent(error) || dirname(folder) === folder) return folder;
    }
  }
}

/** The state, the audit and the cache: every line is read and every cached file hashed. Damaged cached files go, as on any read. */

export interface StoreChecks {
  readonly cached: number;
  readonly findings: readonly DoctorFinding[];
}

export async function checkStore(options: StateOptions, cli: Cli, signal: AbortSignal): Promise<StoreChecks> {
  const damaged: DoctorFinding[] = [];
  let cached = 0;
  const remedy = 'choose another folder with --state or SKILLWIRE_HOME, or give yourself the right to use this one';
  const findings = await asFindings('state', remedy, async () => {
    const store = await openState(options, cli, (message) => damaged.push(damage(message)));
    try {
      await store.state.entries([]);
      for await (const _ of store.audit.read()) signal.throwIfAborted();
      const { checked, removed } = await verifiedCache(store, signal);
      cached = checked;
      return removed === 0 ? [] : [damagedCache(removed)];
    } finally {
      await store.close();
    }
  });
  return { cached, findings: [...findings, ...damaged] };
}

async function verifiedCache(store: Store, signal: AbortSignal): Promise<{ checked: number; removed: number }> {
  const host = await createHost({ origins: [], store });
  try {
    const { checked, removed } = await host.cache.verify({ signal });
    return { checked, removed: removed.length };
  } finally {
    await host.close();
  }
}

function damage(message: string): DoctorFinding {
  return {
    level: 'warning',
    check: 'state',
    message,
    remedy:
      'nothing that is left is damaged; look with "skillwire approvals" whether something has to be approved again',
  };
}

function damagedCache(removed: number): DoctorFinding {
  return {
    level: 'warning',
    check: 'cache',
    message: `${counted(removed, 'cached file')} no longer had the bytes that they were kept with`,
    remedy: 'they are fetched again when they are needed',
    fixed: 'removed',
  };
}
