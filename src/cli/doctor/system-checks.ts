/** Checks Node, the folders of state and cache, and their content: every line is read and every cached file hashed. */

import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reasonOf } from '../../errors.ts';
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
/** The oldest version that still gets fixes. */
export const maintainedNode = 22;

export function nodeFindings(version: string): readonly DoctorFinding[] {
  const major = Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);
  if (major < oldestNode)
    return [
      {
        level: 'problem',
        check: 'node',
        message: `Node ${version} is too old: Skillwire needs ${oldestNode} or newer`,
        remedy: `Install Node ${maintainedNode} or newer.`,
      },
    ];
  if (major >= maintainedNode) return [];
  return [
    {
      level: 'note',
      check: 'node',
      message: `Node ${major} is past end of life`,
      remedy: `Install Node ${maintainedNode} or newer.`,
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
        message: `The ${title} folder is not writable: ${reasonOf(error)}`,
        remedy: `Make "${there}" writable, or choose another folder with SKILLWIRE_HOME.`,
        path,
      });
    }
  }
  return findings;
}

/** The folder itself, or the nearest existing one above. */
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

export async function checkStore(options: StateOptions, cli: Cli, signal: AbortSignal) {
  const damaged: DoctorFinding[] = [];
  let cached = 0;
  const remedy = 'Make the folder accessible, or choose another with --state or SKILLWIRE_HOME.';
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
    remedy: 'The rest is intact. Check with "skillwire approvals" what to approve again.',
  };
}

function damagedCache(removed: number): DoctorFinding {
  return {
    level: 'warning',
    check: 'cache',
    message: `${counted(removed, 'cached file')} failed verification`,
    remedy: 'They are fetched again when needed.',
    fixed: 'removed',
  };
}
