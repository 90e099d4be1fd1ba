/** Answers a policed origin before it serves, shows or stores a skill. */
import { definedFields } from '../defined-fields.ts';
import type { Approval } from '../store/decisions/approval.ts';
import type { Store } from '../store/store.ts';
import type { CurrentRules, Judgment, JudgmentOptions } from './judgment.ts';
import type { KnownContent } from './known-content.ts';
import { type JudgedSkill, servingFacts, setDigestOf } from './serving-facts.ts';
import type { ApprovedSkill, OriginDecisions } from './serving-state.ts';
import { createWaitingQueue, type QueueOwner } from './waiting-queue.ts';

export interface OriginDecisionsOptions extends JudgmentOptions {
  readonly current: () => CurrentRules;
  readonly judgment: Judgment;
  readonly store: () => Promise<Pick<Store, 'state' | 'blobs' | 'audit' | 'members'>>;
  readonly queue: QueueOwner | undefined;
  readonly onerror: (error: Error) => void;
  readonly onPinFailed: ((label: string, error: unknown) => void) | undefined;
}

/** @param base the path below which the skills of the origin are served */
export function originDecisions(label: string, base: string, options: OriginDecisionsOptions): OriginDecisions {
  const { current, digest, judgment, onerror, signatures } = options;
  const { judge, signature, shownVerdict, signerChange, isPinned, isResigned } = judgment;
  const book = signatures?.book;
  const queue = createWaitingQueue(label, {
    store: options.store,
    owner: options.queue,
    setDigest: (entry) => setDigestOf(entry, digest),
    onerror,
  });
  const facts = (skill: JudgedSkill, known?: KnownContent) =>
    servingFacts(skill, { label, base, digest, known, signature });
  return {
    verdict: (skill, known) => judge(label, skill.entry, facts(skill, known)),
    unread(skill, known) {
      const { rules } = current();
      const about = facts(skill, known);
      if (rules.decide(about).effect === 'deny') return { text: false };
      const { entry } = skill;
      // People who decide see the signer, even if no rule asks for one.
      const isShown = book?.hasSigners() === true || isPinned(label, entry);
      const isWanted = isShown || rules.unreadSignature(about) !== undefined;
      return {
        text: rules.judgesContent && rules.unread(about) !== undefined,
        signature: isWanted ? book?.unread(entry) : undefined,
      };
    },
    judgesContent: () => current().rules.judgesContent,
    readsAhead: () => current().rules.judgesContent || book !== undefined,
    noteSignature: async (entry, bytes) => void (await book?.note(entry, bytes)),
    signatureClaim(entry) {
      const shown = shownVerdict(entry);
      if (shown === undefined || shown.state === 'unsigned') return undefined;
      const { text: _, ...claim } = shown;
      return claim;
    },
    coversResigned: (approved, entry) =>
      current().rules.acceptsResigned(facts({ entry })) && isResigned(approved, entry),
    signerChange: (entry) => signerChange(label, entry),
    allowsKind: (entry) => current().rules.decide(facts({ entry })).effect === 'serve',
    deniesFolder: (path) => current().rules.deniesPath(base === '' ? path : `${base}/${path}`),
    approved: (uri) => approvedSkill(current().decisions.approval({ label, uri })),
    allApproved: () =>
      current()
        .decisions.approvalsOf(label)
        .flatMap((approval) => approvedSkill(approval) ?? []),
    bytes: async (wanted) => (await options.store()).blobs.get(wanted),
    hasBytes: async (wanted) => (await options.store()).blobs.has(wanted),
    pin: async (wanted, bytes) => (await options.store()).blobs.put(wanted, bytes),
    pinFailed: (error) => options.onPinFailed?.(label, error),
    unserved: (skills) =>
      queue.replace(skills.map((skill) => ({ ...skill, ...definedFields({ signature: shownVerdict(skill.entry) }) }))),
  };
}

/** Stored approvals name every file with its digest; other approvals do not count for a server. */
function approvedSkill(approval: Approval | undefined): ApprovedSkill | undefined {
  return approval === undefined || approval.entry.resources === 'dynamic' ? undefined : (approval as ApprovedSkill);
}
