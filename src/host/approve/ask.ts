/**
 * Puts a question to whoever decides. Only an answer that says `allow: true` allows; a callback that throws refuses, and one that
 * the caller no longer waits for is told so by its signal.
 */
import { interrupted } from '../../async/unless-aborted.ts';
import { PolicyError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { throwIfInterrupted } from '../discover/call-origin.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { HostCore } from '../host-core.ts';
import type { CapturedEntry } from '../load/capture.ts';
import { inspectFile } from '../load/inspect.ts';
import type { ApprovalRequest, Decide, Decision } from './decide.ts';
import { changeBetween } from './known-texts.ts';
import { asksOf, type KnownTexts } from './skill-asks.ts';

export interface Question {
  readonly origin: HostOrigin;
  readonly captured: CapturedEntry;
  readonly kind: ApprovalRequest['kind'];
  readonly why: ApprovalRequest['why'];
  readonly texts?: KnownTexts;
  /** As it was approved before. */
  readonly before?: SkillEntry;
  readonly acting?: ApprovalRequest['acting'];
  readonly target?: ApprovalRequest['target'];
  readonly command?: string;
}

/** The request as the one who decides sees it. */
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
    asks: asksOf(entry, texts),
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

/** @throws INTERRUPTED; PolicyError NOT_APPROVED where the callback fails */
export async function ask(decide: Decide, request: ApprovalRequest): Promise<Decision> {
  const { signal } = request;
  const action = `decide about ${quoteText(request.name)}`;
  throwIfInterrupted(signal, action);
  let leave: () => void = () => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(interrupted(action));
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    const decision = await Promise.race([asked(decide, request), left]);
    if (typeof decision === 'object' && decision !== null && typeof decision.allow === 'boolean') return decision;
    throw new PolicyError('NOT_APPROVED', `cannot ${action}: the answer does not say whether it is allowed`);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

async function asked(decide: Decide, request: ApprovalRequest): Promise<Decision> {
  try {
    return await decide(request);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const message = `nobody decided about ${quoteText(request.name)} of ${quoteText(request.label)}: ${quoteText(told)}; it counts as refused`;
    throw new PolicyError('NOT_APPROVED', message, { data: { label: request.label, uri: request.uri }, cause: error });
  }
}
