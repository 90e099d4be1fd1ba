/**
 * Calls `decide`. Only `allow: true` allows; a callback that throws refuses. If the caller cancels, the signal tells
 * the callback.
 */
import { unlessAborted } from '../../async/unless-aborted.ts';
import { PolicyError, reasonOf } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { throwIfInterrupted } from '../discover/call-origin.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { HostCore } from '../host-core.ts';
import type { CapturedEntry } from '../load/capture.ts';
import { inspectFile } from '../load/inspect.ts';
import type { ApprovalRequest, Decide, Decision } from './decide.ts';
import { changeBetween } from './known-texts.ts';
import { type KnownTexts, requestsOf } from './skill-requests.ts';

export interface Question {
  readonly origin: HostOrigin;
  readonly captured: CapturedEntry;
  readonly kind: ApprovalRequest['kind'];
  readonly why: ApprovalRequest['why'];
  readonly texts?: KnownTexts;
  /** The entry that was approved before. */
  readonly before?: SkillEntry;
  readonly acting?: ApprovalRequest['acting'];
  readonly target?: ApprovalRequest['target'];
  readonly command?: string;
}

/** Builds the request for `decide`. */
export async function requestFor(core: HostCore, question: Question, signal: AbortSignal): Promise<ApprovalRequest> {
  const { origin, captured, kind, why, texts, before, acting, target, command } = question;
  const { entry } = captured;
  const change = before === undefined ? undefined : await changeBetween(core.cache, origin, before, entry);
  return {
    kind,
    label: captured.label,
    local: captured.local,
    uri: entry.uri,
    name: entry.frontmatter.name,
    description: entry.frontmatter.description,
    entry,
    why,
    requests: requestsOf(entry, texts),
    change,
    acting,
    target,
    command,
    signal,
    inspect: (file) => inspectFile(core, origin, captured, file, signal),
    changeWithText: async () =>
      before === undefined ? undefined : changeBetween(core.cache, origin, before, entry, { signal, fetch: true }),
  };
}

/** @throws INTERRUPTED; PolicyError NOT_APPROVED if the callback fails */
export async function ask(decide: Decide, request: ApprovalRequest): Promise<Decision> {
  const { signal } = request;
  const action = `decide about ${quoteText(request.name)}`;
  throwIfInterrupted(signal, action);
  const decision = await unlessAborted(decideSafely(decide, request), signal, action);
  if (typeof decision === 'object' && decision !== null && typeof decision.allow === 'boolean') return decision;
  throw new PolicyError(
    'NOT_APPROVED',
    `Cannot ${action}: the answer has no "allow" of true or false. Return one from "decide".`,
  );
}

async function decideSafely(decide: Decide, request: ApprovalRequest): Promise<Decision> {
  try {
    return await decide(request);
  } catch (error) {
    const reason = reasonOf(error);
    const message = `Nobody decided about ${quoteText(request.name)} of ${quoteText(request.label)}: ${quoteText(reason)}. It counts as refused.`;
    throw new PolicyError('NOT_APPROVED', message, { data: { label: request.label, uri: request.uri }, cause: error });
  }
}
