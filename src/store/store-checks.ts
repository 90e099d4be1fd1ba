/** The checks of every store before it writes a blob or an audit record. */
import { SkillwireError, VerificationError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';
import { isKey } from './state-kinds.ts';
import type { AuditRecord } from './store.ts';

/** @throws USAGE, so that no outside text becomes part of a path */
export function checkDigest(digest: string): void {
  if (isDigest(digest)) return;
  throw new SkillwireError(
    'USAGE',
    `Cannot find a blob: ${quoteText(String(digest))} is not "sha256:" and 64 hexadecimal digits. Pass a digest of that form.`,
  );
}

/** @param actual the digest of the bytes */
export function checkBlob(digest: string, bytes: Uint8Array, actual: string): void {
  if (bytes.length > limits.skill.bytes) {
    throw new SkillwireError(
      'LIMIT_EXCEEDED',
      `Cannot store a blob: it has ${bytes.length} bytes, the limit for a skill is ${limits.skill.bytes}.`,
      { data: { digest, actual: bytes.length, limit: limits.skill.bytes } },
    );
  }
  if (actual === digest) return;
  throw new VerificationError(
    'digest',
    `Cannot store a blob: digest "${digest}" was promised, the bytes have "${actual}". Fetch the file again.`,
    { data: { expectedDigest: digest, actualDigest: actual } },
  );
}

export function isAuditRecord(payload: JsonValue): payload is JsonValue & AuditRecord {
  if (!isJsonObject(payload)) return false;
  const { at, action, label, uri, by, reason, replica, key } = payload;
  return (
    typeof at === 'string' &&
    typeof action === 'string' &&
    [label, uri, by, reason, replica].every((text) => text === undefined || typeof text === 'string') &&
    (key === undefined || isKey(key))
  );
}

/** A copy, as JSON makes it. */
export function checkedRecord(record: AuditRecord): JsonValue & AuditRecord {
  const copy = JSON.parse(JSON.stringify(record)) as JsonValue;
  if (isAuditRecord(copy)) return copy;
  throw new SkillwireError(
    'USAGE',
    'Cannot write to the audit: the record lacks the text "at" or "action". Pass both.',
  );
}
