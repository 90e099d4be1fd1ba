/**
 * The one comparison of received bytes with a promise. It passes only if all promised values match, and returns which
 * of them were promised. It never repairs or retries, and does not judge whether the promise is trustworthy.
 */
import { VerificationError } from '../errors.ts';
import { sha256Digest } from './digest.ts';
import { quoteText } from './display-text.ts';

/** An absent field was not promised. */
export interface PromisedBytes {
  readonly uri: string;
  readonly digest?: string;
  readonly size?: number;
}

/** The promises that were compared with the bytes. */
export type Checked = 'both' | 'digest' | 'size' | 'none';

/** @throws VerificationError unless the bytes have the promised size and digest */
export async function verifyBytes(bytes: Uint8Array, expected: PromisedBytes): Promise<Checked> {
  const { uri, size, digest } = expected;
  if (size !== undefined && bytes.byteLength !== size) {
    throw new VerificationError(
      'size',
      `Cannot use ${quoteText(uri)}: ${size} bytes were promised, but ${bytes.byteLength} arrived. Fetch the entry and the file again.`,
      { data: { uri, expectedSize: size, actualSize: bytes.byteLength } },
    );
  }
  if (digest === undefined) return size === undefined ? 'none' : 'size';
  const actual = await sha256Digest(bytes);
  if (actual !== digest) {
    throw new VerificationError(
      'digest',
      `Cannot use ${quoteText(uri)}: digest ${quoteText(digest)} was promised, but the bytes have "${actual}". Fetch the entry and the file again.`,
      { data: { uri, expectedDigest: digest, actualDigest: actual } },
    );
  }
  return size === undefined ? 'digest' : 'both';
}
