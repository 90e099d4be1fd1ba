/**
 * The gate before anything is executed for a model (SEP-2640: H-48 to H-50). Each acting remote skill needs an
 * execution grant, or an approval of this command. Cached content counts as remote (H-68).
 */
import { PolicyError } from '../../errors.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { CallOptions, Host } from '../host.ts';
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
  // Only the digest is recorded: the command may contain a secret.
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
      const message = `Cannot execute ${quoteText(command)} while ${quoteText(uri)} of ${quoteText(label)} is active: ${reason}.`;
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

export interface GuardOptions<A> {
  /** Describes the input for approval. Default: the text itself, or its JSON. */
  readonly describe?: (input: A) => string;
}

/**
 * Wraps a tool that executes something, so that it asks first while a remote skill acts (SEP-2640: H-50).
 *
 * @example
 * ```ts
 * const bash = guardExecution(host, (command: string) => shell.run(command));
 * await bash('npm test'); // throws PolicyError NOT_APPROVED if a remote skill acts and nobody allows it
 * ```
 */
export function guardExecution<A, R>(
  host: Pick<Host, 'acting'>,
  run: (input: A, options: CallOptions) => R | Promise<R>,
  { describe = describeInput }: GuardOptions<A> = {},
): (input: A, options?: CallOptions) => Promise<R> {
  return async (input, options = {}) => {
    await host.acting.allowExecution(describe(input), options);
    return run(input, options);
  };
}

function describeInput(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input));
}
