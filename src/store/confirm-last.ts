/** Reports on how many servers of a shared store the last write of this process has taken effect. */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Member, Store } from './store.ts';

export interface ConfirmationFacts {
  /** `true`: every server that may be serving has applied the decision. */
  readonly done: boolean;
  /** Names of servers. */
  readonly confirmed: readonly string[];
  readonly missing: readonly Pick<Member, 'id' | 'silentMs'>[];
  /** Why the servers could not be asked. */
  readonly failure?: string;
}

/** `undefined` if nothing was written, or if the store belongs to one machine. */
export async function confirmLast(
  store: Pick<Store, 'state' | 'confirm' | 'health'>,
): Promise<ConfirmationFacts | undefined> {
  const sequence = store.state.written();
  if (store.health().kind !== 'postgres' || sequence === 0) return undefined;
  try {
    const { confirmed, missing } = await store.confirm(sequence, limits.store.confirmMs);
    return {
      done: missing.length === 0,
      confirmed: confirmed.map(({ id }) => id),
      missing: missing.map(({ id, silentMs }) => ({ id, silentMs })),
    };
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    return { done: false, confirmed: [], missing: [], failure: error.message };
  }
}
