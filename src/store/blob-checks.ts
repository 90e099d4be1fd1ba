/** What every store asks of blobs before it keeps them. */
import { SkillwireError, VerificationError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';

/** @throws USAGE, so that no text from outside becomes part of a path */
export function checkDigest(digest: string): void {
  if (isDigest(digest)) return;
  throw new SkillwireError(
    'USAGE',
    `cannot look for a blob: ${quoteText(String(digest))} is not "sha256:" and 64 hexadecimal digits`,
  );
}

/** @param actual the digest that the bytes have */
export function checkBlob(digest: string, bytes: Uint8Array, actual: string): void {
  if (bytes.length > limits.skill.bytes) {
    throw new SkillwireError(
      'LIMIT_EXCEEDED',
      `cannot keep a blob: it has ${bytes.length} bytes, the limit is ${limits.skill.bytes}; no skill may have more`,
      { data: { digest, actual: bytes.length, limit: limits.skill.bytes } },
    );
  }
  if (actual === digest) return;
  throw new VerificationError(
    'digest',
    `cannot keep a blob: digest "${digest}" was promised, the bytes have "${actual}"; fetch the file again`,
    { data: { expectedDigest: digest, actualDigest: actual } },
  );
}
