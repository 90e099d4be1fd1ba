/** What a record of the audit must have, when it is written and when it is read back. */
import { SkillwireError } from '../errors.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';
import { isKey } from './state-kinds.ts';
import type { AuditRecord } from './store.ts';

export function isAuditRecord(payload: JsonValue): payload is JsonValue & AuditRecord {
  if (!isJsonObject(payload)) return false;
  const { at, action, label, uri, by, reason, key } = payload;
  return (
    typeof at === 'string' &&
    typeof action === 'string' &&
    [label, uri, by, reason].every((text) => text === undefined || typeof text === 'string') &&
    (key === undefined || isKey(key))
  );
}

/** A copy as JSON makes it. */
export function checkedRecord(record: AuditRecord): JsonValue & AuditRecord {
  const copy = JSON.parse(JSON.stringify(record)) as JsonValue;
  if (isAuditRecord(copy)) return copy;
  throw new SkillwireError('USAGE', 'cannot write to the audit: a record needs the texts "at" and "action"');
}
