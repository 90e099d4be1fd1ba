/**
 * Calls that wait for an answer of one runtime. Each connection has its own, so an answer can never settle a call to another runtime. A late
 * answer is dropped.
 */
import type { CallClientResult, MdpError, PathDescriptor } from '../dialects/mdp/messages.ts';
import { staticDeclaration } from '../dialects/mdp/static-declaration.ts';
import { SkillwireError } from '../errors.ts';
import { sha256Digest } from '../skill/digest.ts';
import type { CallOutcome, HubReason, RuntimeCall } from './runtime-registry.ts';

export interface CallTiming {
  readonly ms: number;
  /** The outcome after that time. */
  readonly late: CallOutcome;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  settle(outcome: CallOutcome): void;
}

const unknownFailure: MdpError = { code: 'handler_error', message: 'Unknown client error' };

export function hubFailure(hub: HubReason, code: MdpError['code'], message: string): CallOutcome {
  return { ok: false, hub, error: { code, message } };
}

function outcomeOf({ ok, data, error }: CallClientResult): CallOutcome {
  if (!ok) return { ok: false, error: error ?? unknownFailure };
  return data === undefined ? { ok: true } : { ok: true, data };
}

/** `changed` gets the change in the number of waiting calls. */
export function createPendingCalls(changed: (difference: 1 | -1) => void) {
  const waiting = new Map<string, Waiting>();
  return {
    get size(): number {
      return waiting.size;
    },
    /** Resolves with the answer or a failure. Rejects with INTERRUPTED if the signal fires. */
    wait(requestId: string, { ms, late, signal }: CallTiming): Promise<CallOutcome> {
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          if (waiting.delete(requestId)) changed(-1);
        };
        const settle = (outcome: CallOutcome): void => {
          leave();
          resolve(outcome);
        };
        const onAbort = (): void => {
          leave();
          reject(new SkillwireError('INTERRUPTED', 'cannot wait for the runtime: the caller canceled it'));
        };
        const timer = setTimeout(() => settle(late), ms);
        waiting.set(requestId, { settle });
        changed(1);
        if (signal?.aborted === true) onAbort();
        else signal?.addEventListener('abort', onAbort);
      });
    },
    /** True if a call was waiting for it. */
    settle(result: CallClientResult): boolean {
      const call = waiting.get(result.requestId);
      call?.settle(outcomeOf(result));
      return call !== undefined;
    },
    /** Fails all waiting calls. */
    fail(reason: HubReason, message: string): void {
      for (const call of [...waiting.values()]) call.settle(hubFailure(reason, 'transport_error', message));
    },
  };
}

export type PendingCalls = ReturnType<typeof createPendingCalls>;

const encoder = new TextEncoder();

/** Checks an answer against the declaration of a static skill: other bytes are a failure. */
export async function asDeclared(
  descriptor: PathDescriptor,
  { clientId, path }: RuntimeCall,
  outcome: CallOutcome,
): Promise<CallOutcome> {
  const declared = staticDeclaration(descriptor);
  if (declared === undefined || !outcome.ok) return outcome;
  const refused = (fault: string): CallOutcome =>
    hubFailure(
      'mismatch',
      'handler_error',
      `The answer of client "${clientId}" to "${path}" is not what it declared: ${fault}`,
    );
  if (typeof outcome.data !== 'string') return refused('it is not text');
  const bytes = encoder.encode(outcome.data);
  if (bytes.length !== declared.size) return refused(`${bytes.length} bytes instead of ${declared.size}`);
  const digest = await sha256Digest(bytes);
  return digest === declared.digest ? outcome : refused(`${digest} instead of ${declared.digest}`);
}
