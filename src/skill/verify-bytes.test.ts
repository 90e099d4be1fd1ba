import { describe, expect, test } from 'vitest';
import { VerificationError } from '../errors.ts';
import { sha256Digest } from './digest.ts';
import { verifyBytes } from './verify-bytes.ts';

const uri = 'skill://git-workflow/SKILL.md';
const bytes = new TextEncoder().encode('# Guide\n\nBranch from main.\n');
const digest = 'sha256:a655a77a5ec1ed2343971275cb0aea9e48ab91b4cf628ea6cd812f306d6c1ebe';

async function failure(action: Promise<unknown>): Promise<VerificationError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof VerificationError) return error;
  throw new Error(`expected a VerificationError, got ${String(error)}`);
}

describe('verifyBytes()', () => {
  test('passes for the promised size and digest', async () => {
    expect(await verifyBytes(bytes, { uri, digest, size: 27 })).toBe('both');
  });

  test('reports which promises were checked', async () => {
    expect(await verifyBytes(bytes, { uri, digest })).toBe('digest');
    expect(await verifyBytes(bytes, { uri, size: 27 })).toBe('size');
    expect(await verifyBytes(bytes, { uri })).toBe('none');
    expect((await failure(verifyBytes(bytes, { uri, size: 28 }))).reason).toBe('size');
    expect((await failure(verifyBytes(bytes, { uri, digest: `sha256:${'0'.repeat(64)}` }))).reason).toBe('digest');
  });

  test('names both sizes, before it compares digests', async () => {
    const error = await failure(verifyBytes(bytes, { uri, digest: 'sha256:wrong', size: 28 }));
    expect(error.code).toBe('VERIFICATION_FAILED');
    expect(error.exitCode).toBe(7);
    expect(error.message).toContain('28 bytes were promised, but 27 arrived');
    expect(error.data).toEqual({ reason: 'size', uri, expectedSize: 28, actualSize: 27 });
  });

  test('names both digests if one byte differs', async () => {
    const other = bytes.slice();
    other[0] = 0x24;
    const actualDigest = await sha256Digest(other);
    const error = await failure(verifyBytes(other, { uri, digest, size: 27 }));
    expect(error.message).toContain(digest);
    expect(error.message).toContain(actualDigest);
    expect(error.data).toEqual({ reason: 'digest', uri, expectedDigest: digest, actualDigest });
  });

  test('does not accept a digest in another spelling', async () => {
    await failure(verifyBytes(bytes, { uri, digest: digest.toUpperCase(), size: 27 }));
  });
});
