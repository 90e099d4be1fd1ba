/**
 * The gate before anything is executed for a model (SEP-2640: H-48 to H-50). While remote skills act, each needs an execution
 * grant, or an approval of this command. Content from the cache is as remote as it was when it came (H-68).
 */
import { PolicyError } from '../../errors.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { HostCore } from '../host-core.ts';
import type { ActingWindow } from './acting-window.ts';
import { ask, requestFor } from './ask.ts';

export async function allowExecution(
  core: HostCore,
  windows: readonly ActingWindow[],
  command: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const remote = windows.filter(({ skill }) => skill.remote);
  if (remote.length === 0) return;
  const acting = remote.map(({ skill: { label, uri } }) => ({ label, uri }));
  // The command itself may hold a secret.
  const data = { command: await sha256Digest(new TextEncoder().encode(command)) };
  for (const { skill, approved } of remote) {
    const { label, uri } = skill;
    const approval = await core.approvals.inForce(approved);
    if (approval?.grants.execution === true) {
      await core.audit({ action: 'execute', label, uri, by: approval.by, reason: approval.reason, data });
      continue;
    }
    const refuse = async (reason: string): Promise<never> => {
      await core.audit({ action: 'refuse', label, uri, by: 'person', reason, data });
      const message = `cannot execute ${quoteText(command)} while ${quoteText(uri)} of ${quoteText(label)} acts: ${reason}`;
      throw new PolicyError('NOT_APPROVED', message, { data: { label, uri, acting } });
    };
    const { decide } = core.options;
    if (decide === undefined) return refuse('it has no execution grant, and nobody can be asked');
    const origin = core.origins.get(label);
    if (origin === undefined) return refuse('its origin was removed; release the skill first');
    const question = {
      origin,
      captured: approved.captured,
      kind: 'execution',
      why: 'execution',
      acting,
      command,
    } as const;
    const decision = await ask(decide, await requestFor(core, question, signal ?? new AbortController().signal));
    if (decision.allow !== true) return refuse(decision.reason ?? 'refused when asked');
    await core.audit({
      action: 'execute',
      label,
      uri,
      by: 'person',
      reason: decision.reason ?? 'allowed when asked',
      data,
    });
  }
}
