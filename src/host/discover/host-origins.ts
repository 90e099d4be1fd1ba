/** `host.origins`. Removing an origin leaves nothing of it: no approval, no cached file, no connection. */
import type { HostOrigins } from '../host.ts';
import type { HostCore } from '../host-core.ts';

export function hostOrigins({ origins, approvals, enablement, audit, upkeep, requireOpen }: HostCore): HostOrigins {
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
