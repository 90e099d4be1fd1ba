/** The members of a store that one process or one machine uses: this process, which has applied everything that it can read. */
import type { Member, Store, StoreHealth } from './store.ts';

export function localMembers(
  kind: StoreHealth['kind'],
  applied: () => number,
): Pick<Store, 'members' | 'confirm' | 'health'> {
  let joined: Pick<Member, 'id' | 'version'> | undefined;
  const list = (): readonly Member[] =>
    joined === undefined ? [] : [{ ...joined, applied: applied(), silentMs: 0, live: true }];
  return {
    members: {
      async join(member) {
        joined = member;
      },
      list: async () => list(),
      leads: async () => true,
    },
    // Every read looks at the newest entries first, so every reader has applied them.
    confirm: async () => ({ confirmed: list(), missing: [] }),
    health: () => ({ kind, lag: 0, serves: true }),
  };
}
