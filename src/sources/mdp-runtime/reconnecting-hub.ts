/**
 * Keeps the runtimes of a hub that was restarted. A new hub knows no runtime until each has reconnected, so its first listings are empty
 * without meaning it. Runtimes that were known before stay listed for a while, and calls to them wait, within a limit, until they are
 * back. A runtime that leaves a running hub is gone at once.
 */
import { sharedWork } from '../../async/shared-work.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { hubFailure } from '../../runtimes/pending-calls.ts';
import type { CallOutcome } from '../../runtimes/runtime-registry.ts';
import type { SourceContext } from '../skill-source.ts';
import type { HubDirectory, NetworkHub } from './hub-directory.ts';
import type { LiveRuntime } from './runtime-skills.ts';

export interface ReconnectBounds {
  /** How long a runtime stays listed after a restart. */
  readonly awayMs: number;
  /** How long a call waits for its runtime. */
  readonly waitMs: number;
  /** Pause between two listings while calls wait. */
  readonly everyMs: number;
}

export function withReconnecting(
  hub: NetworkHub,
  { awayMs, waitMs, everyMs }: ReconnectBounds = limits.liveSkills.reconnect,
): HubDirectory {
  const looking = sharedWork('list runtimes');
  let known: readonly LiveRuntime[] = [];
  /** Runtimes that are expected back, with the time until which they stay. */
  const away = new Map<string, number>();
  let startedAt: string | undefined;
  let wasAway = false;

  async function look(context: SourceContext): Promise<readonly LiveRuntime[]> {
    try {
      const listed = await hub.runtimes(context);
      known = [...listed, ...stayingAfter(listed)];
      return known;
    } catch (error) {
      wasAway ||= error instanceof SkillwireError && ['UNREACHABLE', 'TIMED_OUT'].includes(error.code);
      throw error;
    }
  }

  /** The known runtimes that the listing does not have because the hub is new. */
  function stayingAfter(listed: readonly LiveRuntime[]): readonly LiveRuntime[] {
    const now = Date.now();
    const restarted = wasAway || hub.startedAt() !== startedAt;
    startedAt = hub.startedAt();
    wasAway = false;
    for (const { id } of listed) away.delete(id);
    const there = new Set(listed.map(({ id }) => id));
    const missing = known.filter(({ id }) => !there.has(id));
    for (const { id } of restarted ? missing : []) if (!away.has(id)) away.set(id, now + awayMs);
    for (const [id, until] of away) if (until <= now) away.delete(id);
    return missing.filter(({ id }) => away.has(id));
  }

  /** Waits until a runtime is back; false if it is gone or does not come. */
  async function isBack(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const endsAt = Date.now() + waitMs;
    for (;;) {
      await looking.run('runtimes', signal, (shared) => look({ signal: shared }));
      if (!away.has(id)) return known.some((runtime) => runtime.id === id);
      if (Date.now() + everyMs > endsAt) return false;
      await unlessAborted(new Promise<void>((resolve) => setTimeout(resolve, everyMs)), signal, 'call a runtime');
    }
  }

  return {
    ...hub,
    runtimes: look,
    async call(clientId, path, context): Promise<CallOutcome> {
      const outcome = await hub.call(clientId, path, context);
      if (outcome.ok || outcome.hub !== 'not-connected' || !known.some(({ id }) => id === clientId)) return outcome;
      if (await isBack(clientId, context.signal)) return hub.call(clientId, path, context);
      if (!away.has(clientId)) return outcome;
      return hubFailure('reconnecting', 'not_ready', `Client "${clientId}" is reconnecting after a restart of its hub`);
    },
  };
}
