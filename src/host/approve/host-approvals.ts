/** `host.approvals`: the approval of a captured entry, and decisions made elsewhere. */

import type { HostApprovals } from '../host.ts';
import type { HostCore } from '../host-core.ts';
import type { CapturedEntry } from '../load/capture.ts';
import { entryVerdict, judgeSignature } from './approve-load.ts';
import { changeBetween, type KnownTextsOptions } from './known-texts.ts';
import { signerOf } from './signature-gate.ts';
import type { SkillChange } from './skill-change.ts';

export function hostApprovals(core: HostCore): HostApprovals {
  const { approvals, origins, requireOpen } = core;

  async function change(captured: CapturedEntry, how: KnownTextsOptions): Promise<SkillChange | undefined> {
    const standing = await approvals.standing(captured);
    if (standing.state !== 'changed') return undefined;
    return changeBetween(core.cache, origins.require(captured.label), standing.approval.entry, captured.entry, how);
  }

  return {
    async list() {
      requireOpen();
      return approvals.list();
    },

    async state(captured) {
      requireOpen();
      const standing = await approvals.standing(captured);
      if (standing.state === 'current') return { state: 'current', approval: standing.approved.approval };
      if (standing.state === 'none') return { state: captured.status === 'verifiable' ? 'none' : 'unverifiable' };
      const changed = await change(captured, {});
      return { state: 'changed', approval: standing.approval, change: changed };
    },

    async change(captured, { signal, fetch = false } = {}) {
      requireOpen();
      return change(captured, { signal, fetch });
    },

    async verdict(captured, texts) {
      requireOpen();
      return entryVerdict(core, captured, texts);
    },

    async signature(captured, texts) {
      requireOpen();
      return judgeSignature(core, captured, texts);
    },

    async grant(captured, grants, reason, { by = 'person', remember = 'stored', hiddenSeen = false } = {}) {
      requireOpen();
      const signer = signerOf(await judgeSignature(core, captured));
      return approvals.grant(captured, { grants, reason, by, remember, hiddenSeen, signer });
    },

    async revoke(skill, reason) {
      requireOpen();
      return approvals.revoke(skill, reason);
    },
  };
}
