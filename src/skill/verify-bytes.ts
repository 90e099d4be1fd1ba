/**
 * The one comparison of received bytes with a promise. It passes only for the promised size and digest; it never repairs,
 * never retries and says nothing about whether the promise itself deserves trust.
 */
import { VerificationError } from '../errors.ts';
import { sha256Digest } from './digest.ts';
import { quoteText } from './display-text.ts';

export interface ExpectedBytes {
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

/** Throws a VerificationError unless the bytes have the size and the digest that were promised. */
export async function verifyBytes(bytes: Uint8Array, expected: ExpectedBytes): Promise<void> {
  const { uri, size, digest } = expected;
  if (bytes.byteLength !== size) {
    throw new VerificationError(
      'size',
      `cannot use ${quoteText(uri)}: ${size} bytes were promised, ${bytes.byteLength} arrived; fetch the entry and the file again`,
      { data: { uri, expectedSize: size, actualSize: bytes.byteLength } },
    );
  }
  const actual = await sha256Digest(bytes);
  if (actual !== digest) {
    throw new VerificationError(
      'digest',
      `cannot use ${quoteText(uri)}: digest ${quoteText(digest)} was promised, the bytes have "${actual}"; fetch the entry and the file again`,
      { data: { uri, expectedDigest: digest, actualDigest: actual } },
    );
  }
}
