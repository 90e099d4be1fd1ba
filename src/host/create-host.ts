/**
 * The host: the verbs of `host.ts` over its parts. It fetches nothing ahead of need, keeps no skill text, and reads the state at
 * each decision, so that several processes may share one store.
 */
import { SkillwireError } from '../errors.ts';
import type { ActingWindow } from './acting-window.ts';
import { throwIfInterrupted } from './call-origin.ts';
import { readPlainResource } from './cross-origin.ts';
import { createDiscoverer } from './discover.ts';
import { entryVerdict } from './entry-verdict.ts';
import { allowExecution } from './execution.ts';
import { findSkill } from './find.ts';
import type { HeldEntry } from './hold.ts';
import type { ApprovalState, Host, HostOptions } from './host.ts';
import { createHostCore, holdFrom } from './host-core.ts';
import { inspectFile, inspectListed } from './inspect.ts';
import { changeBetween, type KnownTextsOptions } from './known-texts.ts';
import { loadSkill } from './load.ts';
import { catalogText } from './present/catalog-text.ts';
import type { SkillChange } from './skill-change.ts';

/** @throws USAGE for a policy that is not a list of rules */
export async function createHost(options: HostOptions): Promise<Host> {
  if (options.policy !== undefined) await checkPolicy(options.policy);
  const core = createHostCore(options);
  const { origins, approvals, enablement, audit, upkeep } = core;
  const discoverer = createDiscoverer(origins, enablement, core.entries.forgetAll);
  const windows = new Set<ActingWindow>();
  let opened = 0;
  let closed = false;

  function requireOpen(): void {
    if (closed) throw new SkillwireError('CLOSED', 'the host was used after it was closed; create another one');
  }

  async function changeOf(held: HeldEntry, how: KnownTextsOptions): Promise<SkillChange | undefined> {
    const standing = await approvals.standing(held);
    if (standing.state !== 'changed') return undefined;
    return changeBetween(core.cache, origins.require(held.label), standing.approval.entry, held.entry, how);
  }

  return {
    cache: upkeep,

    addOrigin(origin) {
      requireOpen();
      origins.add(origin);
    },

    async removeOrigin(label) {
      requireOpen();
      await audit({ action: 'remove-origin', label, by: 'person', reason: 'the origin was removed' });
      const origin = origins.remove(label);
      await approvals.forgetOrigin(label);
      await upkeep.clear(label);
      await origin?.source.close?.();
    },

    origins: () => origins.all(),

    async discover({ signal, fresh = false, labels } = {}) {
      requireOpen();
      return discoverer.discover({ signal, fresh, ...(labels === undefined ? {} : { labels }) });
    },

    async find(reference, { signal } = {}) {
      requireOpen();
      return findSkill(core, discoverer, reference, signal);
    },

    async hold({ label, uri }, { signal } = {}) {
      requireOpen();
      return holdFrom(core, origins.require(label), uri, signal);
    },

    async approvalOf(held): Promise<ApprovalState> {
      requireOpen();
      const standing = await approvals.standing(held);
      if (standing.state === 'current') return { state: 'current', approval: standing.approved.approval };
      if (standing.state === 'none') return { state: held.status === 'verifiable' ? 'none' : 'unverifiable' };
      const change = await changeOf(held, {});
      return { state: 'changed', approval: standing.approval, ...(change === undefined ? {} : { change }) };
    },

    async changeOf(held, { signal, fetch = false } = {}) {
      requireOpen();
      return changeOf(held, { signal, fetch });
    },

    async approve(held, grants, reason, { by = 'person', remember = 'stored', hiddenSeen = false } = {}) {
      requireOpen();
      return approvals.grant(held, { grants, reason, by, remember, hiddenSeen });
    },

    async revoke(address, reason) {
      requireOpen();
      return approvals.revoke(address, reason);
    },

    async approvals() {
      requireOpen();
      return approvals.list();
    },

    async setEnabled(label, uri, enabled) {
      requireOpen();
      await enablement.set(label, uri, enabled);
    },

    async load(reference, { signal, fresh = false } = {}) {
      requireOpen();
      const { label, uri } =
        typeof reference === 'string' ? await findSkill(core, discoverer, reference, signal) : reference;
      const id = `skill-${++opened}`;
      let window: ActingWindow | undefined;
      const onRelease = (): void => {
        if (window !== undefined) windows.delete(window);
      };
      window = await loadSkill(core, { label, uri }, { id, signal, fresh, onRelease });
      throwIfInterrupted(signal, 'load a skill');
      requireOpen();
      windows.add(window);
      return window.skill;
    },

    actingOn: () => [...windows].map(({ skill }) => skill),

    async allowExecution(command, { signal } = {}) {
      requireOpen();
      await allowExecution(core, [...windows], command, signal);
    },

    async inspect({ label, uri }, file, { signal } = {}) {
      requireOpen();
      const origin = origins.require(label);
      return inspectFile(core, origin, await holdFrom(core, origin, uri, signal), file, signal);
    },

    async inspectHeld(held, file, { signal } = {}) {
      requireOpen();
      return inspectFile(core, origins.require(held.label), held, file, signal);
    },

    async inspectListed(held, files, { signal } = {}) {
      requireOpen();
      return inspectListed(core, origins.require(held.label), held, files, signal);
    },

    async verdictOn(held, texts) {
      requireOpen();
      return entryVerdict(core, held, texts);
    },

    async readResource(label, uri, { signal } = {}) {
      requireOpen();
      return readPlainResource(core, [...windows], { label, uri }, signal);
    },

    async catalogText({ signal, ...shape } = {}) {
      requireOpen();
      const { skills } = await discoverer.discover({ signal, kept: true });
      return catalogText(
        skills.filter(({ enabled }) => enabled),
        shape,
      );
    },

    async close() {
      if (closed) return;
      closed = true;
      for (const window of windows) window.end('the host was closed');
      windows.clear();
      await upkeep.settled();
      await Promise.all(origins.all().map(({ source }) => source.close?.()));
    },
  };
}

/** A misspelled condition would be a rule that holds for more skills than its author meant. */
async function checkPolicy(policy: unknown): Promise<void> {
  const { policyRuleFaults } = await import('../policy/policy-faults.ts');
  const faults = policyRuleFaults(policy);
  if (faults.length === 0) return;
  throw new SkillwireError('USAGE', `cannot use the policy: ${faults.join('; ')}`, { data: { faults } });
}
