/** `host.approvals`: how a held entry stands, and decisions that were taken elsewhere. */

import type { HostApprovals } from '../host.ts';
import type { HostCore } from '../host-core.ts';
import type { HeldEntry } from '../load/hold.ts';
import { entryVerdict } from './entry-verdict.ts';
import { changeBetween, type KnownTextsOptions } from './known-texts.ts';
import type { SkillChange } from './skill-change.ts';

export function hostApprovals(core: HostCore): HostApprovals {
  const { approvals, origins, requireOpen } = core;

  async function change(held: HeldEntry, how: KnownTextsOptions): Promise<SkillChange | undefined> {
    const standing = await approvals.standing(held);
    if (standing.state !== 'changed') return undefined;
    return changeBetween(core.cache, origins.require(held.label), standing.approval.entry, held.entry, how);
  }

  return {
    async list() {
      requireOpen();
      return approvals.list();
    },

    async state(held) {
      requireOpen();
      const standing = await approvals.standing(held);
      if (standing.state === 'current') return { state: 'current', approval: standing.approved.approval };
      if (standing.state === 'none') return { state: held.status === 'verifiable' ? 'none' : 'unverifiable' };
      const changed = await change(held, {});
      return { state: 'changed', approval: standing.approval, change: changed };
    },

    async change(held, { signal, fetch = false } = {}) {
      requireOpen();
      return change(held, { signal, fetch });
    },

    async verdict(held, texts) {
      requireOpen();
      return entryVerdict(core, held, texts);
    },

    async grant(held, grants, reason, { by = 'person', remember = 'stored', hiddenSeen = false } = {}) {
      requireOpen();
      return approvals.grant(held, { grants, reason, by, remember, hiddenSeen });
    },

    async revoke(skill, reason) {
      requireOpen();
      return approvals.revoke(skill, reason);
    },
  };
}
