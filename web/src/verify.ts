/**
 * Checks in this browser that the files of a skill have the digests of its entry. Uses the browser's own hash on HTTPS and loopback, and one in
 * JavaScript elsewhere. Decisions are bound to the digest of the set.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import type { FileRow } from '../../src/surfaces/page/page-data.ts';

export type FileVerdict = 'ok' | 'differs' | 'failed';

/** @param subtle the browser's own hash; without one the hash is computed here */
export async function digestOf(
  bytes: Uint8Array<ArrayBuffer>,
  subtle: SubtleCrypto | null = globalThis.crypto?.subtle ?? null,
): Promise<string> {
  const hash = subtle === null ? sha256(bytes) : new Uint8Array(await subtle.digest('SHA-256', bytes));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export async function verifyFile({ uri, digest, size }: FileRow, signal: AbortSignal): Promise<FileVerdict> {
  const response = await fetch(`api/bytes?${new URLSearchParams({ uri })}`, { signal, cache: 'no-store' });
  if (!response.ok) return 'failed';
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length === size && (await digestOf(bytes)) === digest ? 'ok' : 'differs';
}

/** The digest of the set of files, as in approvals. */
export function setDigestOf(files: readonly FileRow[]): Promise<string> {
  const lines = [...files]
    .sort((a, b) => (a.uri < b.uri ? -1 : 1))
    .map(({ uri, digest = '' }) => `${digest} ${uri}\n`)
    .join('');
  return digestOf(new Uint8Array(new TextEncoder().encode(lines)));
}
