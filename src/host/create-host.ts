/**
 * Builds the host of `host.ts` from its parts. It fetches nothing ahead of need, stores no skill text, and reads the
 * state for each decision, so that several processes can share one store.
 */
import { SkillwireError } from '../errors.ts';
import {
  anything,
  callback,
  checkOptions,
  count,
  flag,
  listOf,
  type OptionChecks,
  required,
  withMembers,
} from '../skill/checked-options.ts';
import { actingWindows } from './approve/acting-windows.ts';
import { hostApprovals } from './approve/host-approvals.ts';
import { readPlainResource } from './discover/cross-origin.ts';
import { createDiscoverer } from './discover/discover.ts';
import { findSkill } from './discover/find.ts';
import { hostOrigin } from './discover/origins.ts';
import type { Host, HostOptions, HostOrigins } from './host.ts';
import { captureFrom, createHostCore, type HostCore } from './host-core.ts';
import { inspector, peekListed } from './load/inspect.ts';
import { catalogText } from './present/catalog-text.ts';

export const hostOptionChecks: OptionChecks<HostOptions> = {
  origins: listOf(hostOrigin, 'a list of objects with "label", "source" and "local"'),
  store: required(withMembers('a store, such as memoryStore()', 'state', 'blobs', 'audit')),
  decide: callback(),
  policy: anything(),
  trustLocal: flag,
  signatures: withMembers('an object with "judge"', 'judge'),
  cacheBytes: count,
  timeoutMs: count,
  offline: flag,
  onWarning: callback(),
};

/**
 * Creates a host with your own store and sources; `openHost()` creates both.
 *
 * @throws SkillwireError USAGE
 */
export async function createHost(options: HostOptions): Promise<Host> {
  checkOptions('createHost()', options, hostOptionChecks);
  if (options.policy !== undefined) await checkPolicy(options.policy);
  const core = createHostCore(options);
  const { origins, enablement, upkeep, requireOpen } = core;
  const discoverer = createDiscoverer(origins, enablement, core.entries.forgetAll);
  const windows = actingWindows(core);

  return {
    origins: hostOrigins(core),
    approvals: hostApprovals(core),
    acting: windows.acting,
    cache: upkeep,

    async discover({ signal, fresh = false, labels } = {}) {
      requireOpen();
      return discoverer.discover({ signal, fresh, labels });
    },

    async find(reference, { signal } = {}) {
      requireOpen();
      return findSkill(core, discoverer, reference, signal);
    },

    async capture({ label, uri }, { signal } = {}) {
      requireOpen();
      return captureFrom(core, origins.require(label), uri, signal);
    },

    async setEnabled({ label, uri, formerUris }, enabled) {
      requireOpen();
      await enablement.set(label, uri, enabled, formerUris);
    },

    inspect: inspector(core),

    async peek(skill, { signal } = {}) {
      requireOpen();
      return peekListed(core, origins.require(skill.label), skill, signal);
    },

    async load(reference, { signal, fresh = false } = {}) {
      requireOpen();
      const skill = typeof reference === 'string' ? await findSkill(core, discoverer, reference, signal) : reference;
      return windows.open(skill, { signal, fresh });
    },

    async readResource(label, uri, { signal } = {}) {
      requireOpen();
      return readPlainResource(core, windows.all(), { label, uri }, signal);
    },

    async catalogText({ signal, ...shape } = {}) {
      requireOpen();
      const { skills } = await discoverer.discover({ signal, cached: true });
      return catalogText(
        skills.filter(({ enabled }) => enabled),
        shape,
      );
    },

    async close() {
      if (!core.close()) return;
      windows.endAll('the host was closed');
      await upkeep.settled();
      await Promise.all(origins.all().map(({ source }) => source.close?.()));
    },
  };
}

/** A rule with a misspelled condition would match more skills than its author meant. */
async function checkPolicy(policy: unknown): Promise<void> {
  const { policyRuleFaults } = await import('../policy/policy-faults.ts');
  const faults = policyRuleFaults(policy);
  if (faults.length === 0) return;
  throw new SkillwireError('USAGE', `Cannot use the policy: ${faults.join('; ')}.`, { data: { faults } });
}

/** `host.origins`. Removing an origin also removes its approvals, cached files and connection. */
function hostOrigins({ origins, approvals, enablement, audit, upkeep, requireOpen }: HostCore): HostOrigins {
  return {
    list: origins.all,
    get: origins.get,

    add(origin) {
      requireOpen();
      origins.add(origin);
    },

    async remove(label) {
      requireOpen();
      await audit({ action: 'remove-origin', label, by: 'person', reason: 'the origin was removed' });
      const origin = origins.remove(label);
      await approvals.forgetOrigin(label);
      await upkeep.clear(label);
      await origin?.source.close?.();
    },

    async setEnabled(label, enabled) {
      requireOpen();
      await enablement.set(label, undefined, enabled);
    },
  };
}
