/**
 * Knows since when the engine is away, and whether this process may still serve its projection.
 *
 * A member serves for `servesMs` after its last renewal began. Then others may report a decision as done without it. So it serves again
 * only after a renewal and one more reading of the log.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { StoreHealth } from '../store.ts';

export interface ContactOptions {
  readonly servesMs: number;
  /** Gets one line for the operator of a member when the engine goes away, for another reason, and when it is back. */
  readonly report: (line: string) => void;
}

interface Failure {
  readonly at: number;
  readonly error: SkillwireError;
  readonly isRenewal: boolean;
}

/** When something began, by both clocks: one of them stops while a machine is suspended. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

const now = (): Moment => ({ steady: performance.now(), wall: Date.now() });
const msSince = ({ steady, wall }: Moment): number => Math.max(performance.now() - steady, Date.now() - wall);

/** Failures of the engine, unlike those of an argument. */
function isOfEngine(error: unknown): error is SkillwireError {
  return error instanceof SkillwireError && (error.code === 'STORE_AWAY' || error.code === 'STATE_UNUSABLE');
}

export function createContact({ servesMs, report }: ContactOptions) {
  let failure: Failure | undefined;
  let reported: { readonly at: number; readonly since: number; readonly message: string } | undefined;
  /** The beginning of the last renewal, or of the last call of a process that is no member. */
  let heard = now();
  /** Members are heard by their renewals alone, because only these extend a lease. */
  let isMember = false;

  function fail(error: SkillwireError, isRenewal: boolean): void {
    failure = { at: failure?.at ?? performance.now(), error, isRenewal: isRenewal || failure?.isRenewal === true };
    if (!isMember) return;
    const { message } = error;
    const at = performance.now();
    if (reported?.message === message && at - reported.at < limits.store.reportAgainMs) return;
    reported = { at, since: reported?.since ?? failure.at, message };
    const left = Math.max(0, Math.round((servesMs - msSince(heard)) / 1000));
    report(
      `The shared store is away. ${message} Decisions are refused; approved content is served for ${left} s more.`,
    );
  }

  /** The engine answered. Reading alone does not show that it can be written. */
  function succeed(isRenewal: boolean): void {
    if (failure === undefined || (failure.isRenewal && !isRenewal)) return;
    failure = undefined;
    if (reported === undefined || (isMember && !isRenewal)) return;
    report(`The shared store is back after ${Math.round((performance.now() - reported.since) / 1000)} s.`);
    reported = undefined;
  }

  async function attempt<T>(call: () => Promise<T>, isRenewal: boolean): Promise<T> {
    try {
      const result = await call();
      succeed(isRenewal);
      return result;
    } catch (error) {
      if (isOfEngine(error)) fail(error, isRenewal);
      throw error;
    }
  }

  const mayServe = (): boolean => msSince(heard) <= servesMs;

  return {
    async during<T>(call: () => Promise<T>): Promise<T> {
      const begun = now();
      const result = await attempt(call, false);
      if (!isMember) heard = begun;
      return result;
    },
    /** @param catchUp reads the log again; called if this process may not serve until then */
    async renewal(renew: () => Promise<void>, catchUp: () => Promise<void>): Promise<void> {
      const isFirst = !isMember;
      isMember = true;
      const begun = now();
      await attempt(renew, true);
      if (isFirst || !mayServe()) await catchUp();
      heard = begun;
    },
    /** Renewals do not matter any more. */
    leave(): void {
      isMember = false;
    },
    /** @throws SkillwireError STORE_AWAY if the projection may be too old to serve */
    requireServing(): void {
      if (mayServe()) return;
      const silentMs = msSince(heard);
      const seconds = Math.round(silentMs / 1000);
      const reason = failure?.error.message ?? 'Check the database.';
      throw new SkillwireError(
        'STORE_AWAY',
        `The shared store has been away for ${seconds} s, longer than this server may serve without it. ${reason}`,
        { data: { silentMs }, cause: failure?.error },
      );
    },
    health(): Pick<StoreHealth, 'away' | 'serves'> {
      const serves = mayServe();
      if (failure === undefined) return { serves };
      return { serves, away: { sinceMs: performance.now() - failure.at, reason: failure.error.message } };
    },
  };
}

export type Contact = ReturnType<typeof createContact>;
