import { describe, expect, test } from 'vitest';
import { f1, f1crlf, f3 } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { type DigestedFile, type ReceivedVerdict, restoreReceived } from './received-file.ts';

const compareReceived = async (bytes: Uint8Array, promised: DigestedFile): Promise<ReceivedVerdict> =>
  (await restoreReceived(bytes, promised)).verdict;

describe('restoreReceived()', () => {
  verifies(['fastmcp:line-ends'], 'distinguishes changed line ends from changed bytes', async () => {
    expect(await compareReceived(f1.bytes, f1)).toBe('same');
    expect(await compareReceived(f1.bytes, f1crlf)).toBe('line-ends');
    expect(await compareReceived(f1crlf.bytes, f1)).toBe('different');
    expect(await compareReceived(f1.bytes.slice(1), f1crlf)).toBe('different');
    expect(await compareReceived(f3.bytes, f1)).toBe('different');
  });

  test('knows the line ends of old Macs, and needs no size', async () => {
    const bytes = new TextEncoder().encode(f1.text.replaceAll('\n', '\r'));
    expect(await compareReceived(f1.bytes, { digest: await sha256Digest(bytes) })).toBe('line-ends');
    expect(await compareReceived(f1.bytes, { digest: f1.digest })).toBe('same');
  });

  test('restores the promised bytes if only line ends were changed, else returns the received ones', async () => {
    expect((await restoreReceived(f1.bytes, f1crlf)).bytes).toEqual(f1crlf.bytes);
    expect((await restoreReceived(f1.bytes, f1)).bytes).toBe(f1.bytes);
    expect((await restoreReceived(f3.bytes, f1)).bytes).toBe(f3.bytes);
  });

  test('compares the size even if the digest matches', async () => {
    expect(await compareReceived(f1.bytes, { digest: f1.digest, size: 112 })).toBe('different');
  });

  test('invents no bytes for mixed line ends', async () => {
    const mixed = new TextEncoder().encode('a\r\nb\n');
    const promised = { digest: await sha256Digest(new TextEncoder().encode('a\r\nb\r\n')) };
    expect(await compareReceived(mixed, promised)).toBe('different');
    const doubled = { digest: await sha256Digest(new TextEncoder().encode('a\r\r\n')) };
    expect(await compareReceived(new TextEncoder().encode('a\r\n'), doubled)).toBe('different');
  });
});
