/** A store whose audit records all get further fields, such as the user or the replica. */
import type { AuditRecord, Store } from './store.ts';

export function withStampedAudit<S extends Store>(store: S, stamp: (record: AuditRecord) => AuditRecord): S {
  const { audit, state } = store;
  return {
    ...store,
    audit: { ...audit, append: (record: AuditRecord) => audit.append(stamp(record)) },
    state: {
      ...state,
      transact: ((change) =>
        state.transact((view) => {
          const made = change(view);
          return { ...made, audit: made.audit?.map(stamp) };
        })) satisfies Store['state']['transact'],
    },
  };
}
