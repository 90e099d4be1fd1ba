/**
 * A store as lines of JSON, to be taken elsewhere: a header, every value of the state, the audit, the bytes that the state refers to, and
 * a last line with the number of each and the digest of all lines before. What is not in it can be fetched again. It holds no
 * secret (of tokens there are hashes), but who reads it knows what is approved and who decided.
 */
import { sha256Digest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import { pinnedDigests } from './pinned-digests.ts';
import type { AuditRecord, StateEntry, Store } from './store.ts';

export const exportFormat = 'skillwire-export';

export interface ExportCounts {
  readonly state: number;
  readonly audit: number;
  readonly blobs: number;
}

/** One line of an export, after the header. */
export type ExportLine =
  | { readonly kind: 'state'; readonly entry: StateEntry }
  | { readonly kind: 'audit'; readonly record: AuditRecord }
  | { readonly kind: 'blob'; readonly digest: string; readonly bytes: Uint8Array };

type Doors = Pick<Store, 'state' | 'audit' | 'blobs'>;

/** Every line with its line break, the last one among them. */
export async function* exportLines(store: Doors, at: string): AsyncGenerator<string, ExportCounts> {
  const sums = createLineDigest();
  const counts = { state: 0, audit: 0, blobs: 0 };
  const line = async (value: JsonValue): Promise<string> => {
    const text = `${JSON.stringify(value)}\n`;
    await sums.add(text);
    return text;
  };
  yield await line({ format: exportFormat, version: 1, at });
  for (const { key, value } of await store.state.entries([])) {
    counts.state++;
    yield await line({ state: key, value });
  }
  for await (const record of store.audit.read()) {
    counts.audit++;
    yield await line({ audit: record as unknown as JsonValue });
  }
  for (const digest of [...(await pinnedDigests(store.state))].sort()) {
    const bytes = await store.blobs.get(digest);
    if (bytes === undefined) continue;
    counts.blobs++;
    yield await line({ blob: digest, base64: toBase64(bytes) });
  }
  yield `${JSON.stringify({ end: counts, digest: sums.value() })}\n`;
  return counts;
}

/** The digest of lines, as a chain: that of the lines before and the digest of the line. */
export function createLineDigest(): { add(line: string): Promise<void>; value(): string } {
  const encoder = new TextEncoder();
  let digest = '';
  return {
    async add(line) {
      const own = await sha256Digest(encoder.encode(line));
      digest = await sha256Digest(encoder.encode(`${digest}${own}`));
    },
    value: () => digest,
  };
}

const pieceBytes = 0x6000;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += pieceBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(from, from + pieceBytes)));
  return text;
}
