/** The state, the audit and the cache: every line is read and every cached file hashed. Damaged cached files go, as on any read. */
import { createHost } from '../../host/create-host.ts';
import { openState } from '../../node/open-state.ts';
import type { Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';
import type { StateOptions } from '../options/connection-options.ts';
import { counted } from '../render/counted.ts';
import { asFindings, type DoctorFinding } from './finding.ts';

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
