/**
 * The one comparison of received bytes with a promise. It passes only for the promised size and digest, and says which of them there were; it never repairs,
 * never retries and says nothing about whether the promise itself deserves trust.
 */
import { VerificationError } from '../errors.ts';
import { sha256Digest } from './digest.ts';
import { quoteText } from './display-text.ts';

/** What is absent was not promised. */
export interface PromisedBytes {
  readonly uri: string;
  readonly digest?: string;
  readonly size?: number;
}

/** Which promises about bytes were compared with them. */
export type Checked = 'both' | 'digest' | 'size' | 'none';

/** Throws a VerificationError unless the bytes have what was promised of them: a size, a digest, or both. */
export async function verifyBytes(bytes: Uint8Array, expected: PromisedBytes): Promise<Checked> {
  const { uri, size, digest } = expected;
  if (size !== undefined && bytes.byteLength !== size) {
    throw new VerificationError(
      'size',
      `cannot use ${quoteText(uri)}: ${size} bytes were promised, ${bytes.byteLength} arrived; fetch the entry and the file again`,
      { data: { uri, expectedSize: size, actualSize: bytes.byteLength } },
    );
  }
  if (digest === undefined) return size === undefined ? 'none' : 'size';
  const actual = await sha256Digest(bytes);
  if (actual !== digest) {
    throw new VerificationError(
      'digest',
      `cannot use ${quoteText(uri)}: digest ${quoteText(digest)} was promised, the bytes have "${actual}"; fetch the entry and the file again`,
      { data: { uri, expectedDigest: digest, actualDigest: actual } },
    );
  }
  return size === undefined ? 'digest' : 'both';
}
