/** Who allowed what, and why. An action that cannot be recorded does not happen: callers record before they act. */
import type { AuditJournal, AuditRecord } from '../../store/store.ts';

export type AuditAction =
  | 'approve'
  | 'revoke'
  | 'refuse'
  | 'load'
  | 'execute'
  | 'cross-origin-read'
  | 'enable'
  | 'disable'
  | 'remove-origin';

export type AuditTrail = (
  record: Omit<AuditRecord, 'at' | 'action'> & { readonly action: AuditAction; readonly at?: string },
) => Promise<void>;

export function auditTrail(journal: AuditJournal): AuditTrail {
  return (record) => journal.append({ ...record, at: record.at ?? new Date().toISOString() });
}
