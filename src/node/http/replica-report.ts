/** Reports the replicas of a shared store as one server sees them, for `/status`, `/readyz` and `/metrics`. */
import { SkillwireError } from '../../errors.ts';
import type { Member, Store } from '../../store/store.ts';

/** The replicas of one shared store, as one of them sees them. */
export interface ReplicaReport {
  /** The last entry of the log that this server has applied. */
  readonly applied: number;
  /** Entries that this server knows of and has not applied. */
  readonly lag: number;
  /** False: the database was away for too long, so requests get 503. */
  readonly serves: boolean;
  /** Present while the database is away. */
  readonly away?: { readonly since: string; readonly reason: string };
  /** All servers that may be serving; absent while the database is away. */
  readonly members?: readonly Member[];
}

/** `undefined` without a shared store. A failure to open it is reported where it is opened. */
export async function replicaReport(opened: Promise<Store> | undefined): Promise<ReplicaReport | undefined> {
  const store = await opened?.catch(() => undefined);
  if (store === undefined || store.health().kind !== 'postgres') return undefined;
  const members = await membersOf(store);
  // Read last: listing the members may have noticed that the database is away, or back.
  const { lag, serves, away } = store.health();
  return {
    applied: store.state.applied(),
    lag,
    serves,
    ...(away === undefined ? {} : { away: awayOf(away) }),
    ...(members === undefined ? {} : { members }),
  };
}

/** False if the shared store was away for too long, so requests get 503. */
export async function mayServe(opened: Promise<Store> | undefined): Promise<boolean> {
  return (await opened?.catch(() => undefined))?.health().serves ?? true;
}

function awayOf({ sinceMs, reason }: { readonly sinceMs: number; readonly reason: string }): ReplicaReport['away'] {
  return { since: new Date(Date.now() - sinceMs).toISOString(), reason };
}

async function membersOf(store: Store): Promise<readonly Member[] | undefined> {
  try {
    return await store.members.list();
  } catch (error) {
    if (error instanceof SkillwireError) return undefined;
    throw error;
  }
}
